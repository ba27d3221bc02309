"""Which kernel to use on a machine, from its record: measured, never guessed from the CPU's name."""

from typing import NamedTuple

from slidebench.harness.records import Record
from slidebench.harness.stats import Rate, compare, levels_of, perft_groups, perft_rates
from slidebench.kernels import catalogue

POPCOUNT = "builtin"  # the popcount is a matter of the level, not of the slider


class Recommendation(NamedTuple):
    """The fastest kernel of one level, and those from which no difference to it was shown."""

    level: str
    kernel: str
    rate: Rate
    equals: list[str]
    without_pext: str | None  # what it would be without the PEXT kernels, where that is another


def recommendations(record: Record) -> list[Recommendation]:
    """One for each level the record has, lowest first."""
    rates = perft_rates(record)
    groups = perft_groups(record)
    found = []
    for level in levels_of(rates):
        ranked = sorted(
            (kernel for kernel, popcount, each in rates if (popcount, each) == (POPCOUNT, level)),
            key=lambda kernel: -rates[kernel, POPCOUNT, level].median,
        )
        if not ranked:
            continue
        best, *others = ranked
        verdicts = compare(
            [(groups[best, POPCOUNT, level], groups[other, POPCOUNT, level]) for other in others]
        )
        equals = [
            other
            for other, verdict in zip(others, verdicts, strict=True)
            if verdict is None or verdict.verdict == "no difference shown"
        ]
        without = next((kernel for kernel in ranked if not _uses_pext(kernel, level)), None)
        found.append(
            Recommendation(
                level, best, rates[best, POPCOUNT, level], equals, without if without != best else None
            )
        )
    return found


def _uses_pext(kernel: str, level: str) -> bool:
    """Whether a kernel of this build declares the instruction; one that only a record knows does not."""
    source = catalogue.sliders().get(kernel)
    return source is not None and "pext" in catalogue.declared(source.contains, level)
