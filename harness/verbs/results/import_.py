"""slidebench import: records from other machines."""

from pathlib import Path

import click

from slidebench.harness.analysis.exchange import import_record
from slidebench.harness.verbs import options


@click.command("import")
@click.argument("records", nargs=-1, required=True, metavar="RECORD...", type=click.Path(path_type=Path))
@options.results
@options.example("slidebench import from-a-friend.json")
def command(records: tuple[Path, ...], results: Path) -> None:
    """Check records from other machines and file them under results/runs/<machine>/."""
    for record in records:
        print(import_record(record, results))
