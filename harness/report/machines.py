"""Records by machine, and what the pages show of them."""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from slidebench import kernels
from slidebench.harness.analysis.recommend import Recommendation, recommendations
from slidebench.harness.analysis.stats import Nanoseconds, Rate
from slidebench.harness.analysis.summary import RecordSummary
from slidebench.harness.machine.cpu import machine_name, pext_expected
from slidebench.harness.records.schema import Record
from slidebench.harness.records.store import encode_record, representative
from slidebench.harness.run.warnings import warning_text
from slidebench.harness.workloads import MODES
from slidebench.kernels.features import Pext


class KernelRow(NamedTuple):
    """What is known of one kernel, popcount and level on a machine: figures, or the reason for none."""

    machine: "Machine"
    choice: kernels.Choice
    nodes: Rate | None
    made: Rate | None
    of_best: float | None  # nodes/s as a fraction of the fastest at this level
    lookups: dict[tuple[str, str], Nanoseconds | None]  # by piece and order, on the tree stream
    table_bytes: int | None
    reason: str

    @property
    def kernel(self) -> str:
        return self.choice.kernel

    @property
    def popcount(self) -> str:
        return self.choice.popcount

    @property
    def level(self) -> str:
        return self.choice.level


class Machine:
    """All records of one machine; figures are those of the `fullest`."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = sorted(records, key=lambda each: (each.started_utc, encode_record(each)))
        self.record = representative(self.records)
        self.every = [RecordSummary(record) for record in self.records]
        self.figures = self.every[self.records.index(self.record)]
        self.name = machine_name(self.record.machine)

    @property
    def brand(self) -> str:
        return self.record.machine.brand

    @property
    def pext(self) -> Pext:
        return pext_expected(self.record.machine)

    @property
    def compilers(self) -> list[str]:
        return sorted({build.compiler for build in self.record.builds})

    @property
    def warnings(self) -> dict[str, str]:
        """What was observed and the advice, by name of the record's warnings."""
        return {warning.name: warning_text(warning) for warning in self.record.warnings}

    @cached_property
    def recommendations(self) -> list[Recommendation]:
        return recommendations(self.record)

    @cached_property
    def rows(self) -> list[KernelRow]:
        """One for everything the record was to time, fastest kernel first, then by popcount and level."""
        order = {kernel: place for place, kernel in enumerate(self.figures.kernels)}
        choices = sorted(
            self.figures.choices,
            key=lambda choice: (
                order.get(choice.kernel, len(order)),
                choice.kernel,
                choice.popcount,
                choice.level,
            ),
        )
        return [self._row(choice) for choice in choices]

    def _row(self, choice: kernels.Choice) -> KernelRow:
        figures = self.figures
        nodes, build = figures.nodes.get(choice), figures.builds.get(choice)
        best = max(
            (rate.median for other, rate in figures.nodes.items() if other.level == choice.level), default=0.0
        )
        return KernelRow(
            machine=self,
            choice=choice,
            nodes=nodes,
            made=figures.no_bulk.get(choice),
            of_best=nodes.median / best if nodes and best else None,
            lookups={
                (piece, order): figures.lookup(choice, figures.plain(piece, order))
                for piece in kernels.PIECES
                for order in MODES
            },
            table_bytes=build.table_bytes if build and build.compiler != "unknown" else None,
            reason="" if nodes else (build.failure if build and build.failure else figures.reason(choice)),
        )


def machines(records: Sequence[Record]) -> list[Machine]:
    """The machines of some records, in order of their names."""
    by_name: dict[str, list[Record]] = {}
    for record in records:
        by_name.setdefault(machine_name(record.machine), []).append(record)
    return [Machine(by_name[name]) for name in sorted(by_name)]
