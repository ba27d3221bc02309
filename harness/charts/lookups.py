"""Charts of attack queries within one record."""

import sys
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from slidebench import kernels
from slidebench.harness.analysis.summary import RecordSummary
from slidebench.harness.charts.captions import basis, caches_marked, caches_marked_between, machine_line
from slidebench.harness.charts.frame import Dot, framed, left_out, printable, scaled, short_bytes
from slidebench.harness.charts.lines import draw_lines, label_lines
from slidebench.harness.charts.rows import Panel, drawn_rows
from slidebench.harness.workloads import ORDERS, Lookup

AXES_HEIGHT = 4.2  # inches, or what the names in the margin need


def throughput_and_latency(figures: RecordSummary) -> Figure | None:
    """Nanoseconds per query, when queries overlap and when each waits for the last, by piece."""
    if not figures.levels:
        return None
    level = figures.levels[-1]
    names = {"throughput": "independent queries (throughput)", "latency": "dependent queries (latency)"}
    panels, order = [], []
    for piece in kernels.PIECES:
        dots, blanks = {}, {}
        for kernel in figures.kernels:
            choice = kernels.Choice(kernel, level, figures.popcount)
            for each in ORDERS:
                found = figures.lookup(choice, figures.plain(piece, each))
                if found:
                    dots[kernel, names[each]] = Dot(*found[:3])
                else:
                    blanks[kernel, names[each]] = figures.reason(choice)
        panels.append(Panel(piece, "ns per query", dots, blanks))
        order = sorted(
            figures.kernels,
            key=lambda kernel: (
                dots[kernel, names["throughput"]].value
                if (kernel, names["throughput"]) in dots
                else float("inf")
            ),
        )
    return drawn_rows(_basis(figures, level), order, list(names.values()), panels, legend="queries")


def cost_by_table_size(figures: RecordSummary) -> Figure | None:
    """Nanoseconds per queen query with warm and with cold caches: kernels with the smallest tables first."""
    if not figures.levels:
        return None
    level = figures.levels[-1]
    cold = next((each for each in figures.workloads("queen", "throughput") if each.evicting_bytes), None)
    workloads = {"warm caches": figures.plain("queen", "throughput"), "cold caches": cold}
    sizes = {
        kernel: build.table_bytes
        for kernel in figures.kernels
        if (build := figures.builds.get(kernels.Choice(kernel, level, figures.popcount)))
    }
    names = {kernel: f"{kernel}, {short_bytes(size)}" for kernel, size in sizes.items()}
    dots, blanks = {}, {}
    for kernel, name in names.items():
        choice = kernels.Choice(kernel, level, figures.popcount)
        for each, workload in workloads.items():
            if found := figures.lookup(choice, workload):
                dots[name, each] = Dot(*found[:3])
            else:
                blanks[name, each] = figures.reason(choice)
    ordered = sorted(sizes, key=sizes.__getitem__)  # of equal sizes, the fastest in perft first
    pressure = (
        f"{short_bytes(cold.evicting_bytes)} of other data read before every 256 queries" if cold else ""
    )
    figure = drawn_rows(
        _basis(figures, level),
        [names[kernel] for kernel in ordered],
        list(workloads),
        [Panel("", "nanoseconds per queen query", dots, blanks)],
        legend="queries with",
        log=True,
        notes=[f"Cold: {pressure}."] if cold else [],
    )
    if figure:
        (axes,) = figure.axes
        axes.set_ylabel("kernel and bytes of its tables")
        caches_marked_between(axes, figures.record, [sizes[kernel] for kernel in ordered])
    return figure


def cost_by_working_set(figures: RecordSummary) -> Figure | None:
    """Nanoseconds that a queen query adds beside other data of growing size."""
    if not figures.levels:
        return None
    level = figures.levels[-1]
    beside = sorted(
        (each for each in figures.workloads("queen", "throughput") if each.working_set_bytes),
        key=lambda each: each.working_set_bytes,
    )
    times = [(each.working_set_bytes, *_times(figures, level, each)) for each in beside]
    named = [kernel for kernel in figures.kernels if any(kernel in found for _, found, _ in times)]
    if not named:
        return None
    height = max(AXES_HEIGHT, 0.6 + 0.14 * len(named))
    notes = [
        "The cost of touching the other data is measured separately and subtracted; "
        "kernels without tables can hide part of it.",
        *left_out(sum(unusable for _, _, unusable in times)),
    ]
    figure = framed(height, _basis(figures, level), notes)
    axes = figure.subplots()
    lines = {
        kernel: [[(float(size), found[kernel]) for size, found, _ in times if kernel in found]]
        for kernel in named
    }
    draw_lines(axes, lines)
    axes.set_xscale("log", base=2)
    axes.set_xlim(beside[0].working_set_bytes / 1.5, beside[-1].working_set_bytes * 1.5)
    _byte_ticks(axes, [each.working_set_bytes for each in beside])
    scaled(axes.yaxis, [dot.value for _, found, _ in times for dot in found.values()])
    caches_marked(axes, figures.record)
    label_lines(axes, lines, height - 0.6)
    axes.set_xlabel("bytes of other data touched between the queries")
    axes.set_ylabel("nanoseconds that a queen query adds")
    return figure


def _times(figures: RecordSummary, level: str, workload: Lookup | None) -> tuple[dict[str, Dot], int]:
    """Drawable times by kernel, and how many are not; with other data beside, a time may come out as 0."""
    found: dict[str, Dot] = {}
    unusable = 0
    for kernel in figures.kernels:
        choice = kernels.Choice(kernel, level, figures.popcount)
        time = figures.lookup(choice, workload)
        # Beside other data the interval may reach below 0: there it is drawn to the axis.
        dot = time and Dot(time.median, max(time.low, sys.float_info.min), time.high)
        if dot and dot.drawable:
            found[kernel] = dot
        elif dot:
            unusable += 1
    return found, unusable


POWERS_OF_4 = [1 << power for power in range(0, 60, 2)]


def _byte_ticks(axes: Axes, sizes: Sequence[int] = POWERS_OF_4) -> None:
    axis = axes.xaxis
    low, high = axes.get_xlim()
    axis.set_major_locator(FixedLocator([size for size in sizes if low <= size <= high]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: short_bytes(value)))


def _basis(figures: RecordSummary, level: str) -> list[str]:
    popcount = printable(figures.popcount, 20)
    measured = f"level {level}, {popcount} popcount, queries from the positions' trees"
    rates = [rate for choice, rate in figures.nodes.items() if choice.level == level]
    return basis([machine_line(figures.record)], measured, rates)
