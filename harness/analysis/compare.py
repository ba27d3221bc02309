"""Comparison of records, levels and kernels: like with like, and a reason in every blank.

Within one record the ratio is taken in each round and judged as a pair; between records the launches of one
stand against those of the other.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from slidebench.harness.analysis.stats import Comparison, compare, compare_records, levels_of, perft_groups
from slidebench.harness.errors import UserError
from slidebench.harness.machine.cpu import machine_name
from slidebench.harness.records.schema import Record, Samples
from slidebench.harness.workloads import Perft
from slidebench.kernels import Choice
from slidebench.kernels.position import quoted

Side = tuple[int, Choice]  # index of the record, and a choice in it
Group = list[Samples]

# What must be equal for two figures to be compared, and where a record keeps it.
LIKE: dict[str, Callable[[Record], object]] = {
    "generator": lambda record: record.generator,
    "method": lambda record: record.method,
    "perft positions and depths": lambda record: sorted(
        (workload.fen, workload.depth)
        for workload in record.workloads
        if isinstance(workload, Perft) and workload.bulk
    ),
}


class CompareError(UserError):
    """Records that cannot be compared; the message says what differs."""


class Cell(NamedTuple):
    """A comparison, or why there is none."""

    comparison: Comparison | None
    reason: str = ""


class RatioRow(NamedTuple):
    """What a row's ratios are of; `part` is "" where the sheet has one record and no need to name it."""

    kernel: str
    popcount: str
    part: str

    def __str__(self) -> str:
        return " ".join(filter(None, self))


class RatioTable(NamedTuple):
    """A table of ratios to `base`: `rows` are (row, cells), one cell for each of `columns`.

    `parts` says what the rows' parts are; `notes` name what differs between the records.
    """

    base: str
    columns: list[str]
    parts: str
    rows: list[tuple[RatioRow, list[Cell]]]
    notes: list[str]

    @property
    def title(self) -> str:
        return f"How many times as fast as {self.base}?"

    @property
    def comparisons(self) -> int:
        return sum(cell.comparison is not None for _, cells in self.rows for cell in cells)


def records_table(records: Sequence[Record], level: str | None = None) -> RatioTable:
    """Every record against the first, kernel by kernel and level by level.

    Raises CompareError if the records did not measure alike, or none has the level.
    """
    refuse_unlike(records)
    levels = _levels(records, level)
    choices = dict.fromkeys(
        choice for record in records for choice in perft_groups(record) if choice.level in levels
    )
    others = range(1, len(records))
    wanted = [((other, choice), (0, choice)) for choice in choices for other in others]
    cells = _cells(records, wanted, compare_records)
    labels = record_labels(records)
    return RatioTable(
        base=labels[0],
        columns=labels[1:],
        parts="x86-64 level",
        rows=[
            (RatioRow(choice.kernel, choice.popcount, choice.level), [next(cells) for _ in others])
            for choice in choices
        ],
        notes=differing_facts(records),
    )


def levels_table(records: Sequence[Record], level: str | None = None) -> RatioTable:
    """What each level, or `level` alone, gains over the one before, for every kernel of every record.

    Raises CompareError if the records did not measure alike, or none has the level or one below it.
    """
    levels = _levels(records, level)
    steps = {
        f"{upper} / {lower}": (upper, lower) for lower, upper in pairwise(_levels(records)) if upper in levels
    }
    if level and not steps:
        raise CompareError(f"no record has a level below {level}; compare --by kernel, or another --level")
    return _sheet_within(records, "the level below", steps)


def kernels_table(records: Sequence[Record], base: str, level: str | None = None) -> RatioTable:
    """Every kernel against a base kernel at the same level and popcount, in every record.

    Raises CompareError if no record has the base or the level, or if the records did not measure alike.
    """
    if not any(choice.kernel == base for record in records for choice in perft_groups(record)):
        raise CompareError(f"no record has timed {base!r}; choose another --against")
    levels = {each: (each, each) for each in _levels(records, level)}
    return _sheet_within(records, f"{base} at the same level", levels, base)


def refuse_unlike(records: Sequence[Record]) -> None:
    """Raise CompareError unless all records agree in every key of LIKE."""
    for name, value in LIKE.items():
        for other in records[1:]:
            if value(other) != value(records[0]):
                raise CompareError(
                    f"{_title(records[0])} and {_title(other)} differ in {name}: "
                    "measure both with the same slidebench"
                )


