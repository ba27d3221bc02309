"""slidebench plot: charts of records."""

from pathlib import Path

import click

from slidebench.harness.cpu import machine_name
from slidebench.harness.records import Record, read_record, write_atomically
from slidebench.harness.verbs import options


@click.command()
@click.argument("records", nargs=-1, required=True, metavar="RECORD...", type=click.Path(path_type=Path))
@options.results
@options.example("slidebench plot results/runs/*/*.json")
def plot(records: tuple[Path, ...], results: Path) -> None:
    """Draw charts (SVG and PNG) of records, without measuring."""
    for chart in write_charts({path: read_record(path) for path in records}, results / "charts"):
        print(chart)


def write_charts(records: dict[Path, Record], folder: Path) -> list[Path]:
    """Write every chart of every record, by its file; returns the charts' files.

    Without matplotlib, a hint and no files.
    """
    try:
        from slidebench.harness import charts  # noqa: PLC0415 - takes half a second, and may be missing
    except ImportError as error:
        options.notes.print(f"no charts: {error}; pip install matplotlib, then `slidebench plot RECORD`")
        return []
    written = []
    for file, record in records.items():
        for name, draw in charts.CHARTS.items():
            for format_, content in charts.rendered(draw, record).items():
                path = folder / machine_name(record.machine) / f"{file.stem}-{name}.{format_}"
                write_atomically(path, content)
                written.append(path)
    return written
