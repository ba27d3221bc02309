"""Where records are stored, how they are written, and which one represents a machine."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import msgspec

from slidebench.harness.files import RESULTS_HINT, create_atomically, write_atomically
from slidebench.harness.machine.cpu import Cpu, machine_name
from slidebench.harness.records.schema import Record


def utc_now() -> str:
    """The current UTC time to the second, as in file names: 20261130T031207Z."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")


def runs(results: Path, machine: Cpu | None = None) -> Path:
    """The folder of all records below a results folder, or of the records of one machine."""
    folder = results / "runs"
    return folder / machine_name(machine) if machine else folder


def record_path(results: Path, record: Record) -> Path:
    """The path of a record: results/runs/<machine>/<utc>-<commit>.json."""
    commit = record.commit + ("-dirty" if record.dirty else "")
    return runs(results, record.machine) / f"{record.started_utc}-{commit}.json"


def numbered(path: Path) -> Iterator[Path]:
    """The path, then the path with -2, -3, ... after its stem, for records that would share a name."""
    yield path
    for number in count(2):
        yield path.with_stem(f"{path.stem}-{number}")


def create_record(results: Path, record: Record) -> Path:
    """Write a new record and return its path, the first of its `numbered` paths that is free.

    Runs that begin within the same second never share a file. Raises FileError if it cannot be written.
    """
    content = encode_record(record)
    return next(
        path
        for path in numbered(record_path(results, record))
        if create_atomically(path, content, RESULTS_HINT)
    )


def check_writable(results: Path) -> None:
    """Raise FileError if no record can be written below `results`, before any time is spent on measuring."""
    probe = runs(results) / ".probe"
    write_atomically(probe, b"", RESULTS_HINT)
    probe.unlink()


def write_record(record: Record, path: Path) -> None:
    """Write the record in one step. Raises FileError if it cannot be written."""
    write_atomically(path, encode_record(record), RESULTS_HINT)


def encode_record(record: Record) -> bytes:
    """The content of a record's file: compact JSON, since most of it is samples."""
    return msgspec.json.encode(record) + b"\n"


def representative(records: Sequence[Record]) -> Record:
    """The record that represents its machine, so that a quick run of one kernel does not replace a full run.

    The latest method wins, then the latest generator, a complete record, the most kernels, the latest time.
    """
    return max(
        records,
        key=lambda record: (
            _version(record.method),
            _version(record.generator),
            record.complete,
            len({build.kernel for build in record.builds}),
            record.started_utc,
        ),
    )


def _version(text: str) -> int:
    """The version of a method or generator as an int; -1 if it is not a number."""
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else -1
