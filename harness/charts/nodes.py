"""Charts of perft nodes/s within one record."""

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from slidebench.harness.charts.ratios import ratio_rows
from slidebench.harness.charts.rows import Panel, drawn_rows
from slidebench.harness.charts.style import basis, framed, left_out, million, muted, printable
from slidebench.harness.compare import levels_sheet
from slidebench.harness.figures import Figures


def nodes_by_level(figures: Figures) -> Figure | None:
    """Perft nodes/s of each kernel at each level, with 95 % intervals."""
    dots, blanks = {}, {}
    for kernel in figures.kernels:
        for level in figures.levels:
            key = (kernel, figures.popcount, level)
            if rate := figures.nodes.get(key):
                dots[kernel, level] = million(rate)
            else:
                blanks[kernel, level] = figures.reason(key)
    panel = Panel("", "million perft nodes per second, one thread, bulk counted", dots, blanks)
    # Linear, however slow the slowest: the fast ones are those to tell apart.
    return drawn_rows(
        basis(figures), figures.kernels, figures.levels, [panel], legend="x86-64 level", log=False
    )


def gain_by_level(figures: Figures) -> Figure | None:
    """How many times as fast each kernel is at each level as at the one below."""
    return ratio_rows(levels_sheet([figures.record]), [figures])


def heat_map(figures: Figures) -> Figure | None:
    """Perft nodes/s as a field of kernels and levels; hatched where there is none."""
    rates = {key: rate.median / 1e6 for key, rate in figures.nodes.items() if key[1] == figures.popcount}
    values = {key: value for key, value in rates.items() if np.isfinite(value) and value > 0}
    if not values:
        return None
    kernels, levels = figures.kernels, figures.levels
    reasons = {
        (kernel, figures.popcount, level): printable(figures.reason((kernel, figures.popcount, level)), 100)
        for kernel in kernels
        for level in levels
        if (kernel, figures.popcount, level) not in values
    }
    letters = {reason: chr(ord("a") + place) for place, reason in enumerate(dict.fromkeys(reasons.values()))}
    notes = [f"{letter}: {reason}." for reason, letter in letters.items()]
    figure = framed(
        0.85 + 0.24 * max(len(kernels), 2),
        basis(figures, bars=False),
        [*notes, *left_out(len(rates) - len(values))],
    )
    axes = figure.subplots()
    norm, colours = Normalize(0, max(values.values())), colormaps["cividis"]
    for row, kernel in enumerate(kernels):
        for column, level in enumerate(levels):
            key = (kernel, figures.popcount, level)
            corner = (column - 0.5, row - 0.5)
            if key in values:
                shade = norm(values[key])
                axes.add_patch(Rectangle(corner, 1, 1, facecolor=colours(shade), edgecolor="none"))
                text, ink = f"{values[key]:.0f}", "#000000" if shade > 0.55 else "#FFFFFF"
            else:
                axes.add_patch(
                    Rectangle(corner, 1, 1, facecolor="none", edgecolor=muted(), hatch="////", linewidth=0)
                )
                text, ink = letters[reasons[key]], ""
            axes.text(
                column, row, text, ha="center", va="center", fontsize=8, color=ink or None,
                bbox=None if ink else {"facecolor": figure.get_facecolor(), "edgecolor": "none", "pad": 1.5},
            )  # fmt: skip
    axes.set_xticks(range(len(levels)), [printable(level, 12) for level in levels])
    axes.set_yticks(range(len(kernels)), [printable(kernel, 40) for kernel in kernels])
    axes.set_xlim(-0.5, len(levels) - 0.5)
    axes.set_ylim(len(kernels) - 0.5, -0.5)
    axes.set_xlabel("million perft nodes per second at each x86-64 level")
    axes.xaxis.set_label_position("top")
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    return figure
