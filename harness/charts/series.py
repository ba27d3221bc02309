"""Charts of plain series: what probes of an instruction or of threads measured."""

import math
from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from slidebench.harness.charts.frame import framed, left_out, scaled
from slidebench.harness.charts.theme import colour, marker, muted

Series = Mapping[int, float | None]


def pext_latency(cycles: Series) -> Figure | None:
    """Cycles until the result of a PEXT can be used, by the number of bits in its mask."""
    return _drawn(cycles, "bits in the mask (relevant masks have 5 to 12)", "core cycles of latency")


def thread_time(seconds: Series) -> Figure | None:
    """Seconds for the same work by number of threads, beside a perfect division of it."""
    figure = _drawn(seconds, "threads", "seconds for the same work", log=True)
    if figure:
        axes = figure.axes[0]
        drawable = _drawable(seconds)
        first = min(drawable)
        ideal = [drawable[first] * first / threads for threads in sorted(drawable)]
        axes.plot(sorted(drawable), ideal, "--", color=muted(), label="perfectly divided", zorder=1)
        scaled(axes.yaxis, [*drawable.values(), *ideal], log=True)
        axes.legend(loc="upper right")
    return figure


def _drawn(values: Series, abscissa: str, ordinate: str, *, log: bool = False) -> Figure | None:
    drawable = _drawable(values)
    if not drawable:
        return None
    subtitle = [f"{len(drawable)} points; each a least or a median, without interval"]
    figure = framed(3.6, subtitle, left_out(len(values) - len(drawable)))
    axes: Axes = figure.subplots()
    places = sorted(drawable)
    axes.plot(
        places,
        [drawable[place] for place in places],
        marker(2),
        color=colour(2),
        linestyle="-",
        label="measured",
    )
    if log:
        axes.set_xscale("log", base=2)
    axes.set_xticks(places, [f"{place}" for place in places])
    axes.minorticks_off()
    scaled(axes.yaxis, drawable.values(), log=log)
    axes.set_xlabel(abscissa)
    axes.set_ylabel(ordinate)
    return figure


def _drawable(values: Series) -> dict[int, float]:
    """The positive numbers; a probe may hold null or NaN where it failed."""
    return {
        place: value
        for place, value in values.items()
        if isinstance(value, int | float) and math.isfinite(value) and value > 0
    }
