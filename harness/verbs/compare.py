"""slidebench compare: records, levels or kernels against each other."""

from pathlib import Path

import click
from rich.table import Table

from slidebench.harness.compare import Cell, Sheet, kernels_sheet, levels_sheet, records_sheet
from slidebench.harness.records import read_record
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
@options.as_json
@options.example(
    "slidebench compare zen2.json haswell.json\nslidebench compare zen2.json haswell.json --by level"
)
def compare(
    records: tuple[Path, ...], by: str | None, against: str, level: str | None, as_json: bool
) -> None:
    """Compare perft nodes/s: ratios with 95 % intervals, and a verdict on each."""
    read = [read_record(path) for path in records]
    match by or ("record" if len(read) > 1 else "kernel"):
        case "record" if len(read) < 2:
            raise click.UsageError(
                "comparing records takes two or more; give another, or --by level or kernel"
            )
        case "record":
            sheet = records_sheet(read, level)
        case "level":
            sheet = levels_sheet(read)
        case _:
            sheet = kernels_sheet(read, against, level)
    if as_json:
        options.print_json(
            {
                "title": sheet.title,
                "columns": sheet.columns,
                "rows": {name: [_cell_data(cell) for cell in cells] for name, cells in sheet.rows},
                "differences": sheet.notes,
            }
        )
        return
    options.output.print(sheet_table(sheet))
    for note in sheet.notes:
        print(f"differs  {note}")


def sheet_table(sheet: Sheet) -> Table:
    """A sheet of ratios for the terminal."""
    table = Table(
        "",
        *sheet.columns,
        box=None,
        pad_edge=False,
        title=sheet.title,
        title_justify="left",
        caption_justify="left",
        caption="Ratio of perft nodes/s [95 % interval]: + faster, - slower, = no difference shown; "
        f"{sheet.comparisons} comparisons judged together (Holm, 5 %).",
    )
    for name, cells in sheet.rows:
        table.add_row(name, *(_cell_text(cell) for cell in cells))
    return table


def _cell_text(cell: Cell) -> str:
    if cell.found is None:
        return f"({cell.reason})"
    sign = {"faster": "+", "slower": "-", "no difference shown": "="}[cell.found.verdict]
    return f"{cell.found.ratio:.3f} \\[{cell.found.low:.3f} {cell.found.high:.3f}] {sign}"


def _cell_data(cell: Cell) -> dict[str, object]:
    if cell.found is None:
        return {"reason": cell.reason}
    return cell.found._asdict()
