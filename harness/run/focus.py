"""Which kernels get extra rounds: the half with the widest perft intervals, unless these are narrow."""

from typing import NamedTuple

from slidebench.harness.analysis.stats import perft_rates
from slidebench.harness.records.schema import Record
from slidebench.kernels import Choice

NARROW = 0.003  # relative half-width of an interval below which a kernel needs no extra rounds


class Focus(NamedTuple):
    """The kernels that get extra rounds; the kernel with the widest interval, and its relative half-width."""

    choices: frozenset[Choice]
    widest: tuple[Choice, float] | None

    def __str__(self) -> str:
        if self.widest is None:
            return ""
        choice, relative_half_width = self.widest
        return f"widest interval: {choice} ± {100 * relative_half_width:.1f} %"


NO_FOCUS = Focus(frozenset(), None)


def focus(record: Record) -> Focus:
    """The focus of the next launch, from the samples so far; NO_FOCUS before two launches have ended."""
    widths = {
        choice: rate.relative_half_width for choice, rate in perft_rates(record).items() if rate.launches > 1
    }
    if not widths:
        return NO_FOCUS
    ranked = sorted(widths, key=widths.__getitem__, reverse=True)
    half = ranked[: (len(ranked) + 1) // 2]
    return Focus(
        frozenset(choice for choice in half if widths[choice] > NARROW), (ranked[0], widths[ranked[0]])
    )
