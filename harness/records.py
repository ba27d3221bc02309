"""The record: one JSON file that says what was measured, on what, and every raw sample.

Numbers have their unit in the field's name. A record is written whole or not at all, again and again while a
run goes on; one that is cut short says `"complete": false`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Literal

import msgspec

from slidebench.harness.cpu import Cpu, machine_name
from slidebench.harness.errors import Fault
from slidebench.harness.fields import Measure, Signed, Whole
from slidebench.harness.files import OTHER_RESULTS, TakenError, write_atomically
from slidebench.harness.journal import entries
from slidebench.harness.workloads import Workload
from slidebench.kernels.position import quoted

SCHEMA_VERSION = 2
# By each older version: the step that turns a record's decoded JSON object into one of the next version.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {
    1: lambda record: record | {"method": "1"},  # builds had no init_nanoseconds and audit_sha256 either
}
# What a reader takes from a stranger. Each is far more than a run writes.
MOST_BYTES = 64 << 20
MOST_LETTERS = 10_000
MOST_KERNELS = 500
# What resampling may be asked to hold; a run writes 10 launches, and stops at so many rounds.
MOST_LAUNCHES = 1_000
MOST_ROUNDS = 100_000


class RecordError(Fault):
    """A record that cannot be read; the message names the file and the way out."""


class _Part(msgspec.Struct, forbid_unknown_fields=True):
    """A part of a record: an unknown field is an error, not something to skip."""


class Build(_Part, kw_only=True):
    """One compiled kernel: how it was built, and whether it gave right answers before it was timed.

    `init_nanoseconds` is the thread CPU time of filling its tables, once. `audit_sha256` is the digest of its
    timed instructions and their audit: two builds of a kernel at a level that share it ran the same sequence
    of instructions (operands aside); None where the libraries of slidebench.harness.audit are not installed.
    """

    kernel: str
    level: str
    popcount: str
    compiler: str
    flags: str
    table_bytes: Whole
    init_nanoseconds: Whole | None = None
    audit_sha256: str | None = None
    verified: bool
    failure: str | None = None


class Absent(_Part, kw_only=True):
    """A kernel that was not timed at a level, and why."""

    kernel: str
    level: str
    popcount: str
    reason: str


class Samples(_Part, kw_only=True):
    """All samples of one kernel on one workload.

    Sample i was taken in round `rounds[i]` of launch `launches[i]`, ran `operations` operations and took
    `cpu_nanoseconds[i]` of thread CPU time: less is better.
    """

    kernel: str
    level: str
    popcount: str
    workload: str
    operations: Whole
    better: Literal["lower"] = "lower"
    launches: list[Whole] = msgspec.field(default_factory=list)
    rounds: list[Whole] = msgspec.field(default_factory=list)
    cpu_nanoseconds: list[Signed] = msgspec.field(default_factory=list)


class Round(_Part, kw_only=True):
    """The state of the core at the end of a round."""

    launch: Whole
    round: Whole
    core_megahertz: Measure


class Record(_Part, kw_only=True):
    """One run on one machine; `warnings` are names from slidebench.harness.warnings."""

    schema: int = SCHEMA_VERSION
    complete: bool = False
    started_utc: str
    slidebench: str
    commit: str
    dirty: bool
    generator: str
    method: str
    python: str
    machine: Cpu
    seed: Whole
    budget_seconds: Measure
    warnings: list[str] = msgspec.field(default_factory=list)
    builds: list[Build] = msgspec.field(default_factory=list)
    absent: list[Absent] = msgspec.field(default_factory=list)
    workloads: list[Workload] = msgspec.field(default_factory=list)
    rounds: list[Round] = msgspec.field(default_factory=list)
    samples: list[Samples] = msgspec.field(default_factory=list)


def fullest(records: Sequence[Record]) -> Record:
    """The record that stands for its machine: of the latest method the complete one with the most kernels.

    Of a method's records those of the latest generator; the newest of equals. A quick look at one kernel
    later does not take the place of a full run.
    """
    return max(
        records,
        key=lambda each: (
            _number(each.method),
            _number(each.generator),
            each.complete,
            len({build.kernel for build in each.builds}),
            each.started_utc,
        ),
    )


def _number(text: str) -> int:
    """The number of a method or generator; -1 for a stranger's that is none."""
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else -1


def utc_now() -> str:
    """The time now in UTC, to the second, as in file names: 20261130T031207Z."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")


def runs(results: Path, machine: Cpu | None = None) -> Path:
    """The folder of all records in a results folder, or of one machine's."""
    folder = results / "runs"
    return folder / machine_name(machine) if machine else folder


def record_path(results: Path, record: Record) -> Path:
    """Where a record belongs: results/runs/<machine>/<utc>-<commit>.json."""
    commit = record.commit + ("-dirty" if record.dirty else "")
    return runs(results, record.machine) / f"{record.started_utc}-{commit}.json"


def numbered(path: Path) -> Iterator[Path]:
    """The names for records that would share one: the path, then with -2, -3... at its stem's end."""
    yield path
    for number in count(2):
        yield path.with_stem(f"{path.stem}-{number}")


def create_record(results: Path, record: Record) -> Path:
    """Write a new record and return its path: the first of its `numbered` names that no other has.

    Runs that begin within one second never share a file. Raises FileError if the folder cannot be written.
    """
    paths = numbered(record_path(results, record))
    while True:
        path = next(paths)
        with suppress(TakenError):
            write_atomically(path, encode_record(record), OTHER_RESULTS, new=True)
            return path


