"""slidebench published: what others measured."""

import click
from rich.table import Table

from slidebench.harness.analysis import published as reference
from slidebench.harness.verbs import options


@click.command()
@click.option("--cpu", "cpu", metavar="NAME", help="Only this microarchitecture, such as 'Zen 2'.")
@options.as_json
@options.example("slidebench published --cpu 'Zen 2'")
def command(cpu: str | None, as_json: bool) -> None:
    """List figures measured by others, each with its source and the date it was read."""
    if cpu is not None and cpu not in reference.cpus():
        raise click.BadParameter(f"nothing is published here on {cpu!r}; on {', '.join(reference.cpus())}")
    found = [figure for figure in reference.figures() if cpu in (None, figure.cpu)]
    if as_json:
        options.print_json(found)
        return
    sources = dict.fromkeys((figure.source, figure.read) for figure in found)
    numbers = {source: number for number, source in enumerate(sources, start=1)}
    table = Table("CPU", "quantity", "value", "class", "source", "note", box=None, pad_edge=False)
    for figure in found:
        table.add_row(
            figure.cpu,
            figure.quantity,
            f"{figure.value:g} {figure.unit}",
            figure.label,
            f"{numbers[figure.source, figure.read]}  {figure.where}",
            figure.note,
        )
    options.output.print(table)
    for (source, read), number in numbers.items():
        print(f"{number}  {source}, read {read}")
