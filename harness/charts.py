"""Charts of records, each answering the question in its title. No display is needed."""

from collections.abc import Callable
from io import BytesIO
from itertools import cycle
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from slidebench.harness.records import Record
from slidebench.harness.stats import Rate, levels_of, perft_rates

# Lowest level first. Colours by Okabe and Ito (2008), for colour-blind people; markers for everybody.
LEVEL_STYLES = (
    ("#000000", "o"), ("#D55E00", "s"), ("#0072B2", "^"), ("#009E73", "D"), ("#CC79A7", "v"),
)  # fmt: skip
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "slidebench",  # same data, same bytes
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "x",
    "grid.color": "#DDDDDD",
}


def nodes_by_level(record: Record) -> Figure:
    """Perft nodes/s of each kernel at each level, with 95 % intervals; missing levels are named."""
    rates = perft_rates(record)
    rows: dict[str, dict[str, Rate]] = {}
    for (kernel, popcount, level), rate in rates.items():
        name = kernel if popcount == "builtin" else f"{kernel}, {popcount} popcount"
        rows.setdefault(name, {})[level] = rate
    names = sorted(rows, key=lambda name: max(rate.median for rate in rows[name].values()))
    figure = Figure(figsize=(9, 1.9 + 0.42 * len(names)), layout="constrained")
    axes = figure.subplots()
    levels = levels_of(rates)
    for level, (colour, marker) in zip(levels, cycle(LEVEL_STYLES), strict=False):
        present = [(place, rows[name][level]) for place, name in enumerate(names) if level in rows[name]]
        axes.errorbar(
            [rate.median / 1e6 for _, rate in present],
            [place + _offset(levels, level) for place, _ in present],
            xerr=[
                [(rate.median - rate.low) / 1e6 for _, rate in present],
                [(rate.high - rate.median) / 1e6 for _, rate in present],
            ],
            fmt=marker, color=colour, markersize=6, capsize=2, linewidth=1, label=level,
        )  # fmt: skip
    for place, name in enumerate(names):
        missing = [level for level in levels if level not in rows[name]]
        if missing:
            axes.annotate(
                f"no {', '.join(missing)}", (0, place), (4, 0), textcoords="offset points", va="center",
                fontsize=8, color="#666666", style="italic",
            )  # fmt: skip
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.set_xlim(left=0)
    axes.set_xlabel("million perft nodes per second (one thread, bulk counted)")
    axes.legend(title="x86-64 level", loc="lower right", framealpha=1)
    launches = max((rate.launches for rate in rates.values()), default=0)
    rounds = min((rate.rounds for rate in rates.values()), default=0)
    figure.suptitle("Which kernel counts the most nodes per second?", fontweight="bold", x=0.01, ha="left")
    axes.set_title(
        f"{record.machine.brand} ({record.machine.microarchitecture}"
        f"{', virtual' if record.machine.virtualised else ''}), {_compilers(record)}\n"
        f"geometric mean of {_positions(record)} positions; median of {launches} launches, "
        f"{rounds} rounds or more; bars: 95 % interval",
        fontsize=9, loc="left",
    )  # fmt: skip
    return figure


CHARTS: dict[str, Callable[[Record], Figure]] = {"nodes-by-level": nodes_by_level}


def rendered(draw: Callable[[Record], Figure], record: Record) -> dict[str, bytes]:
    """A chart as file contents by format: svg and png. Equal records give equal bytes."""
    metadata: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "png": {"Software": None}}
    files = {}
    with rc_context(STYLE):
        figure = draw(record)
        for format_, fixed in metadata.items():
            content = BytesIO()
            figure.savefig(content, format=format_, dpi=150, metadata=fixed)
            files[format_] = content.getvalue()
    return files


def _offset(levels: list[str], level: str) -> float:
    """Levels of one kernel a little above each other, so that equal values do not hide each other."""
    return 0.5 * (levels.index(level) - (len(levels) - 1) / 2) / max(len(levels), 1)


def _compilers(record: Record) -> str:
    return ", ".join(sorted({build.compiler for build in record.builds}))


def _positions(record: Record) -> int:
    return len({samples.workload for samples in record.samples if samples.workload.startswith("perft ")})