def check_writable(results: Path) -> None:
    """Raises FileError if no record could be written below `results`: before others measure for it."""
    probe = runs(results) / ".probe"
    write_atomically(probe, b"", OTHER_RESULTS)
    probe.unlink()


def write_record(record: Record, path: Path) -> None:
    """Write the record whole. Raises FileError if the folder cannot be written."""
    write_atomically(path, encode_record(record), OTHER_RESULTS)


def encode_record(record: Record) -> bytes:
    """The record as its file holds it: compact, since most of it is samples."""
    return msgspec.json.encode(record) + b"\n"


def read_record(path: Path) -> Record:
    """Read a record, from a stranger too: nothing in it is run, becomes a path or reaches a terminal unseen.

    One of an older schema is migrated; that of a killed run has what its journal holds. Raises RecordError if
    it is missing, not a record, unsound, or of a schema that is newer or has no migration.
    """
    content = _content(path)
    try:
        schema = msgspec.json.decode(content, type=_SchemaOnly).schema
        if schema > SCHEMA_VERSION:
            raise RecordError(
                f"{path} has record schema {schema}, this slidebench reads up to {SCHEMA_VERSION}: "
                "update slidebench"
            )
        if schema == SCHEMA_VERSION:
            record = msgspec.json.decode(content, type=Record)
        else:
            record = msgspec.convert(_migrated(content, schema, path), Record)
        fault = _unsound_text(content) or _unsound(record)
        if not fault and not record.complete:
            _add_journal(record, path)
    except (msgspec.DecodeError, RecursionError) as error:
        # The message may hold a field's name from the file.
        shown = "".join(
            each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in str(error)[:300]
        )
        raise RecordError(f"{path} is not a slidebench record: {shown}; give one from results/runs") from None
    if fault:
        raise RecordError(f"{path} is not a sound record: {fault}; give one that slidebench wrote")
    return record


def _add_journal(record: Record, path: Path) -> None:
    """Enter the samples that lie beside the record of a killed run, and not in it."""
    held = [set(zip(each.launches, each.rounds, strict=False)) for each in record.samples]
    for place, launch, round_, nanoseconds in entries(path, MOST_BYTES):
        if place >= len(held) or (launch, round_) in held[place]:
            continue
        samples = record.samples[place]
        if samples.operations and launch < MOST_LAUNCHES and len(samples.rounds) < MOST_ROUNDS:
            held[place].add((launch, round_))
            samples.launches.append(launch)
            samples.rounds.append(round_)
            samples.cpu_nanoseconds.append(nanoseconds)


def _migrated(content: bytes, schema: int, path: Path) -> dict[str, Any]:
    """The JSON object of an older record, taken to today's schema one version at a time."""
    versions = range(schema, SCHEMA_VERSION)
    if not all(version in MIGRATIONS for version in versions):
        raise RecordError(f"{path} has record schema {schema}, which cannot be migrated: measure again")
    data = msgspec.json.decode(content, type=dict[str, Any])
    for version in versions:
        try:
            data = MIGRATIONS[version](data) | {"schema": version + 1}
        except (LookupError, TypeError, AttributeError) as error:
            raise msgspec.DecodeError(f"it is not of schema {version}: {error}") from None
    return data


class _SchemaOnly(msgspec.Struct):
    schema: int


def _content(path: Path) -> bytes:
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise RecordError(f"cannot read {path}: not a file; give a record from results/runs")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}; give a record from results/runs") from None
    if len(content) > MOST_BYTES:
        raise RecordError(f"{path} is larger than {MOST_BYTES >> 20} MiB; give a record from results/runs")
    return content


def _unsound_text(content: bytes) -> str | None:
    """What a text has that could take over a terminal or choke a chart; None if all are plain.

    A failure alone may have several lines: it shows boards.
    """
    for failure, quoted_text in re.findall(rb'("failure"\s*:\s*)?("(?:[^"\\]|\\.)*")', content):
        text = msgspec.json.decode(quoted_text, type=str)
        if len(text) > MOST_LETTERS:
            return f"a text of more than {MOST_LETTERS} letters"
        if not (text.replace("\n", "") if failure else text).isprintable():
            return f"an unprintable character in {quoted(text)}"
    return None


def _unsound(record: Record) -> str | None:
    """What does not fit together in a record, or None."""
    if not re.fullmatch("[0-9]{8}T[0-9]{6}Z", record.started_utc):
        return f"started_utc is {quoted(record.started_utc)}"
    if not re.fullmatch("[0-9a-z]{1,64}", record.commit):
        return f"commit is {quoted(record.commit)}"
    for each in record.samples:
        if not len(each.launches) == len(each.rounds) == len(each.cpu_nanoseconds):
            return f"launches, rounds and times of {quoted(each.kernel)} differ in number"
        if len(each.rounds) > MOST_ROUNDS:
            return f"{len(each.rounds)} samples of {quoted(each.kernel)}, more than {MOST_ROUNDS}"
        if len(set(each.launches)) > MOST_LAUNCHES:
            return f"{len(set(each.launches))} launches of {quoted(each.kernel)}, more than {MOST_LAUNCHES}"
        if each.operations < (1 if each.rounds else 0):
            return f"{each.operations} operations of {quoted(each.kernel)}"
    kernels = {(each.kernel, each.level, each.popcount) for each in record.samples}
    return f"{len(kernels)} kernels, more than {MOST_KERNELS}" if len(kernels) > MOST_KERNELS else None
