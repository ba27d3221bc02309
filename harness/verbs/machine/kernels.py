"""slidebench kernels: what this machine can run."""

import click
from rich.table import Table

from slidebench import kernels as available_kernels
from slidebench.harness.verbs import options


@click.command()
@options.kernel_filter
@options.level
@options.as_json
@options.example("slidebench kernels --kernel pext")
def command(kernel: str | None, level: str | None, as_json: bool) -> None:
    """List every kernel at every level: available, or why not."""
    rows = []
    for name in (kernel,) if kernel else available_kernels.names():
        source = available_kernels.describe(name)
        for each_level in (level,) if level else available_kernels.levels():
            why_not = available_kernels.why_not(name, each_level)
            rows.append(
                {
                    "kernel": name,
                    "level": each_level,
                    "available": why_not is None,
                    "why_not": why_not,
                    "table_bytes": None if why_not else available_kernels.load(name, each_level).table_bytes,
                    "needs": source.needs,
                    "answers": source.answers,
                    "title": source.title,
                    "author": source.author,
                    "year": source.year,
                    "source": source.source,
                }
            )
    if as_json:
        options.print_json(rows)
        return
    cells = []
    for row in rows:
        first = row["level"] == rows[0]["level"]
        cells.append(
            (
                str(row["kernel"]) if first else "",
                str(row["level"]),
                f"{row['table_bytes']:,} bytes".replace(",", " ") if row["table_bytes"] is not None else "",
                str(row["needs"]) if first else "",
                "yes" if row["available"] else f"no: {row['why_not']}",
                f"{row['author']}, {row['year']}" if first else "",
            )
        )
    table = Table(box=None, pad_edge=False)
    for place, column in enumerate(("kernel", "level", "tables")):
        width = max(len(row[place]) for row in cells)
        table.add_column(column, min_width=width, justify="right" if column == "tables" else "left")
    table.add_column("needs", min_width=5)
    table.add_column("available", min_width=10)
    table.add_column("devised by", min_width=16)
    for line in cells:
        table.add_row(*line)
    options.print_table(table)
