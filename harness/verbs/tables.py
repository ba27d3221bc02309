"""The figures of a record as a table for the terminal."""

from rich.markup import escape
from rich.table import Column, Table

from slidebench.harness.analysis.stats import Estimate, levels_of, perft_rates
from slidebench.harness.records.schema import Record


def rate_table(record: Record) -> Table:
    """Nodes/s by kernel and level, fastest kernel first; in the last column every move is made."""
    rates = perft_rates(record)
    levels = levels_of(rates)
    made = {
        (choice.kernel, choice.popcount): _text(rate)
        for choice, rate in perft_rates(record, bulk=False).items()
    }
    rows: dict[tuple[str, str], dict[str, str]] = {}
    best: dict[tuple[str, str], float] = {}
    for choice, rate in rates.items():
        row = (choice.kernel, choice.popcount)
        rows.setdefault(row, {})[choice.level] = _text(rate)
        best[row] = max(best.get(row, 0.0), rate.median)
    launches = max((rate.launches for rate in rates.values()), default=0)
    rounds = [rate.rounds for rate in rates.values()] or [0]
    table = Table(
        Column("kernel", no_wrap=True),
        "popcount",
        *map(escape, levels),
        *(["made"] if made else []),
        box=None,
        pad_edge=False,
        title=f"Million perft nodes/s, one thread, bulk counted, on {escape(record.machine.brand)}",
        caption=f"Geometric mean of the positions; median of {launches} launches ± half the 95 % interval "
        f"(bootstrap over launches and {min(rounds)} to {max(rounds)} rounds)."
        + (f" made: not bulk counted, at {escape(levels[-1])}." if made and levels else ""),
        title_justify="left",
        caption_justify="left",
    )
    for row in sorted(rows, key=lambda each: -best[each]):
        cells = [rows[row].get(level, "-") for level in levels]
        table.add_row(*map(escape, row), *cells, *([made.get(row, "-")] if made else []))
    return table


def _text(rate: Estimate) -> str:
    return f"{rate.median / 1e6:.0f} ± {100 * rate.relative_half_width:.1f} %"
