"""Charts of perft nodes/s within one record."""

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from slidebench.harness.analysis.compare import levels_table
from slidebench.harness.analysis.summary import RecordSummary
from slidebench.harness.charts.captions import million, perft_basis
from slidebench.harness.charts.frame import framed, left_out, printable
from slidebench.harness.charts.ratios import ratio_rows
from slidebench.harness.charts.rows import Panel, drawn_rows
from slidebench.harness.charts.theme import muted
from slidebench.kernels import Choice


def nodes_by_level(figures: RecordSummary) -> Figure | None:
    """Perft nodes/s of each kernel at each level, with 95 % intervals."""
    dots, blanks = {}, {}
    for kernel in figures.kernels:
        for level in figures.levels:
            choice = Choice(kernel, level, figures.popcount)
            if rate := figures.nodes.get(choice):
                dots[kernel, level] = million(rate)
            else:
                blanks[kernel, level] = figures.reason(choice)
    panel = Panel("", "million perft nodes per second, one thread, bulk counted", dots, blanks)
    # Linear, however slow the slowest: the fast ones are those to tell apart.
    return drawn_rows(
        perft_basis(figures), figures.kernels, figures.levels, [panel], legend="x86-64 level", log=False
    )


def gain_by_level(figures: RecordSummary) -> Figure | None:
    """How many times as fast each kernel is at each level as at the one below."""
    return ratio_rows(levels_table([figures.record]), [figures])


def heat_map(figures: RecordSummary) -> Figure | None:
    """Perft nodes/s as a field of kernels and levels; hatched where there is none."""
    rates = {
        (choice.kernel, choice.level): rate.median / 1e6
        for choice, rate in figures.nodes.items()
        if choice.popcount == figures.popcount
    }
    values = {cell: value for cell, value in rates.items() if np.isfinite(value) and value > 0}
    if not values:
        return None
    kernels, levels = figures.kernels, figures.levels
    reasons = {
        (kernel, level): printable(figures.reason(Choice(kernel, level, figures.popcount)), 100)
        for kernel in kernels
        for level in levels
        if (kernel, level) not in values
    }
    letters = {reason: chr(ord("a") + place) for place, reason in enumerate(dict.fromkeys(reasons.values()))}
    notes = [f"{letter}: {reason}." for reason, letter in letters.items()]
    figure = framed(
        0.85 + 0.24 * max(len(kernels), 2),
        perft_basis(figures, _intervals(figures)),
        [*notes, *left_out(len(rates) - len(values))],
    )
    axes = figure.subplots()
    norm, colours = Normalize(0, max(values.values())), colormaps["cividis"]
    for row, kernel in enumerate(kernels):
        for column, level in enumerate(levels):
            cell = (kernel, level)
            corner = (column - 0.5, row - 0.5)
            if cell in values:
                shade = norm(values[cell])
                axes.add_patch(Rectangle(corner, 1, 1, facecolor=colours(shade), edgecolor="none"))
                text, ink = f"{values[cell]:.0f}", "#000000" if shade > 0.55 else "#FFFFFF"
            else:
                axes.add_patch(
                    Rectangle(corner, 1, 1, facecolor="none", edgecolor=muted(), hatch="////", linewidth=0)
                )
                text, ink = letters[reasons[cell]], ""
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


def _intervals(figures: RecordSummary) -> str:
    widest = max((rate.relative_half_width for rate in figures.nodes.values()), default=0.0)
    return f"95 % intervals of ± {100 * widest:.1f} % or less"
