"""slidebench compare: records, levels or kernels against each other."""

from collections.abc import Sequence
from pathlib import Path

import click
from rich.markup import escape
from rich.table import Table

from slidebench.harness.analysis.compare import (
    Cell,
    CompareError,
    RatioTable,
    kernels_table,
    levels_table,
    records_table,
)
from slidebench.harness.analysis.summary import RecordSummary
from slidebench.harness.files import write_atomically
from slidebench.harness.records.reader import RecordError, read_record
from slidebench.harness.records.schema import Record
from slidebench.harness.verbs import options


@click.command()
@click.argument("records", nargs=-1, required=True, metavar="RECORD...", type=click.Path(path_type=Path))
@click.option(
    "--by",
    type=click.Choice(["record", "level", "kernel"]),
    help="What to compare.  [default: record, or kernel where there is one record]",
)
@click.option("--against", default="magic_fancy", show_default=True, help="Base kernel of --by kernel.")
@options.level
@click.option(
    "-o",
    "--output",
    "chart",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also draw a chart: .svg or .png.",
)
@options.as_json
@options.example(
    "slidebench compare zen2.json haswell.json -o zen2-haswell.svg\n"
    "slidebench compare zen2.json haswell.json --by level"
)
def command(
    records: tuple[Path, ...],
    by: str | None,
    against: str,
    level: str | None,
    chart: Path | None,
    as_json: bool,
) -> None:
    """Compare perft nodes/s: ratios with 95 % intervals, and a verdict on each."""
    if chart and chart.suffix not in (".svg", ".png"):
        raise click.BadParameter(
            f"invalid chart file {chart}: expected a name ending in .svg or .png", param_hint="--output"
        )
    read = [read_record(path) for path in records]
    match by or ("record" if len(read) > 1 else "kernel"):
        case "record" if len(read) < 2:
            raise click.UsageError(
                "comparing records takes two or more; give another, or --by level or kernel"
            )
        case "record":
            sheet = records_table(read, level)
        case "level":
            sheet = levels_table(read, level)
        case _:
            sheet = kernels_table(read, against, level)
    if not sheet.rows:
        raise CompareError("nothing to compare: the records have too few kernels or levels; give others")
    if chart:
        _draw(sheet, read, chart)
    if as_json:
        options.print_json(
            {
                "title": sheet.title,
                "columns": sheet.columns,
                "rows": {str(row): [_cell_data(cell) for cell in cells] for row, cells in sheet.rows},
                "differences": sheet.notes,
            }
        )
        return
    options.print_table(ratio_table(sheet))
    for note in sheet.notes:
        print(f"differs  {note}")


def _draw(sheet: RatioTable, records: Sequence[Record], path: Path) -> None:
    """Write the sheet's chart. Raises RecordError if it has no ratio, or the file cannot be written."""
    from slidebench.harness import charts  # noqa: PLC0415 - matplotlib takes half a second

    drawn = charts.rendered(
        charts.comparison(sheet), [RecordSummary(record) for record in records], formats=[path.suffix[1:]]
    )
    if not drawn:
        raise RecordError(f"nothing to draw in {path}: no two figures can be compared")
    for content in drawn.values():
        write_atomically(path, content, "choose another --output")


def ratio_table(sheet: RatioTable) -> Table:
    """A sheet of ratios for the terminal."""
    table = Table(
        "",
        *map(escape, sheet.columns),
        box=None,
        pad_edge=False,
        title=escape(sheet.title),
        title_justify="left",
        caption_justify="left",
        caption="Ratio of perft nodes/s [95 % interval]: + faster, - slower, = no difference shown; "
        f"{sheet.comparisons} comparisons judged together (Holm, 5 %).",
    )
    for row, cells in sheet.rows:
        table.add_row(escape(str(row)), *(_cell_text(cell) for cell in cells))
    return table


def _cell_text(cell: Cell) -> str:
    if cell.comparison is None:
        return escape(f"({cell.reason})")
    verdict = cell.comparison
    return f"{verdict.ratio:.3f} \\[{verdict.low:.3f} {verdict.high:.3f}] {verdict.sign}"


def _cell_data(cell: Cell) -> dict[str, object]:
    if cell.comparison is None:
        return {"reason": cell.reason}
    return cell.comparison._asdict()
