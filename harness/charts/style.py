"""How all charts look: themes, frame, and what is done with text and numbers from records."""

import math
import textwrap
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator
from scipy.optimize import isotonic_regression

from slidebench.harness.analysis.compare import compilers
from slidebench.harness.analysis.stats import Comparison, Estimate
from slidebench.harness.analysis.summary import RecordSummary
from slidebench.harness.records.schema import Record

# Colours by Okabe and Ito (2008), for colour-blind people; each has a marker and a dash, for everybody.
THEMES = {
    "light": ("#FFFFFF", "#1A1A1A", "#595959", "#E2E2E2",
              ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7")),
    "dark": ("#15181B", "#E8E8E8", "#A3A9AF", "#33383D",
             ("#FFFFFF", "#E69F00", "#56B4E9", "#009E73", "#CC79A7")),
}  # fmt: skip
MARKERS = ("o", "s", "^", "D", "v")
DASHES = ("-", "--", ":", "-.")
CACHE_DASH = (0, (2, 3))  # like none of these
WIDTH = 9.0  # inches
HEAD = 0.42
LINE = 0.17  # of small text
LONGEST = 60  # characters of a name or reason


def style(theme: str) -> Any:
    """matplotlib's settings for a theme."""
    background, text, muted, grid, colours = THEMES[theme]
    return {
        "svg.hashsalt": "slidebench",  # same data, same bytes
        "svg.fonttype": "none",
        "text.parse_math": False,  # a dollar sign in a CPU's name is a dollar sign
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica"],
        "font.size": 9,
        "axes.prop_cycle": f"cycler('color', {[colour.lower() for colour in colours]})",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.spines.left": False,
        "axes.edgecolor": grid,
        "axes.labelcolor": muted,
        "axes.titlesize": 9.5,
        "axes.titleweight": "bold",
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": grid,
        "grid.linewidth": 0.6,
        "xtick.color": grid,
        "ytick.color": grid,
        "xtick.labelcolor": muted,
        "ytick.labelcolor": text,
        "text.color": text,
        "figure.facecolor": background,
        "axes.facecolor": background,
        "hatch.color": muted,
        "hatch.linewidth": 0.5,
        "legend.frameon": False,
        "lines.linewidth": 1.2,
        "lines.markersize": 5,
    }


def muted() -> str:
    """The colour of what is said in passing, in the theme that is being drawn."""
    return str(rcParams["axes.labelcolor"])


def colour(place: int) -> str:
    return f"C{place % len(MARKERS)}"


def marker(place: int) -> str:
    return MARKERS[place % len(MARKERS)]


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


def million(rate: Estimate) -> Dot:
    """A rate in millions per second."""
    return Dot(rate.median / 1e6, rate.low / 1e6, rate.high / 1e6)


def ratio(found: Comparison) -> Dot:
    return Dot(found.ratio, found.low, found.high, found.verdict == "no difference shown")


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


def printable(text: str, longest: int = LONGEST) -> str:
    """Text from a record as one short line, what cannot be printed replaced."""
    line = "".join(
        letter if letter.isprintable() else " " if letter.isspace() else "\N{REPLACEMENT CHARACTER}"
        for letter in unicodedata.normalize("NFC", text)
    )
    return textwrap.shorten(line, longest, placeholder="…") or line[: longest - 1].strip() + "…"


def machine_line(record: Record) -> str:
    """The machine and compilers that a record's figures belong to."""
    virtual = ", virtual" if record.machine.virtualised else ""
    return printable(
        f"{record.machine.brand} ({record.machine.microarchitecture}{virtual}), {compilers(record)}", 110
    )


def basis(figures: RecordSummary, *, bars: bool = True) -> list[str]:
    """Where the figures come from, and what n and the interval are."""
    rates = figures.nodes.values()
    launches = max((rate.launches for rate in rates), default=0)
    rounds = [rate.rounds for rate in rates] or [0]
    widest = max((rate.relative_half_width for rate in rates), default=0.0)
    interval = "bars: 95 % interval" if bars else f"95 % intervals of ± {100 * widest:.1f} % or less"
    return [
        machine_line(figures.record),
        f"geometric mean of {figures.positions} positions, {printable(figures.popcount, 20)} popcount; "
        f"median of {launches} launches, {min(rounds)} to {max(rounds)} rounds; {interval}",
    ]


def left_out(count: int) -> list[str]:
    """The note on values that cannot be drawn."""
    return [f"{count} left out: not a positive number."] if count else []


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
    """Name points (name, x, y, colour) in the right margin of axes of so many inches, none on another."""
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


def caches_marked(axes: Axes, record: Record) -> None:
    """Upright lines at the sizes of the machine's data caches, on an axis of bytes."""
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
