"""Which kernel to use on a machine, from its record: measured, never guessed from the CPU's name."""

from typing import NamedTuple

from slidebench.harness.records import Record, Samples
from slidebench.harness.stats import Key, Rate, compare, levels_of, perft_groups, perft_rates
from slidebench.kernels import catalogue
from slidebench.kernels.catalogue import BUILTIN


class FasterPopcount(NamedTuple):
    """A popcount shown faster than the builtin one, with which kernel, and how many times as fast."""

    popcount: str
    kernel: str
    ratio: float


class Recommendation(NamedTuple):
    """The fastest kernel of one level, and those from which no difference to it was shown."""

    level: str
    kernel: str
    rate: Rate
    equals: list[str]
    without_pext: str | None  # what it would be without the PEXT kernels, where that is another
    faster_popcount: FasterPopcount | None


def recommendations(record: Record) -> list[Recommendation]:
    """One for each level the record has, lowest first."""
    rates = perft_rates(record)
    groups = perft_groups(record)
    found = []
    for level in levels_of(rates):
        ranked = sorted(
            (kernel for kernel, popcount, each in rates if (popcount, each) == (BUILTIN, level)),
            key=lambda kernel: -rates[kernel, BUILTIN, level].median,
        )
        if not ranked:
            continue
        best, *others = ranked
        verdicts = compare(
            [(groups[best, BUILTIN, level], groups[other, BUILTIN, level]) for other in others]
        )
        equals = [
            other
            for other, verdict in zip(others, verdicts, strict=True)
            if verdict is None or verdict.verdict == "no difference shown"
        ]
        without = next((kernel for kernel in ranked if not _uses_pext(kernel, level)), None)
        found.append(
            Recommendation(
                level,
                best,
                rates[best, BUILTIN, level],
                equals,
                without if without != best else None,
                _faster_popcount(groups, level),
            )
        )
    return found


def _faster_popcount(groups: dict[Key, list[Samples]], level: str) -> FasterPopcount | None:
    """The popcount that gains the kernel it was timed with the most, if that is shown."""
    others = [key for key in groups if key[1] != BUILTIN and key[2] == level and _with_builtin(key) in groups]
    verdicts = compare([(groups[key], groups[_with_builtin(key)]) for key in others])
    faster = [
        FasterPopcount(popcount, kernel, verdict.ratio)
        for (kernel, popcount, _), verdict in zip(others, verdicts, strict=True)
        if verdict and verdict.verdict == "faster"
    ]
    return max(faster, key=lambda each: each.ratio, default=None)


def _with_builtin(key: Key) -> Key:
    kernel, _, level = key
    return kernel, BUILTIN, level


def _uses_pext(kernel: str, level: str) -> bool:
    """Whether a kernel of this build declares the instruction; one that only a record knows does not."""
    source = catalogue.sliders().get(kernel)
    return source is not None and "pext" in catalogue.declared(source.contains, level)
