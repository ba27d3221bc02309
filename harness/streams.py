"""Standard streams that a program can rely on, and output that nobody can read any more."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper

from slidebench.harness.errors import EXIT_SIGPIPE, UserError

NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def repair() -> None:
    """Open closed standard streams on /dev/null; replace letters that the locale cannot encode."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the parent process
            null = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(null, "r" if name == "stdin" else "w"))
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


@contextmanager
def flushed_output() -> Iterator[None]:
    """Flush standard output at the end. Exits with EXIT_SIGPIPE on a broken pipe.

    Raises UserError if the output cannot be written.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OSError as error:
        # The interpreter flushes once more at exit, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):
            sys.exit(EXIT_SIGPIPE)
        full = error.errno in NO_SPACE
        raise UserError(f"cannot write the output: {error.strerror}" if full else str(error)) from None


@contextmanager
def exit_on_broken_pipe() -> Iterator[None]:
    """Exit with EXIT_SIGPIPE on a broken pipe, to which click would give the status of a wrong result."""
    try:
        yield
    except BrokenPipeError:
        sys.exit(EXIT_SIGPIPE)


def report_error(message: str, status: int = 2) -> int:
    """Print an error on standard error; returns the exit status."""
    with suppress(OSError):
        print(f"slidebench: {message}", file=sys.stderr)
    return status
