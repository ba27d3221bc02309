"""Atomic file writes: a reader, or a crash, sees the old content or the new, never a part."""

import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from slidebench.harness.errors import UserError

RESULTS_HINT = "choose another folder with --results"


class FileError(UserError):
    """A file that cannot be written; the message says why, and which option selects another."""


def write_atomically(path: Path, content: bytes, hint: str) -> None:
    """Replace the content of `path` in one step.

    A symbolic link is followed; a device, a pipe or an open file such as /dev/stdout is written to. Raises
    FileError, with `hint` at the end of its message, if the file cannot be written.
    """
    with _file_errors(path, hint):
        if path.is_relative_to("/dev") or (path.exists() and not path.is_file()):
            sys.stdout.flush()  # `path` may be the same file
            with path.open("ab", buffering=0) as stream:
                stream.write(content)
            return
        target = Path(os.path.realpath(path))
        if target.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        with _temporary_file(target.parent, content) as temporary:
            temporary.replace(target)


def create_atomically(path: Path, content: bytes, hint: str) -> bool:
    """Create `path` with `content` in one step; returns False if it exists already.

    Only a hard link fails if another process has just created the name. Raises FileError, with `hint` at the
    end of its message, if the file cannot be written.
    """
    with _file_errors(path, hint), _temporary_file(path.parent, content) as temporary:
        try:
            path.hardlink_to(temporary)
        except FileExistsError:
            return False
    return True


@contextmanager
def _temporary_file(folder: Path, content: bytes) -> Iterator[Path]:
    """A file in `folder` with the content, synced to disk; removed at the end unless it was renamed."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".", suffix=".tmp", delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            temporary.chmod(0o644)
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def _file_errors(path: Path, hint: str) -> Iterator[None]:
    """Turn the operating system's errors into a FileError."""
    try:
        yield
    except OSError as error:
        raise FileError(f"cannot write {path} ({error.strerror}): {hint}") from None
