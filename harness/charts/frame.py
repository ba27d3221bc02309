"""The frame of a chart: title, subtitle, notes, axes, and text that fits."""

import math
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator
from scipy.optimize import isotonic_regression

from slidebench.harness.charts.theme import muted

WIDTH = 9.0  # inches
HEAD = 0.42
LINE = 0.17  # of small text
MAX_LETTERS = 60  # of a name or reason


class Dot(NamedTuple):
    """A value with its interval; hollow where it was not shown to differ from the reference."""

    value: float
    low: float
    high: float
    hollow: bool = False

    @property
    def drawable(self) -> bool:
        """Only positive numbers can be drawn, on a logarithmic axis or as a time."""
        return all(math.isfinite(each) and each > 0 for each in (self.value, self.low, self.high))


def bars(dots: Sequence[Dot]) -> list[list[float]]:
    """The intervals as matplotlib wants them: distances below, then above."""
    return [[max(dot.value - dot.low, 0) for dot in dots], [max(dot.high - dot.value, 0) for dot in dots]]


def framed(
    height: float,
    subtitle: Sequence[str] = (),
    notes: Sequence[str] = (),
    legend: tuple[Any, str] | None = None,
) -> Figure:
    """A figure with `height` inches for its axes and room for a title.

    Below the title `subtitle`, then a `legend` of (handles, title); `notes` stand at the foot.
    """
    above = [line for each in subtitle for line in textwrap.wrap(each, 132, break_on_hyphens=False)]
    below = [line for each in notes for line in textwrap.wrap(each, 150, break_on_hyphens=False)]
    head, foot = HEAD + LINE * len(above), 0.08 + LINE * len(below)
    legend_top = head + 0.04
    if legend:
        head += 0.32
    total = head + height + foot
    figure = Figure(figsize=(WIDTH, total), layout="constrained")
    engine: Any = figure.get_layout_engine()
    engine.set(rect=(0.005, foot / total, 0.99, height / total))
    text: dict[str, Any] = {"color": muted(), "va": "top", "linespacing": 1.3, "in_layout": False}
    figure.text(0.012, 1 - HEAD / total, "\n".join(above), fontsize=8.5, **text)
    figure.text(0.012, (foot - 0.02) / total, "\n".join(below), fontsize=7.5, **text)
    if legend:
        handles, title = legend
        figure.text(0.012, 1 - (legend_top + 0.03) / total, title, fontsize=8.5, **text)
        figure.legend(
            handles=handles, loc="upper left", ncols=len(handles), handletextpad=0.1, columnspacing=1.2,
            bbox_to_anchor=(0.012 + 0.0075 * len(title), 1 - legend_top / total), borderpad=0, fontsize=8.5,
        ).set_in_layout(False)  # fmt: skip
    return figure


def titled(figure: Figure, question: str) -> None:
    """Write the question that the figure answers above it."""
    height = figure.get_size_inches()[1]
    figure.text(
        0.012, 1 - 0.1 / height, printable(question, 80), fontsize=13, fontweight="bold", va="top",
        in_layout=False,
    )  # fmt: skip


def scales_named(figure: Figure) -> None:
    """Say at every logarithmic axis that it is one."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_scale() == "log":
                axis.set_label_text(f"{axis.get_label_text()} (log scale)")


def settled(figure: Figure) -> None:
    """Lay the figure out for good, in round numbers: the solver's last digits depend on memory addresses.

    Text is a little wider or narrower at other resolutions: the picture's must be set before.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        left, bottom, width, height = (round(each, 5) for each in axes.get_position().bounds)
        axes.set_position((left, bottom, width, height))


def printable(text: str, longest: int = MAX_LETTERS) -> str:
    """Text from a record as one short line, what cannot be printed replaced."""
    line = "".join(
        letter if letter.isprintable() else " " if letter.isspace() else "\N{REPLACEMENT CHARACTER}"
        for letter in unicodedata.normalize("NFC", text)
    )
    return textwrap.shorten(line, longest, placeholder="…") or line[: longest - 1].strip() + "…"


def left_out(count: int) -> list[str]:
    """The note on values that cannot be drawn."""
    return [f"{count} omitted: not a positive number."] if count else []


def short_bytes(count: float) -> str:
    """Bytes in the largest binary unit that leaves a whole number or one decimal."""
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.1f}".removesuffix(".0") + f" {unit}"
    return f"{count:.0f} B"


def scaled(axis: Axis, values: Iterable[float], *, log: bool | None = None) -> None:
    """A linear axis from 0, or a logarithmic one if asked for or where values differ more than 20-fold."""
    found = list(values)
    low, high = min(found, default=1.0), max(found, default=1.0)
    axes: Any = axis.axes
    vertical = axis is axes.yaxis
    limit = axes.set_ylim if vertical else axes.set_xlim
    if not (high > 20 * low if log is None else log):
        limit(0, high * 1.05)
        return
    (axes.set_yscale if vertical else axes.set_xscale)("log")
    low, high = low / 1.06, high * 1.06
    limit(low, high)
    if high / low > 12:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    else:
        ticks = MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        axis.set_major_locator(FixedLocator([tick for tick in ticks if low <= tick <= high and tick > 0]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def labelled(axes: Axes, points: Sequence[tuple[str, float, float, str]], height: float) -> None:
    """Name points (name, x, y, colour) in the right margin without overlap; axes are `height` inches high."""
    if not points:
        return
    ordered = sorted(points, key=lambda point: (point[2], point[0]))
    places = [
        axes.transAxes.inverted().transform(axes.transData.transform(point[1:3]))[1] for point in ordered
    ]
    gap = 0.135 / height * np.arange(len(ordered))
    line = {
        "arrowstyle": "-", "color": muted(), "linewidth": 0.4, "alpha": 0.6, "shrinkA": 1, "shrinkB": 3,
        "relpos": (0, 0.5),  # from the name's left edge, or lines would run through other names
    }  # fmt: skip
    spread = np.clip(isotonic_regression(np.array(places) - gap).x, 0, max(1 - gap[-1], 0)) + gap
    for (name, x, y, chosen), place in zip(ordered, spread, strict=True):
        axes.annotate(
            name, (x, y), (1.03, place), textcoords="axes fraction", va="center", fontsize=7.5, color=chosen,
            arrowprops=line, annotation_clip=False,
        )  # fmt: skip
