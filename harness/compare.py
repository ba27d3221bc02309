"""Comparison of records, levels and kernels: like with like, and a reason in every blank.

Within one record the ratio is taken in each round and judged as a pair; between records the launches of one
stand against those of the other.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from slidebench.harness.cpu import machine_name
from slidebench.harness.errors import Fault
from slidebench.harness.records import Record, Samples
from slidebench.harness.stats import Comparison, compare, compare_records, levels_of, perft_groups
from slidebench.harness.workloads import Perft

Key = tuple[str, str, str]  # kernel, popcount, level

# What must be equal for two figures to be compared, and where a record keeps it.
LIKE: dict[str, Callable[[Record], object]] = {
    "generator": lambda record: record.generator,
    "perft positions, depths and bulk counting": lambda record: sorted(
        (workload.fen, workload.depth, workload.bulk)
        for workload in record.workloads
        if isinstance(workload, Perft)
    ),
}


class CompareError(Fault):
    """Records that cannot be compared; the message says what differs."""


class Cell(NamedTuple):
    """A comparison, or why there is none."""

    found: Comparison | None
    reason: str = ""


class Sheet(NamedTuple):
    """A table of ratios: `rows` are (name, cells), one cell for each of `columns`."""

    title: str
    columns: list[str]
    rows: list[tuple[str, list[Cell]]]
    notes: list[str]

    @property
    def comparisons(self) -> int:
        return sum(cell.found is not None for _, cells in self.rows for cell in cells)


def records_sheet(records: Sequence[Record], level: str | None = None) -> Sheet:
    """Every record against the first, kernel by kernel and level by level.

    Raises CompareError if the records did not measure alike.
    """
    refuse_unlike(records)
    groups = [perft_groups(record) for record in records]
    keys = [key for key in dict.fromkeys(key for each in groups for key in each) if level in (None, key[2])]
    wanted = [(other, key) for other in range(1, len(records)) for key in keys]
    found = compare_records(
        [
            (groups[other][key], groups[0][key])
            for other, key in wanted
            if key in groups[other] and key in groups[0]
        ]
    )
    remaining = iter(found)
    cells = {
        (other, key): Cell(next(remaining))
        if key in groups[other] and key in groups[0]
        else Cell(None, absence(records[0 if key not in groups[0] else other], key))
        for other, key in wanted
    }
    labels = record_labels(records)
    return Sheet(
        title=f"How many times as fast as {labels[0]}?",
        columns=labels[1:],
        rows=[(" ".join(key), [cells[other, key] for other in range(1, len(records))]) for key in keys],
        notes=differences(records),
    )


def levels_sheet(records: Sequence[Record]) -> Sheet:
    """What each level gains over the one before, for every kernel on every machine."""
    labels = record_labels(records)
    groups = [perft_groups(record) for record in records]
    levels = levels_of(key for each in groups for key in each)
    steps = list(pairwise(levels))
    names = [
        (place, kernel, popcount)
        for place, each in enumerate(groups)
        for kernel, popcount in dict.fromkeys((kernel, popcount) for kernel, popcount, _ in each)
    ]
    rows = _paired_rows(
        records,
        [[(place, (kernel, popcount, upper), (kernel, popcount, lower)) for lower, upper in steps]
         for place, kernel, popcount in names],
    )  # fmt: skip
    return Sheet(
        title="How many times as fast is each level as the one below?",
        columns=[f"{upper} / {lower}" for lower, upper in steps],
        rows=[
            (_named(f"{kernel} {popcount}", labels[place], labels), row)
            for (place, kernel, popcount), row in zip(names, rows, strict=True)
        ],
        notes=[],
    )


def kernels_sheet(records: Sequence[Record], base: str, level: str | None = None) -> Sheet:
    """Every kernel against a base kernel at the same level and popcount, on every machine.

    Raises CompareError if no record has the base.
    """
    labels = record_labels(records)
    groups = [perft_groups(record) for record in records]
    if not any(key[0] == base for each in groups for key in each):
        raise CompareError(f"no record has timed {base!r}; choose another --against")
    levels = [each for each in levels_of(key for each in groups for key in each) if level in (None, each)]
    names = [
        (place, kernel, popcount)
        for place, each in enumerate(groups)
        for kernel, popcount in dict.fromkeys((kernel, popcount) for kernel, popcount, _ in each)
        if kernel != base
    ]
    rows = _paired_rows(
        records,
        [[(place, (kernel, popcount, each), (base, popcount, each)) for each in levels]
         for place, kernel, popcount in names],
    )  # fmt: skip
    return Sheet(
        title=f"How many times as fast as {base} at the same level?",
        columns=levels,
        rows=[
            (_named(f"{kernel} {popcount}", labels[place], labels), row)
            for (place, kernel, popcount), row in zip(names, rows, strict=True)
        ],
        notes=[],
    )


def refuse_unlike(records: Sequence[Record]) -> None:
    """Raise CompareError unless all records agree in every key of LIKE."""
    for name, value in LIKE.items():
        for other in records[1:]:
            if value(other) != value(records[0]):
                raise CompareError(
                    f"{_title(records[0])} and {_title(other)} differ in {name}: "
                    "measure both with the same slidebench"
                )


def differences(records: Sequence[Record]) -> list[str]:
    """What else differs between the records, one line each."""
    facts: dict[str, Callable[[Record], object]] = {
        "CPU": lambda record: f"{record.machine.brand} ({record.machine.microarchitecture})",
        "virtual machine": lambda record: "yes" if record.machine.virtualised else "no",
        "compiler": _compilers,
        "commit": lambda record: record.commit + (" (changed)" if record.dirty else ""),
        "operating system": lambda record: record.machine.operating_system,
        "complete": lambda record: "yes" if record.complete else "no",
    }
    return [
        f"{name}: " + "; ".join(str(value(record)) for record in records)
        for name, value in facts.items()
        if len({value(record) for record in records}) > 1
    ]


def record_labels(records: Sequence[Record]) -> list[str]:
    """The shortest name for each record that tells it from the others."""
    parts: list[Callable[[Record], str]] = [
        lambda record: machine_name(record.machine),
        _compilers,
        lambda record: record.commit[:8],
        lambda record: record.started_utc,
    ]
    varying = [part for part in parts if len({part(record) for record in records}) > 1] or parts[:1]
    for count in range(1, len(varying) + 1):
        labels = [", ".join(part(record) for part in varying[:count]) for record in records]
        if len(set(labels)) == len(labels):
            return labels
    return [f"{label} [{place + 1}]" for place, label in enumerate(labels)]


def absence(record: Record, key: Key) -> str:
    """Why a record has no figure for a kernel at a level."""
    for absent in record.absent:
        if (absent.kernel, absent.popcount, absent.level) == key:
            return absent.reason
    for build in record.builds:
        if (build.kernel, build.popcount, build.level) == key and build.failure:
            return "failed verification"
    return "not timed in this run" if record.complete else "the run was cut short"


def _paired_rows(records: Sequence[Record], wanted: list[list[tuple[int, Key, Key]]]) -> list[list[Cell]]:
    """Cells for (record, key, base key) triples, all judged as one table."""
    groups = [perft_groups(record) for record in records]

    def present(place: int, key: Key, base: Key) -> bool:
        return key in groups[place] and base in groups[place]

    pairs: list[tuple[list[Samples], list[Samples]]] = [
        (groups[place][key], groups[place][base])
        for row in wanted
        for place, key, base in row
        if present(place, key, base)
    ]
    found = iter(compare(pairs))
    return [
        [
            Cell(next(found))
            if present(place, key, base)
            else Cell(None, absence(records[place], key if key not in groups[place] else base))
            for place, key, base in row
        ]
        for row in wanted
    ]


def _named(name: str, label: str, labels: list[str]) -> str:
    return f"{name}, {label}" if len(labels) > 1 else name


def _title(record: Record) -> str:
    return f"{machine_name(record.machine)}/{record.started_utc}"


def _compilers(record: Record) -> str:
    return ", ".join(sorted({build.compiler for build in record.builds if build.compiler != "unknown"}))
