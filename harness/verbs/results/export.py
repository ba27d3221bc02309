"""slidebench export: a record on its way to another machine or program."""

from pathlib import Path

import click

from slidebench.harness.analysis.exchange import FORMATS
from slidebench.harness.files import write_atomically
from slidebench.harness.records.reader import read_record
from slidebench.harness.verbs import options


@click.command()
@click.argument("record", metavar="RECORD", type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="json", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File to write.  [default: print]")
@options.example("slidebench export results/runs/zen5-f69d46/record.json --format csv -o record.csv")
def command(record: Path, format_: str, output: Path | None) -> None:
    """Write a record for another machine or program.

    A record holds nothing about its owner: no host, user or path. json is the record itself.
    """
    text = FORMATS[format_](read_record(record))
    if output:
        write_atomically(output, text.encode(), "choose another -o")
    else:
        print(text, end="" if text.endswith("\n") else "\n")
