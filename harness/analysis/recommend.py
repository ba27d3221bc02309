"""Which kernel to use on a machine, from its record: measured, never guessed from the CPU's name."""

from typing import NamedTuple

from slidebench.harness.analysis.stats import Estimate, compare, levels_of, perft_groups, perft_rates
from slidebench.harness.records.schema import Record, Samples
from slidebench.kernels import Choice, catalogue
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
    rate: Estimate
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
            (choice for choice in rates if (choice.popcount, choice.level) == (BUILTIN, level)),
            key=lambda choice: -rates[choice].median,
        )
        if not ranked:
            continue
        best, *others = ranked
        verdicts = compare([(groups[best], groups[other]) for other in others])
        equals = [
            other.kernel
            for other, verdict in zip(others, verdicts, strict=True)
            if verdict is None or verdict.verdict == "no difference shown"
        ]
        without = next((choice.kernel for choice in ranked if not _uses_pext(choice)), None)
        found.append(
            Recommendation(
                level,
                best.kernel,
                rates[best],
                equals,
                without if without != best.kernel else None,
                _faster_popcount(groups, level),
            )
        )
    return found


def _faster_popcount(groups: dict[Choice, list[Samples]], level: str) -> FasterPopcount | None:
    """The popcount that gains the kernel it was timed with the most, if that is shown."""
    others = [
        choice
        for choice in groups
        if choice.popcount != BUILTIN and choice.level == level and _with_builtin(choice) in groups
    ]
    verdicts = compare([(groups[choice], groups[_with_builtin(choice)]) for choice in others])
    faster = [
        FasterPopcount(choice.popcount, choice.kernel, verdict.ratio)
        for choice, verdict in zip(others, verdicts, strict=True)
        if verdict and verdict.verdict == "faster"
    ]
    return max(faster, key=lambda popcount: popcount.ratio, default=None)


def _with_builtin(choice: Choice) -> Choice:
    return Choice(choice.kernel, choice.level, BUILTIN)


def _uses_pext(choice: Choice) -> bool:
    """Whether the kernel's header declares PEXT at this level; False for a kernel unknown to this build."""
    source = catalogue.sliders().get(choice.kernel)
    return source is not None and "pext" in catalogue.declared(source.contains, choice.level)
