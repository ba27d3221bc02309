"""The chart of any table of ratios that `slidebench compare` prints."""

from collections import Counter
from collections.abc import Sequence, Set

from matplotlib.figure import Figure

from slidebench.harness.analysis.compare import Cell, RatioTable, record_labels
from slidebench.harness.analysis.summary import RecordSummary
from slidebench.harness.charts.rows import Panel, drawn_rows
from slidebench.harness.charts.style import basis, machine_line, printable, ratio
from slidebench.kernels.catalogue import level_rank


def ratio_rows(sheet: RatioTable, records: Sequence[RecordSummary]) -> Figure | None:
    """Ratios with 95 % intervals: a row for each kernel, a panel for each column of the sheet.

    The parts of the sheet's rows are series within a row. Of several popcounts, the first record's is shown.
    A kernel without any ratio has no row if that is because a record lacks it.
    """
    of_popcount = [(row, cells) for row, cells in sheet.rows if row.popcount == records[0].popcount]
    found = {row.kernel for row, cells in of_popcount if any(cell.comparison for cell in cells)}
    lacking = _lacking(found, records)
    shown = [(row, cells) for row, cells in of_popcount if row.kernel not in lacking]
    kernels = {row.kernel for row, _ in shown}
    rows = [
        name for name in dict.fromkeys(name for each in records for name in each.kernels) if name in kernels
    ]
    parts = dict.fromkeys(row.part for row, _ in shown)
    series = sorted(parts, key=level_rank)  # records, which are no levels, keep their order
    notes = [
        f"Hollow: no difference shown; {sheet.comparisons} comparisons judged together (Holm, 5 %).",
        *(
            f"Rows left out, for want of a figure from {printable(labels, 100)}: {count}."
            for labels, count in Counter(lacking.values()).items()
        ),
        *(f"Differs: {printable(note, 230)}." for note in sheet.notes),
    ]
    return drawn_rows(
        basis(records[0]) if len(records) == 1 else _basis(sheet, records),
        rows,
        series,
        [
            _panel(column, {(row.kernel, row.part): cells[place] for row, cells in shown})
            for place, column in enumerate(sheet.columns)
        ],
        legend=sheet.parts if len(series) > 1 else "",
        reference=1.0,
        notes=notes,
    )


def _lacking(found: Set[str], records: Sequence[RecordSummary]) -> dict[str, str]:
    """The kernels that are not `found` and that some record lacks: the labels of those records."""
    named = list(zip(record_labels([each.record for each in records]), records, strict=True))
    lacking = {
        kernel: " and ".join(label for label, each in named if kernel not in each.kernels)
        for kernel in dict.fromkeys(name for each in records for name in each.kernels)
        if kernel not in found
    }
    return {kernel: labels for kernel, labels in lacking.items() if labels}


def _panel(title: str, cells: dict[tuple[str, str], Cell]) -> Panel:
    return Panel(
        printable(title, 40),
        "times as fast",
        {key: ratio(cell.comparison) for key, cell in cells.items() if cell.comparison},
        {key: cell.reason for key, cell in cells.items() if not cell.comparison},
    )


def _basis(sheet: RatioTable, records: Sequence[RecordSummary]) -> list[str]:
    """Which machine and compiler each label stands for, and what the ratios are of."""
    labels = record_labels([each.record for each in records])
    launches = min((rate.launches for each in records for rate in each.nodes.values()), default=0)
    return [
        *(
            f"{printable(label, 40)}: {machine_line(each.record)}"
            for label, each in zip(labels, records, strict=True)
        ),
        f"ratio of perft nodes/s to {printable(sheet.base, 40)}, {printable(records[0].popcount, 20)} "
        f"popcount; medians of {launches} launches or more; bars: 95 % interval",
    ]
