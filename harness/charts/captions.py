"""What charts take from records: captions, values with intervals, and the marks of caches."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes

from slidebench.harness.analysis.compare import compilers
from slidebench.harness.analysis.stats import Comparison, Estimate
from slidebench.harness.analysis.summary import RecordSummary
from slidebench.harness.charts.frame import Dot, printable, short_bytes
from slidebench.harness.charts.theme import muted
from slidebench.harness.records.schema import Record

CACHE_DASH = (0, (2, 3))  # unlike the dash of any series
BARS = "bars: 95 % interval"


def basis(
    subjects: Sequence[str], measured: str, rates: Iterable[Estimate], interval: str = BARS
) -> list[str]:
    """A chart's subtitle: a line for each machine, then what was measured and from how many samples."""
    counts = [(rate.launches, rate.rounds) for rate in rates] or [(0, 0)]
    launches, rounds = (min(numbers) for numbers in zip(*counts, strict=True))
    return [*subjects, f"{measured}; medians of at least {launches} launches and {rounds} rounds; {interval}"]


def perft_basis(summary: RecordSummary, interval: str = BARS) -> list[str]:
    """The subtitle of a chart of one record's perft rates."""
    measured = f"geometric mean of {summary.positions} positions, {printable(summary.popcount, 20)} popcount"
    return basis([machine_line(summary.record)], measured, summary.nodes.values(), interval)


def million(rate: Estimate) -> Dot:
    """A rate in millions per second."""
    return Dot(rate.median / 1e6, rate.low / 1e6, rate.high / 1e6)


def ratio(comparison: Comparison) -> Dot:
    return Dot(comparison.ratio, comparison.low, comparison.high, comparison.verdict == "no difference shown")


def machine_line(record: Record) -> str:
    """The machine and compilers that a record's figures belong to."""
    virtual = ", virtual" if record.machine.virtualised else ""
    return printable(
        f"{record.machine.brand} ({record.machine.microarchitecture}{virtual}), {compilers(record)}", 110
    )


def caches_marked(axes: Axes, record: Record) -> None:
    """Vertical lines at the sizes of the machine's data caches, on an axis of bytes."""
    for name, size in _data_caches(record):
        if axes.get_xlim()[0] < size < axes.get_xlim()[1]:
            axes.axvline(size, color=muted(), linewidth=0.8, linestyle=CACHE_DASH)
            axes.annotate(
                name, (size, 1), (3, -1), xycoords=("data", "axes fraction"), textcoords="offset points",
                va="top", fontsize=7.5, color=muted(),
            )  # fmt: skip


def caches_marked_between(axes: Axes, record: Record, sizes: Sequence[int]) -> None:
    """Lines between rows of growing sizes, where those above fit a data cache and those below do not."""
    names: dict[int, list[str]] = {}
    for name, size in _data_caches(record):
        names.setdefault(bisect_right(sizes, size), []).append(name)
    for fitting in sorted(names.keys() - {0, len(sizes)}):
        axes.axhline(fitting - 0.5, color=muted(), linewidth=0.8, linestyle=CACHE_DASH)
        axes.annotate(
            f"above fits {' and '.join(names[fitting])}", (1, fitting - 0.5), (4, 0),
            xycoords=("axes fraction", "data"), textcoords="offset points", va="center", fontsize=7.5,
            color=muted(), annotation_clip=False,
        )  # fmt: skip


def _data_caches(record: Record) -> list[tuple[str, int]]:
    return [
        (f"L{cache.level} {short_bytes(cache.bytes)}", cache.bytes)
        for cache in record.machine.caches
        if cache.type != "instruction"
    ]
