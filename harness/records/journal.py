"""A run's samples, appended to a journal next to the record as they come.

Writing the whole record takes as long as a few samples, so that is done every few seconds only. A killed run
loses the sample in progress and any that its launch has not sent yet.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from slidebench.harness.files import RESULTS_HINT, FileError


class Entry(NamedTuple):
    """A sample, and the index in the record's `samples` of the benchmark that it belongs to."""

    number: int
    launch: int
    round: int
    cpu_nanoseconds: int


class Journal:
    """The journal of a record: the samples that the record does not have yet."""

    def __init__(self, record_path: Path) -> None:
        self._path = _path(record_path)
        try:
            self._file = self._path.open("ab", buffering=0)
            self.clear()
        except OSError as error:
            raise self._file_error(error) from None

    def add(self, entry: Entry) -> None:
        """Append a sample. Raises FileError if the disk is full."""
        try:
            self._file.write(b"%d %d %d %d\n" % entry)
        except OSError as error:
            raise self._file_error(error) from None

    def clear(self) -> None:
        """Remove all samples, since the record has them."""
        self._file.truncate(0)

    def remove(self) -> None:
        """Delete the journal at the end of a run."""
        self._file.close()
        self._path.unlink(missing_ok=True)

    def _file_error(self, error: OSError) -> FileError:
        return FileError(f"cannot write {self._path} ({error.strerror}): {RESULTS_HINT}")


def entries(record_path: Path, max_bytes: int) -> Iterator[Entry]:
    """The entries in the journal of a record, which is untrusted input; none if it cannot be read.

    Malformed lines are skipped, and everything after `max_bytes`.
    """
    path = _path(record_path)
    content = b""
    with suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                content = file.read(max_bytes)
    for line in content.splitlines(keepends=True):
        match = re.fullmatch(rb"([0-9]{1,9}) ([0-9]{1,9}) ([0-9]{1,9}) (-?[0-9]{1,18})\n", line)
        if match:
            yield Entry(*map(int, match.groups()))


def _path(record_path: Path) -> Path:
    return record_path.with_suffix(".journal")