def differing_facts(records: Sequence[Record]) -> list[str]:
    """What else differs between the records, one line each."""
    facts: dict[str, Callable[[Record], object]] = {
        "CPU": lambda record: f"{record.machine.brand} ({record.machine.microarchitecture})",
        "virtual machine": lambda record: "yes" if record.machine.virtualised else "no",
        "compiler": compilers,
        "commit": lambda record: record.commit + (" (changed)" if record.dirty else ""),
        "operating system": lambda record: record.machine.operating_system,
        "complete": lambda record: "yes" if record.complete else "no",
    }
    found = [
        f"{name}: " + "; ".join(str(value(record)) for record in records)
        for name, value in facts.items()
        if len({value(record) for record in records}) > 1
    ]
    cut_short = not any(record.complete for record in records)
    return [*found, *(["complete: no, the run was cut short"] if cut_short else [])]


def record_labels(records: Sequence[Record]) -> list[str]:
    """The shortest name for each record that tells it from the others."""
    parts: list[Callable[[Record], str]] = [
        lambda record: machine_name(record.machine),
        compilers,
        lambda record: record.commit[:8],
        lambda record: record.started_utc,
    ]
    varying = [part for part in parts if len({part(record) for record in records}) > 1] or parts[:1]
    for count in range(1, len(varying) + 1):
        labels = [", ".join(part(record) for part in varying[:count]) for record in records]
        if len(set(labels)) == len(labels):
            return labels
    return [f"{label} [{place + 1}]" for place, label in enumerate(labels)]


def absence(record: Record, choice: Choice) -> str:
    """Why a record has no figure for a choice."""
    for absent in record.absent:
        if absent.choice == choice:
            return absent.reason.removeprefix(f"{choice.kernel} ")  # records up to 0.1.0 began with the name
    for build in record.builds:
        if build.choice == choice and build.failure:
            return "failed verification"
    return "not timed in this run" if record.complete else "the run was cut short"


def _levels(records: Sequence[Record], level: str | None = None) -> list[str]:
    """The levels that the records have timed, or `level` alone."""
    found = levels_of(key for record in records for key in perft_groups(record))
    if level is not None and level not in found:
        raise CompareError(
            f"no record has timed level {quoted(level)}; there are {', '.join(found) or 'none'}"
        )
    return found if level is None else [level]


def _sheet_within(
    records: Sequence[Record], title: str, columns: Mapping[str, tuple[str, str]], base: str = ""
) -> RatioTable:
    """Ratios inside each record: `columns` are (level, base level) by name.

    The base is the kernel `base`, or each kernel itself.
    """
    refuse_unlike(records)
    names = [
        (index, kernel, popcount)
        for index, record in enumerate(records)
        for kernel, popcount in dict.fromkeys(
            (choice.kernel, choice.popcount) for choice in perft_groups(record)
        )
        if kernel != base
    ]
    wanted = [
        ((index, Choice(kernel, level, popcount)), (index, Choice(base or kernel, base_level, popcount)))
        for index, kernel, popcount in names
        for level, base_level in columns.values()
    ]
    cells = _cells(records, wanted, compare)
    labels = record_labels(records) if len(records) > 1 else [""]
    return RatioTable(
        base=title,
        columns=list(columns),
        parts="record",
        rows=[
            (RatioRow(kernel, popcount, labels[index]), [next(cells) for _ in columns])
            for index, kernel, popcount in names
        ],
        notes=differing_facts(records),
    )


def _cells(
    records: Sequence[Record],
    wanted: Sequence[tuple[Side, Side]],
    judged: Callable[[list[tuple[Group, Group]]], list[Comparison | None]],
) -> Iterator[Cell]:
    """A cell for each pair, all judged as one table; where a side is missing, why."""
    groups = [perft_groups(record) for record in records]
    reasons = [
        next((absence(records[index], choice) for index, choice in pair if choice not in groups[index]), None)
        for pair in wanted
    ]
    found = iter(
        judged(
            [
                (groups[index][choice], groups[base_index][base])
                for ((index, choice), (base_index, base)), reason in zip(wanted, reasons, strict=True)
                if reason is None
            ]
        )
    )
    for reason in reasons:
        if reason is not None:
            yield Cell(None, reason)
        else:
            both = next(found)
            yield Cell(both, "" if both else "no round to compare")


def _title(record: Record) -> str:
    return f"{machine_name(record.machine)}/{record.started_utc}"


def compilers(record: Record) -> str:
    """The compilers that built a record's kernels, as one text."""
    return ", ".join(sorted({build.compiler for build in record.builds if build.compiler != "unknown"}))
