"""A record with what its samples come to: each figure computed once, for all charts and pages."""

from functools import cached_property

from slidebench.harness.analysis.compare import absence
from slidebench.harness.analysis.stats import Estimate, levels_of, nanoseconds, perft_rates
from slidebench.harness.records.schema import Build, Record
from slidebench.harness.workloads import Lookup, Perft, subtracted_workloads
from slidebench.kernels import Choice
from slidebench.kernels.catalogue import BUILTIN


class RecordSummary:
    """A record's rates, and why it lacks others."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._samples = {(samples.choice, samples.workload): samples for samples in record.samples}
        self._lookups: dict[tuple[Choice, Lookup], Estimate | None] = {}

    @cached_property
    def nodes(self) -> dict[Choice, Estimate]:
        """Perft nodes/s: the geometric mean of the positions."""
        return perft_rates(self.record)

    @cached_property
    def no_bulk(self) -> dict[Choice, Estimate]:
        """The same without bulk counting: moves made and unmade per second."""
        return perft_rates(self.record, bulk=False)

    @cached_property
    def positions(self) -> int:
        """How many positions that geometric mean is of."""
        return sum(isinstance(workload, Perft) and workload.bulk for workload in self.record.workloads)

    @cached_property
    def choices(self) -> list[Choice]:
        """Everything the record was to time, right or wrong or absent, in its order."""
        parts = [*self.record.builds, *self.record.samples, *self.record.absent]
        return list(dict.fromkeys(part.choice for part in parts))

    @cached_property
    def levels(self) -> list[str]:
        """The levels that have figures, lowest first."""
        return levels_of(self.nodes)

    @cached_property
    def popcount(self) -> str:
        """The popcount to show where there is room for one: BUILTIN if the record has it."""
        found = list(dict.fromkeys(choice.popcount for choice in self.nodes))
        return BUILTIN if BUILTIN in found or not found else found[0]

    @cached_property
    def kernels(self) -> list[str]:
        """Kernels with a figure at any level, fastest first."""
        best: dict[str, float] = {}
        for choice, rate in self.nodes.items():
            if choice.popcount == self.popcount:
                best[choice.kernel] = max(best.get(choice.kernel, 0.0), rate.median)
        return sorted(best, key=lambda kernel: (-best[kernel], kernel))

    @cached_property
    def builds(self) -> dict[Choice, Build]:
        return {build.choice: build for build in self.record.builds}

    def workloads(self, piece: str, order: str, stream: str = "tree") -> list[Lookup]:
        """The queries of a kind, those under pressure from other data included."""
        return [
            workload
            for workload in self.record.workloads
            if isinstance(workload, Lookup)
            and (workload.piece, workload.order, workload.stream) == (piece, order, stream)
        ]

    def plain(self, piece: str, order: str, stream: str = "tree") -> Lookup | None:
        """The queries of a kind with nothing beside them."""
        return next((each for each in self.workloads(piece, order, stream) if not pressed(each)), None)

    def lookup(self, choice: Choice, workload: Lookup | None) -> Estimate | None:
        """Time of one query; None where it was not measured."""
        if workload is None or (choice, workload.name) not in self._samples:
            return None
        if (choice, workload) not in self._lookups:
            samples = self._samples[choice, workload.name]
            self._lookups[choice, workload] = nanoseconds(
                samples, subtracted=bool(subtracted_workloads([workload]))
            )
        return self._lookups[choice, workload]

    def reason(self, choice: Choice) -> str:
        """Why there is no figure."""
        return absence(self.record, choice)


def pressed(workload: Lookup) -> bool:
    """Whether other data competes with the tables for the caches."""
    return workload.working_set_bytes > 0 or workload.evicting_bytes > 0
