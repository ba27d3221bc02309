"""Samples of a run, appended beside its record as they come: a killed run loses only those on their way.

The record itself is written anew every few seconds only, which takes as long as a few samples.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from slidebench.harness.files import RESULTS_HINT, FileError


class Entry(NamedTuple):
    """A sample: the place in the record's `samples` that it belongs to, and what is to be added there."""

    place: int
    launch: int
    round: int
    cpu_nanoseconds: int


class Journal:
    """The file beside a record, with what the record lacks."""

    def __init__(self, record_path: Path) -> None:
        self._path = _path(record_path)
        try:
            self._file = self._path.open("ab", buffering=0)
            self.clear()
        except OSError as error:
            raise self._fault(error) from None

    def add(self, entry: Entry) -> None:
        """Append a sample. Raises FileError if there is no room."""
        try:
            self._file.write(b"%d %d %d %d\n" % entry)
        except OSError as error:
            raise self._fault(error) from None

    def clear(self) -> None:
        """The record has it all."""
        self._file.truncate(0)

    def remove(self) -> None:
        """The run has ended and its record has it all."""
        self._file.close()
        self._path.unlink(missing_ok=True)

    def _fault(self, error: OSError) -> FileError:
        return FileError(f"cannot write {self._path}: {error.strerror}; {RESULTS_HINT}")


def entries(record_path: Path, most_bytes: int) -> Iterator[Entry]:
    """What lies beside a record: whole lines of the first `most_bytes`; nothing of what cannot be read."""
    path = _path(record_path)
    content = b""
    with suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                content = file.read(most_bytes)
    for line in content.splitlines(keepends=True):
        found = re.fullmatch(rb"([0-9]{1,9}) ([0-9]{1,9}) ([0-9]{1,9}) (-?[0-9]{1,18})\n", line)
        if found:
            yield Entry(*map(int, found.groups()))


def _path(record_path: Path) -> Path:
    return record_path.with_suffix(".journal")
