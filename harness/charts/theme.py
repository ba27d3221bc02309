"""Themes: colours, marks and matplotlib's settings."""

from typing import Any, NamedTuple

from matplotlib import rcParams


class Theme(NamedTuple):
    """Colours of a chart; `series` are those of its series, in order."""

    background: str
    text: str
    muted: str
    grid: str
    series: tuple[str, ...]


# Colours by Okabe and Ito (2008), for colour-blind people; each has a marker and a dash, for everybody.
THEMES = {
    "light": Theme("#FFFFFF", "#1A1A1A", "#595959", "#E2E2E2",
                   ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7")),
    "dark": Theme("#15181B", "#E8E8E8", "#A3A9AF", "#33383D",
                  ("#FFFFFF", "#E69F00", "#56B4E9", "#009E73", "#CC79A7")),
}  # fmt: skip
MARKERS = ("o", "s", "^", "D", "v")
DASHES = ("-", "--", ":", "-.")


def style(theme: str) -> Any:
    """matplotlib's settings for a theme."""
    background, text, muted, grid, series = THEMES[theme]
    return {
        "svg.hashsalt": "slidebench",  # same data, same bytes
        "svg.fonttype": "none",
        "text.parse_math": False,  # a dollar sign in a CPU's name is a dollar sign
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica"],
        "font.size": 9,
        "axes.prop_cycle": f"cycler('color', {[colour.lower() for colour in series]})",
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
    """The current theme's colour for secondary text."""
    return str(rcParams["axes.labelcolor"])


def colour(number: int) -> str:
    """The colour of a series by its number; colours repeat."""
    return f"C{number % len(MARKERS)}"


def marker(number: int) -> str:
    """The marker of a series by its number; markers repeat."""
    return MARKERS[number % len(MARKERS)]


def dash(number: int) -> str:
    """The dash of a series by its number: a new one each time that markers repeat."""
    return DASHES[number // len(MARKERS) % len(DASHES)]
