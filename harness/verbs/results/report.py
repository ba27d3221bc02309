"""slidebench report: a static site of records."""

from pathlib import Path

import click

from slidebench.harness.records.reader import RecordError, read_record
from slidebench.harness.records.store import runs
from slidebench.harness.verbs import options


@click.command()
@click.argument("records", nargs=-1, metavar="[RECORD...]", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("site"), show_default=True,
    help="Folder to write.",
)  # fmt: skip
@options.results
@options.example("slidebench report -o site\nslidebench report zen2.json haswell.json -o site")
def command(records: tuple[Path, ...], output: Path, results: Path) -> None:
    """Write a static site: recommendation, figures, charts, kernels, machines, claims, method, records.

    Without RECORD, of all records in results/runs. It needs no network: open index.html, or publish the
    folder.
    """
    try:
        from slidebench.harness.report import site, write_site  # noqa: PLC0415 - templates are an extra
    except ModuleNotFoundError as error:
        raise click.UsageError(f"{error}; pip install 'slidebench[report]'") from None
    paths = records or tuple(sorted(runs(results).glob("*/*.json")))
    if not paths:
        raise RecordError(f"no records in {results / 'runs'}; make one with `slidebench run`")
    files = site([read_record(path) for path in paths])
    total = write_site(files, output)
    print(f"{output / 'index.html'}  ({len(files)} files, {total / 1e6:.1f} MB)")
