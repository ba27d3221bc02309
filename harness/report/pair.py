"""Two microarchitectures against each other: measured if records have both, else modelled and published."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from slidebench import kernels
from slidebench.harness import workloads
from slidebench.harness.analysis import published
from slidebench.harness.analysis.compare import CompareError, RatioTable, kernels_table, records_table
from slidebench.harness.code import disassembly, model
from slidebench.harness.report.machines import Machine
from slidebench.kernels import UnavailableError
from slidebench.kernels.catalogue import BUILTIN

SHOWN = ("Zen 2", "Haswell")  # PEXT is microcoded on the one and fast on the other
FIRST = ("pext", "magic_fancy", "hyperbola_avx2")  # the kernels that engines choose between
BASE = "magic_fancy"
LEVEL, QUERY = "v3", "rook"


class Row(NamedTuple):
    """Cycles per query of one kernel, by order and then microarchitecture, and why some are missing."""

    kernel: str
    cycles: list[float | None]
    reason: str


class Pair(NamedTuple):
    """What is known of two microarchitectures; without `sheets`, `not_measured` says why."""

    names: tuple[str, str]
    machines: list[Machine]
    sheets: list[RatioTable]
    not_measured: str
    rows: Sequence[Row]
    not_modelled: str
    figures: list[published.PublishedFigure]

    @property
    def name(self) -> str:
        return " against ".join(self.names)

    @property
    def title(self) -> str:
        known = "measured" if self.sheets else "modelled and published, not measured"
        return f"{self.name}: {known}"

    @property
    def path(self) -> str:
        return "-".join(name.replace(" ", "").lower() for name in self.names) + ".html"

    @property
    def columns(self) -> list[str]:
        """Names of a row's cycles."""
        return [f"{name} {order}" for order in workloads.ORDERS for name in self.names]

    @property
    def compiler(self) -> str:
        """What compiled the loops that are modelled, where this machine can load one to ask."""
        return disassembly.compiler(kernels.Choice(self.rows[0].kernel, LEVEL, BUILTIN))


def pair(machines: Sequence[Machine], names: tuple[str, str] = SHOWN) -> Pair:
    """All that records, the model and others say of two microarchitectures, named as in records."""
    chosen = [machine for name in names for machine in machines if _real(machine) == name]
    sheets, not_measured = _measured(chosen, names)
    try:
        rows, not_modelled = _modelled(names), ""
    except (model.ModelError, UnavailableError) as error:
        rows, not_modelled = (), str(error)
    figures = [figure for figure in published.figures() if figure.cpu in names]
    quantities = sorted((figure.quantity for figure in figures), key=lambda name: not name.startswith("pext"))
    figures.sort(key=lambda figure: (quantities.index(figure.quantity), names.index(figure.cpu)))
    return Pair(names, chosen, sheets, not_measured, rows, not_modelled, figures)


def _real(machine: Machine) -> str:
    """A machine's microarchitecture; "" for an emulator's, whose times say nothing of the CPU it imitates."""
    cpu = machine.record.machine
    return "" if (cpu.hypervisor or "").startswith("TCG") else cpu.microarchitecture


def _measured(machines: Sequence[Machine], names: tuple[str, str]) -> tuple[list[RatioTable], str]:
    """CPU against CPU, then kernel against kernel on each; or why there is neither."""
    lacking = [name for name in names if name not in map(_real, machines)]
    if lacking:
        return [], f"no record here is of {' or '.join(lacking)}"
    records = [machine.record for machine in machines]
    try:
        sheets = [records_table(records)]
    except CompareError as error:
        return [], str(error)
    if not sheets[0].comparisons:
        return [], f"the records of {' and '.join(names)} have no figure in common"
    if any(BASE in machine.figures.kernels for machine in machines):
        sheets.append(kernels_table(records, BASE))
    return [
        sheet._replace(rows=sorted(sheet.rows, key=lambda row: _order(*row[0][:2]))) for sheet in sheets
    ], ""


@cache
def _modelled(names: tuple[str, str]) -> tuple[Row, ...]:
    """Every kernel of this build at LEVEL. Raises ModelError or UnavailableError if none can be modelled."""
    choices = sorted(
        kernels.Selection(level=LEVEL, popcount=BUILTIN).built(), key=lambda choice: _order(choice.kernel)
    )
    estimates = model.modelled([model.NEAREST[name] for name in names], choices, QUERY)
    by_kernel = [[each for each in estimates if each.kernel == choice.kernel] for choice in choices]
    return tuple(
        Row(
            choice.kernel,
            [each.cycles for order in workloads.ORDERS for each in found if each.order == order],
            "; ".join(_reasons(found, names)).replace(f"{choice}: ", ""),
        )
        for choice, found in zip(choices, by_kernel, strict=True)
    )


def _reasons(estimates: Sequence[model.Estimate], names: Sequence[str]) -> list[str]:
    """The first reason on each CPU, since both orders mostly have the same, in the words of this page."""
    first = {each.cpu: each.why_not for each in reversed(estimates) if each.why_not}
    words = {model.NEAREST[name]: name for name in names}
    words |= {f"{QUERY}_{order}": f"the loop over {QUERY} queries" for order in workloads.ORDERS}
    return sorted({_replaced(reason, words) for reason in first.values() if reason})


def _replaced(text: str, words: Mapping[str, str]) -> str:
    for word, other in words.items():
        text = text.replace(word, other)
    return text


def _order(kernel: str, popcount: str = BUILTIN) -> tuple[bool, int, str]:
    return popcount != BUILTIN, FIRST.index(kernel) if kernel in FIRST else len(FIRST), kernel
