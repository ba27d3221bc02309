"""Where records live, and how they are written: whole or not at all, again and again while a run goes on."""

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
    content = encode_record(record)
    return next(
        path
        for path in numbered(record_path(results, record))
        if create_atomically(path, content, RESULTS_HINT)
    )


def check_writable(results: Path) -> None:
    """Raises FileError if no record could be written below `results`: before others measure for it."""
    probe = runs(results) / ".probe"
    write_atomically(probe, b"", RESULTS_HINT)
    probe.unlink()


def write_record(record: Record, path: Path) -> None:
    """Write the record whole. Raises FileError if the folder cannot be written."""
    write_atomically(path, encode_record(record), RESULTS_HINT)


def encode_record(record: Record) -> bytes:
    """The record as its file holds it: compact, since most of it is samples."""
    return msgspec.json.encode(record) + b"\n"


def representative(records: Sequence[Record]) -> Record:
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
