"""slidebench plot: charts of records."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import msgspec

from slidebench.harness.analysis.compare import CompareError
from slidebench.harness.analysis.summary import RecordSummary
from slidebench.harness.files import RESULTS_HINT, write_atomically
from slidebench.harness.machine.cpu import machine_name
from slidebench.harness.machine.probes import Report
from slidebench.harness.records.reader import RecordError, read_record
from slidebench.harness.records.schema import Record
from slidebench.harness.verbs import options


@click.command()
@click.argument("files", nargs=-1, metavar="RECORD...", type=click.Path(path_type=Path))
@click.option("--chart", "name", metavar="NAME", help="Only this chart (see --list).")
@click.option("--dark", is_flag=True, help="For a dark background.")
@click.option("--list", "as_list", is_flag=True, help="List the charts and what they show.")
@options.results
@options.example(
    "slidebench plot results/runs/*/*.json\nslidebench plot here.json there.json --chart machine-ratios"
)
def command(files: tuple[Path, ...], name: str | None, dark: bool, as_list: bool, results: Path) -> None:
    """Draw charts (SVG and PNG) of records, without measuring.

    pext-latency takes what `slidebench probe pext --json` prints instead, or, as thread-time does, a JSON
    object of numbers such as {"1": 8.1, "2": 4.2}.
    """
    from slidebench.harness import charts  # noqa: PLC0415 - matplotlib takes half a second

    every: tuple[Any, ...] = (*charts.RECORD_CHARTS, *charts.RECORDS_CHARTS, *charts.SERIES_CHARTS)
    if as_list:
        for each in every:
            print(f"{each.name:<16}{each.question}\n{'':<16}{each.shows}")
        return
    if not files:
        raise click.UsageError("give records from results/runs, or --list")
    if name is not None and name not in [each.name for each in every]:
        raise click.UsageError(
            f"no chart is called {name!r}; there are {', '.join(each.name for each in every)}"
        )
    theme, folder = "dark" if dark else "light", results / "charts"
    written: list[Path] = []
    for chart in charts.SERIES_CHARTS:
        if chart.name == name:
            for file in files:
                written += _write(charts.rendered(chart, _series(file), theme), folder / name, theme)
    if name not in [chart.name for chart in charts.SERIES_CHARTS]:
        written = write_charts({path: read_record(path) for path in files}, folder, theme, name)
    if not written:
        raise RecordError(f"nothing to draw: {name or 'any chart'} needs figures that are not in these files")
    for path in written:
        print(path)


def write_charts(
    records: dict[Path, Record], folder: Path, theme: str = "light", name: str | None = None
) -> list[Path]:
    """Write every chart of the records, or the one of that name, by their files; returns the charts' files.

    Without matplotlib, a hint and no files.
    """
    try:
        from slidebench.harness import charts  # noqa: PLC0415 - takes half a second, and may be missing
    except ImportError as error:
        options.notes.print(f"no charts: {error}; pip install matplotlib, then `slidebench plot RECORD`")
        return []
    written = []
    every = {path: RecordSummary(record) for path, record in records.items()}
    for path, figures in every.items():
        machine = folder / machine_name(figures.record.machine)
        for chart in _chosen(charts.RECORD_CHARTS, name):
            written += _write(
                charts.rendered(chart, figures, theme), machine / f"{path.stem}-{chart.name}", theme
            )
    if len(records) > 1:
        for of_all in _chosen(charts.RECORDS_CHARTS, name):
            try:
                contents = charts.rendered(of_all, list(every.values()), theme)
            except CompareError as error:
                if name:
                    raise
                options.notes.print(f"no {of_all.name}: {error}", markup=False)
            else:
                written += _write(contents, folder / of_all.name, theme)
    return written


def _chosen(every: tuple[Any, ...], name: str | None) -> list[Any]:
    return [chart for chart in every if name in (None, chart.name)]


def _write(contents: dict[str, bytes], stem: Path, theme: str) -> list[Path]:
    """Write a chart in each format beside `stem`, dark ones under their own name."""
    written = []
    for format_, content in contents.items():
        path = stem.with_name(f"{stem.name}{'' if theme == 'light' else f'-{theme}'}.{format_}")
        write_atomically(path, content, RESULTS_HINT)
        written.append(path)
    return written


def _series(path: Path) -> dict[int, float | None]:
    """Numbers by whole numbers, or the PEXT latencies of a probe. Raises RecordError for anything else."""
    try:
        content = path.read_bytes()
        with suppress(msgspec.ValidationError):
            return _pext_cycles(msgspec.json.decode(content, type=Report), path)
        return msgspec.json.decode(content, type=dict[int, float | None])
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}; give a JSON object of numbers") from None
    except msgspec.DecodeError as error:
        raise RecordError(f'{path} is not a JSON object of numbers such as {{"6": 3.0}}: {error}') from None


def _pext_cycles(report: Report, path: Path) -> dict[int, float | None]:
    if report.not_valid:
        raise RecordError(f"{path}: {report.not_valid}")
    return {
        reading.mask_bits: reading.latency_cycles
        for reading in report.readings
        if reading.instruction == "pext" and reading.mask_bits is not None
    }
