"""slidebench model: what a static pipeline model says of CPUs that are not here."""

from typing import TYPE_CHECKING

import click
from rich.table import Column, Table

from slidebench import kernels
from slidebench.harness.verbs import options
from slidebench.kernels.catalogue import BUILTIN

if TYPE_CHECKING:
    from slidebench.harness.code.model import Estimate, Model


@click.command()
@click.option(
    "--target",
    "targets",
    default="haswell,znver2,znver3,znver4",
    show_default=True,
    metavar="TARGET,...",
    help="CPUs to model, by their LLVM names.",
)
@options.kernel_filter
@click.option("--level", type=click.Choice(kernels.levels()), default="v3", show_default=True)
@click.option("--query", type=click.Choice(kernels.PIECES), default="rook", show_default=True)
@options.as_json
@options.example("slidebench model --target haswell,znver2 --kernel magic_fancy")
def command(targets: str, kernel: str | None, level: str, query: str, as_json: bool) -> None:
    """Model the cycles of an attack query with llvm-mca 19, beside a measurement here.

    The loops are those of the built modules. A model is static: loads hit the nearest cache, and no branch is
    mispredicted.
    """
    try:
        from slidebench.harness.code import model as models  # noqa: PLC0415 - needs what an extra installs
    except ImportError as error:
        raise click.ClickException(f"{error}; pip install 'slidebench[audit]'") from None
    given = [kernels.Choice(kernels.describe(kernel).name, level, BUILTIN)] if kernel else []
    choices = given or kernels.Selection(level=level, popcount=BUILTIN).built()
    try:
        found = models.model([name.strip() for name in targets.split(",")], choices, query)
    except models.ModelError as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        options.print_json(found)
    else:
        _print(found, choices)


def _print(found: "Model", choices: list[kernels.Choice]) -> None:
    """A table of all estimates, and the reasons for its blanks below."""
    columns = list(dict.fromkeys(estimate.cpu for estimate in found.modelled))
    table = Table(
        *(Column(name, no_wrap=True) for name in ("kernel", "order")),
        *columns,
        f"{found.here}, measured",
        f"as {found.nearest}",
        "error",
        box=None,
        pad_edge=False,
        title=f"Cycles per {found.measured[0].query} query, {choices[0].level}: modelled by llvm-mca 19",
        caption="All but the measured column are modelled: loads hit the nearest cache, no mispredictions.",
        title_justify="left",
        caption_justify="left",
    )
    for place, measured in enumerate(found.measured):
        row = found.modelled[place :: len(found.measured)]
        nearest = found.nearest_modelled[place] if found.nearest_modelled else None
        error = "-"
        if nearest and nearest.cycles and measured.cycles:
            error = f"{100 * (nearest.cycles / measured.cycles - 1):+.0f} %"
        cells = [_cell(estimate) for estimate in (*row, measured, nearest)]
        table.add_row(measured.kernel if place % 2 == 0 else "", measured.order, *cells, error)
    options.output.print(table)
    every = (*found.modelled, *found.measured, *found.nearest_modelled)
    for reason in dict.fromkeys(estimate.why_not for estimate in every if estimate.why_not):
        print(f"-  {reason}")


def _cell(estimate: "Estimate | None") -> str:
    return "-" if estimate is None or estimate.cycles is None else f"{estimate.cycles:.1f}"
