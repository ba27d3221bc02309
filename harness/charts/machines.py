"""Charts across records: machines and compilers against the first, and one machine's history."""

from collections.abc import Sequence
from itertools import pairwise

from matplotlib.figure import Figure

from slidebench.harness.charts.ratios import ratio_rows
from slidebench.harness.charts.style import (
    DASHES,
    Dot,
    bars,
    colour,
    framed,
    labelled,
    left_out,
    machine_line,
    marker,
    million,
    muted,
    printable,
    scaled,
)
from slidebench.harness.compare import LIKE, compilers, record_labels, records_sheet
from slidebench.harness.cpu import machine_name
from slidebench.harness.figures import Figures
from slidebench.harness.stats import levels_of

MOST_COMMITS = 40
Point = tuple[int, Dot]  # place among the runs


def machine_ratios(records: Sequence[Figures]) -> Figure | None:
    """How many times as fast each kernel is on other machines, or from other compilers, as on the first.

    Of several records of one machine and compiler, the newest complete one stands for them.
    """
    newest: dict[tuple[str, str], Figures] = {}
    for each in records:
        key = machine_name(each.record.machine), compilers(each.record)
        newest[key] = max(
            newest.get(key, each), each, key=lambda one: (one.record.complete, one.record.started_utc)
        )
    chosen = list(newest.values())
    if len(chosen) < 2:
        return None
    return ratio_rows(records_sheet([each.record for each in chosen]), chosen)


def history(records: Sequence[Figures]) -> Figure | None:
    """Perft nodes/s of each kernel over the commits that one machine measured, oldest first."""
    if len({machine_name(each.record.machine) for each in records}) != 1:
        return None
    ordered = sorted(records, key=lambda each: each.record.started_utc)[-MOST_COMMITS:]
    ordered = [each for each in ordered if each.nodes]
    if len(ordered) < 2:
        return None
    level, popcount = levels_of(key for each in ordered for key in each.nodes)[-1], ordered[-1].popcount
    kernels = list(dict.fromkeys(kernel for each in reversed(ordered) for kernel in each.kernels))
    points = {
        kernel: [
            (place, million(rate))
            for place, each in enumerate(ordered)
            if (rate := each.nodes.get((kernel, popcount, level)))
        ]
        for kernel in kernels
    }
    drawable = {
        kernel: [(place, dot) for place, dot in line if dot.drawable] for kernel, line in points.items()
    }
    drawable = {kernel: line for kernel, line in drawable.items() if line}
    if not drawable:
        return None
    breaks = [
        place
        for place in range(1, len(ordered))
        if any(like(ordered[place].record) != like(ordered[place - 1].record) for like in LIKE.values())
    ]
    height = max(4.2, 1.0 + 0.14 * len(drawable))
    notes = left_out(
        sum(len(line) for line in points.values()) - sum(len(line) for line in drawable.values())
    )
    if breaks:
        notes.append(
            "Upright lines: figures on either side were measured on different questions; do not compare them."
        )
    figure = framed(height, _basis(ordered, level, popcount), notes)
    axes = figure.subplots()
    ends = []
    for number, (kernel, line) in enumerate(drawable.items()):
        for part in _parts(line, breaks):
            axes.errorbar(
                [place for place, _ in part], [dot.value for _, dot in part],
                yerr=bars([dot for _, dot in part]),
                fmt=marker(number), linestyle=DASHES[number // 5 % len(DASHES)], color=colour(number),
                elinewidth=0.8, markersize=4,
            )  # fmt: skip
        place, dot = line[-1]
        ends.append((printable(kernel, 30), float(place), dot.value, colour(number)))
    for place in breaks:
        axes.axvline(place - 0.5, color=muted(), linewidth=1, linestyle=(0, (4, 3)))
    axes.set_xticks(
        range(len(ordered)), [_commit(each) for each in ordered], rotation=50, ha="right", fontsize=8
    )
    axes.set_xlim(-0.4, len(ordered) - 0.6)
    scaled(
        axes.yaxis, [value for line in drawable.values() for _, dot in line for value in dot[:3]], log=True
    )
    labelled(axes, ends, height - 1.0)
    axes.set_xlabel("commit and day of the run")
    axes.set_ylabel("million perft nodes per second")
    return figure


def _parts(line: list[Point], breaks: Sequence[int]) -> list[list[Point]]:
    """The points between one change of questions and the next."""
    bounds = [0, *breaks, MOST_COMMITS]
    parts = [[point for point in line if low <= point[0] < high] for low, high in pairwise(bounds)]
    return [part for part in parts if part]


def _commit(figures: Figures) -> str:
    record = figures.record
    day = f"{record.started_utc[:4]}-{record.started_utc[4:6]}-{record.started_utc[6:8]}"
    return printable(f"{record.commit[:8]}{'+' if record.dirty else ''}  {day}", 30)


def _basis(ordered: Sequence[Figures], level: str, popcount: str) -> list[str]:
    labels = record_labels([each.record for each in ordered[-1:]])
    launches = [rate.launches for each in ordered for rate in each.nodes.values()]
    return [
        f"{machine_line(ordered[-1].record)} [{printable(labels[0], 30)}]",
        f"level {level}, {printable(popcount, 20)} popcount; median of {min(launches)} launches or more; "
        "bars: 95 % interval; + after a commit: changed work tree",
    ]
