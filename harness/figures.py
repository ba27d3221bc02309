"""A record with what its samples come to: each figure computed once, for all charts and pages."""

from functools import cached_property

from slidebench.harness.compare import absence
from slidebench.harness.records import Build, Record
from slidebench.harness.stats import Key, Nanoseconds, Rate, levels_of, nanoseconds, perft_rates
from slidebench.harness.workloads import Lookup, Perft, differences
from slidebench.kernels.catalogue import BUILTIN


class Figures:
    """A record's rates, and why it lacks others."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._samples = {(_key(each), each.workload): each for each in record.samples}
        self._lookups: dict[tuple[Key, Lookup], Nanoseconds | None] = {}

    @cached_property
    def nodes(self) -> dict[Key, Rate]:
        """Perft nodes/s: the geometric mean of the positions."""
        return perft_rates(self.record)

    @cached_property
    def made(self) -> dict[Key, Rate]:
        """The same without bulk counting: moves made and unmade per second."""
        return perft_rates(self.record, bulk=False)

    @cached_property
    def positions(self) -> int:
        """How many positions that geometric mean is of."""
        return sum(isinstance(workload, Perft) and workload.bulk for workload in self.record.workloads)

    @cached_property
    def keys(self) -> list[Key]:
        """Everything the record was to time, right or wrong or absent, in its order."""
        parts = [*self.record.builds, *self.record.samples, *self.record.absent]
        return list(dict.fromkeys(_key(part) for part in parts))

    @cached_property
    def levels(self) -> list[str]:
        """The levels that have figures, lowest first."""
        return levels_of(self.nodes)

    @cached_property
    def popcount(self) -> str:
        """The popcount to show where there is room for one: BUILTIN if the record has it."""
        found = list(dict.fromkeys(popcount for _, popcount, _ in self.nodes))
        return BUILTIN if BUILTIN in found or not found else found[0]

    @cached_property
    def kernels(self) -> list[str]:
        """Kernels with a figure at any level, fastest first."""
        best: dict[str, float] = {}
        for (kernel, popcount, _), each in self.nodes.items():
            if popcount == self.popcount:
                best[kernel] = max(best.get(kernel, 0.0), each.median)
        return sorted(best, key=lambda kernel: (-best[kernel], kernel))

    @cached_property
    def builds(self) -> dict[Key, Build]:
        return {_key(build): build for build in self.record.builds}

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

    def lookup(self, key: Key, workload: Lookup | None) -> Nanoseconds | None:
        """Time of one query; None where it was not measured."""
        if workload is None or (key, workload.name) not in self._samples:
            return None
        if (key, workload) not in self._lookups:
            samples = self._samples[key, workload.name]
            self._lookups[key, workload] = nanoseconds(samples, added=bool(differences([workload])))
        return self._lookups[key, workload]

    def reason(self, key: Key) -> str:
        """Why there is no figure: the record's own words without the kernel's name before them."""
        return absence(self.record, key).removeprefix(key[0]).strip()


def pressed(workload: Lookup) -> bool:
    """Whether other data competes with the tables for the caches."""
    return workload.working_set_bytes > 0 or workload.evicting_bytes > 0


def _key(part: object) -> Key:
    return tuple(str(getattr(part, name)) for name in ("kernel", "popcount", "level"))  # type: ignore[return-value]
