"""The record: one JSON file that says what was measured, on what, and every raw sample.

Numbers have their unit in the field's name. A record is written whole or not at all, again and again while a
run goes on; one that is cut short says `"complete": false`.
"""

import hashlib
import os
import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from slidebench.harness.cpu import Cpu, machine_name
from slidebench.harness.workloads import Workload

SCHEMA_VERSION = 1


class RecordError(ValueError):
    """A record that cannot be read or written; the message names the file and the way out."""


class _Part(msgspec.Struct, forbid_unknown_fields=True):
    """A part of a record: an unknown field is an error, not something to skip."""


class Build(_Part, kw_only=True):
    """One compiled kernel: how it was built, and whether it gave right answers before it was timed."""

    kernel: str
    level: str
    popcount: str
    compiler: str
    flags: str
    table_bytes: int
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
    operations: int
    better: Literal["lower"] = "lower"
    launches: list[int] = msgspec.field(default_factory=list)
    rounds: list[int] = msgspec.field(default_factory=list)
    cpu_nanoseconds: list[int] = msgspec.field(default_factory=list)


class Round(_Part, kw_only=True):
    """The state of the core at the end of a round."""

    launch: int
    round: int
    core_megahertz: float


class Record(_Part, kw_only=True):
    """One run on one machine; `warnings` are names from slidebench.harness.warnings."""

    schema: int = SCHEMA_VERSION
    complete: bool = False
    started_utc: str
    slidebench: str
    commit: str
    dirty: bool
    generator: str
    python: str
    machine: Cpu
    seed: int
    budget_seconds: float
    warnings: list[str] = msgspec.field(default_factory=list)
    builds: list[Build] = msgspec.field(default_factory=list)
    absent: list[Absent] = msgspec.field(default_factory=list)
    workloads: list[Workload] = msgspec.field(default_factory=list)
    rounds: list[Round] = msgspec.field(default_factory=list)
    samples: list[Samples] = msgspec.field(default_factory=list)


def utc_now() -> str:
    """The time now in UTC, to the second, as in file names: 20261130T031207Z."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")


def record_path(results: Path, record: Record) -> Path:
    """Where a record belongs: results/runs/<machine>/<utc>-<commit>.json."""
    commit = record.commit + ("-dirty" if record.dirty else "")
    name = path_part(f"{record.started_utc}-{commit}")
    return results / "runs" / machine_name(record.machine) / f"{name}.json"


def path_part(text: str) -> str:
    """Text from a record as one part of a path; a digest tells those apart that had to be altered."""
    safe = re.sub(r"[^A-Za-z0-9_+-]", "-", text)[:80]
    return safe if safe == text and safe else f"{safe}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def write_record(record: Record, path: Path) -> None:
    """Write the record whole: a reader, or a crash, sees the old file or the new one, never a part.

    Raises RecordError if the folder cannot be written.
    """
    write_atomically(path, encode_record(record))


def encode_record(record: Record) -> bytes:
    """The record as its file holds it: compact, since most of it is samples."""
    return msgspec.json.encode(record) + b"\n"


def write_atomically(path: Path, content: bytes) -> None:
    """Put `content` at `path` in one step. Raises RecordError naming the path if that is impossible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".tmp", delete=False) as file:
            try:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                Path(file.name).chmod(0o644)
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise RecordError(
            f"cannot write {path}: {error.strerror}; choose another folder with --results"
        ) from None


def read_record(path: Path) -> Record:
    """Read a record. Raises RecordError if it is missing, not a record, or of a newer schema."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}; give a record from results/runs") from None
    try:
        schema = msgspec.json.decode(content, type=_SchemaOnly).schema
        if schema > SCHEMA_VERSION:
            raise RecordError(
                f"{path} has record schema {schema}, this slidebench reads up to {SCHEMA_VERSION}: "
                "update slidebench"
            )
        return msgspec.json.decode(content, type=Record)
    except msgspec.DecodeError as error:
        raise RecordError(f"{path} is not a slidebench record: {error}") from None


class _SchemaOnly(msgspec.Struct):
    schema: int
