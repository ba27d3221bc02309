"""Files written whole: a reader, or a crash, sees the old content or the new, never a part."""

import errno
import os
import sys
import tempfile
from pathlib import Path

from slidebench.harness.errors import Fault

OTHER_RESULTS = "choose another folder with --results"


class FileError(Fault):
    """A file that cannot be written; the message names it and the way out."""


class TakenError(Exception):
    """There is a file of that name already."""


def write_atomically(path: Path, content: bytes, way_out: str, *, new: bool = False) -> None:
    """Put `content` at `path` in one step; with `new`, only if nothing is there, else TakenError.

    What a link names is replaced, not the link; a device, a pipe or an open file such as /dev/stdout is
    written to. Raises FileError if that is impossible.
    """
    try:
        if path.is_relative_to("/dev") or (path.exists() and not path.is_file()):
            sys.stdout.flush()  # which may be the same
            with path.open("ab", buffering=0) as stream:
                stream.write(content)
            return
        real = Path(os.path.realpath(path))
        if real.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        real.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=real.parent, prefix=".", suffix=".tmp", delete=False) as file:
            whole = Path(file.name)
            try:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                whole.chmod(0o644)
                if new:
                    _link(whole, real)
                else:
                    whole.replace(real)
            finally:
                whole.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror}; {way_out}") from None


def _link(whole: Path, path: Path) -> None:
    """Give a file its name unless another has it: the one step that no two runs can both do."""
    try:
        path.hardlink_to(whole)
    except FileExistsError:
        raise TakenError from None
