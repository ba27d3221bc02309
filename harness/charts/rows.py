"""Dot plots with a row for each kernel: readable with one row and with fifty."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from slidebench.harness.charts.frame import Dot, bars, framed, left_out, printable, scaled
from slidebench.harness.charts.theme import colour, marker, muted

LONGEST_REASON = 44


class Panel(NamedTuple):
    """One plot: dots by (row, series), and the reason for each that is missing."""

    title: str
    unit: str
    dots: Mapping[tuple[str, str], Dot]
    blanks: Mapping[tuple[str, str], str]


def drawn_rows(
    subtitle: Sequence[str],
    rows: Sequence[str],
    series: Sequence[str],
    panels: Sequence[Panel],
    *,
    legend: str = "",
    reference: float | None = None,
    log: bool | None = None,
    notes: Sequence[str] = (),
) -> Figure | None:
    """Panels side by side over common rows; None if there is no dot in any.

    A missing dot is a cross at the left edge; the reason stands beside the row where there is room, else at
    the foot. All panels have one scale; it is logarithmic where dots are ratios to a `reference`, or as `log`
    says, or else where dots differ much.
    """
    dots = [dot for panel in panels for dot in panel.dots.values()]
    if not any(dot.drawable for dot in dots):
        return None
    panels, everywhere = _without_common_blanks(panels, series)
    row_height = 0.2 + 0.045 * (len(series) - 1)
    height = 0.75 + row_height * max(len(rows), 2)
    notes = [*notes, *everywhere, *_reasons(panels, series), *left_out(sum(not dot.drawable for dot in dots))]
    figure = framed(height, subtitle, notes, (_handles(series), legend) if legend else None)
    all_axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    ends = [value for dot in dots if dot.drawable for value in (dot.low, dot.high)]
    for panel, axes in zip(panels, all_axes, strict=True):
        _draw(axes, panel, rows, series, reference)
        scaled(axes.xaxis, [*ends, *([reference] if reference else [])], log=bool(reference) or log)
        for row in rows:
            _explain(axes, panel, rows.index(row), row, series, alone=len(panels) == 1)
    all_axes[0].set_yticks(range(len(rows)), [printable(row, 40) for row in rows])
    all_axes[0].set_ylim(len(rows) - 0.4, -0.6)
    return figure


def _draw(
    axes: Axes, panel: Panel, rows: Sequence[str], series: Sequence[str], reference: float | None
) -> None:
    for place in range(0, len(rows), 2):
        axes.axhspan(place - 0.5, place + 0.5, color=muted(), alpha=0.07, linewidth=0)
    for number, each in enumerate(series):
        offset = 0.68 * (number - (len(series) - 1) / 2) / max(len(series), 1)
        for place, row in enumerate(rows):
            dot = panel.dots.get((row, each))
            if dot and dot.drawable:
                axes.errorbar(
                    dot.value, place + offset, xerr=bars([dot]),
                    fmt=marker(number), color=colour(number), elinewidth=1, markersize=4.5,
                    markerfacecolor="none" if dot.hollow else colour(number),
                )  # fmt: skip
            elif (row, each) in panel.blanks and len(series) > 1:
                axes.plot(
                    0.012, place + offset, "x", transform=axes.get_yaxis_transform(), color=colour(number),
                    markersize=3.5, alpha=0.8,
                )  # fmt: skip
    if reference:
        axes.axvline(reference, color=muted(), linewidth=1)
    axes.set_xlabel(panel.unit)
    axes.set_title(panel.title, loc="left")
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)


def _explain(axes: Axes, panel: Panel, place: int, row: str, series: Sequence[str], *, alone: bool) -> None:
    """Why series of a row are missing: in the right margin of a single panel, or inside an empty row."""
    missing = [(each, panel.blanks[row, each]) for each in series if (row, each) in panel.blanks]
    if not missing or not (alone or not any((row, each) in panel.dots for each in series)):
        return
    groups = [(reason, [each for each, _ in group]) for reason, group in groupby(missing, itemgetter(1))]
    named = [
        reason if len(group) == len(series) else f"{_listed(group, series)}: {reason}"
        for reason, group in groups
    ]
    axes.annotate(
        printable("; ".join(named), LONGEST_REASON), (1 if alone else 0.14, place), (4, 0),
        xycoords=axes.get_yaxis_transform(), textcoords="offset points", va="center", fontsize=7.5,
        color=muted(), style="italic", annotation_clip=False,
    )  # fmt: skip


def _listed(names: Sequence[str], series: Sequence[str]) -> str:
    """Names of series as text: v1, v2; or v1 to v3, if they follow each other."""
    first, last = series.index(names[0]), series.index(names[-1])
    return f"{names[0]} to {names[-1]}" if last - first + 1 == len(names) > 2 else ", ".join(names)


def _reasons(panels: Sequence[Panel], series: Sequence[str]) -> list[str]:
    """A foot note for crosses that have no reason beside them."""
    unexplained = {
        reason
        for panel in panels
        for (row, _), reason in panel.blanks.items()
        if len(panels) > 1 and any((row, each) in panel.dots for each in series)
    }
    cross = "Cross: no figure" if any(panel.blanks for panel in panels) and len(series) > 1 else ""
    if unexplained:
        return [f"{cross or 'No figure'}: {printable('; '.join(sorted(unexplained)), 220)}."]
    return [f"{cross}, for the reason beside it."] if cross else []


def _without_common_blanks(panels: Sequence[Panel], series: Sequence[str]) -> tuple[list[Panel], list[str]]:
    """The panels without blanks that a series has in every row, and a note on each of those."""
    kept, notes = [], []
    for panel in panels:
        blanks = dict(panel.blanks)
        for each in series:
            reasons = [reason for (_, name), reason in blanks.items() if name == each]
            if (
                len(reasons) > 1
                and len(set(reasons)) == 1
                and not any(name == each for _, name in panel.dots)
            ):
                blanks = {key: reason for key, reason in blanks.items() if key[1] != each}
                where = f"{panel.title}, " if panel.title and len(panels) > 1 else ""
                notes.append(f"{where}{each or 'all'}: {printable(reasons[0], 100)}.")
        kept.append(panel._replace(blanks=blanks))
    return kept, notes


def _handles(series: Sequence[str]) -> list[Line2D]:
    return [
        Line2D([], [], marker=marker(place), color=colour(place), linestyle="", label=printable(each, 40))
        for place, each in enumerate(series)
    ]
