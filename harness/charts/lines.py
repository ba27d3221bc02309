"""Line charts with a labelled line for each kernel."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from slidebench.harness.charts.frame import Dot, bars, labelled, printable
from slidebench.harness.charts.theme import colour, dash, marker

Point = tuple[float, Dot]


def draw_lines(axes: Axes, lines: Mapping[str, Sequence[Sequence[Point]]]) -> None:
    """Draw a line for each name; a line is one or more unconnected parts."""
    for number, parts in enumerate(lines.values()):
        for part in parts:
            dots = [dot for _, dot in part]
            axes.errorbar(
                [x for x, _ in part], [dot.value for dot in dots], yerr=bars(dots), fmt=marker(number),
                linestyle=dash(number), color=colour(number), elinewidth=0.8, markersize=4,
            )  # fmt: skip


def label_lines(axes: Axes, lines: Mapping[str, Sequence[Sequence[Point]]], height: float) -> None:
    """Name every line in the right margin, at its last point; axes are `height` inches high and scaled."""
    ends = [parts[-1][-1] for parts in lines.values()]
    labelled(
        axes,
        [
            (printable(name, 30), float(x), dot.value, colour(number))
            for number, (name, (x, dot)) in enumerate(zip(lines, ends, strict=True))
        ],
        height,
    )
