"""The command line as a user runs it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

SLIDEBENCH = (sys.executable, "-m", "slidebench.harness")


def slidebench(
    *arguments: str, cwd: Path | None = None, typed: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run it to the end; `typed` is its standard input."""
    return subprocess.run(
        [*SLIDEBENCH, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        input=typed,
        env={**os.environ, **environment},
        check=False,
    )


@contextmanager
def running(
    *arguments: str, cwd: Path | None = None, stdin: IO[str] | int | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Start it; it is killed at the end if it still runs."""
    process = subprocess.Popen(
        [*SLIDEBENCH, *arguments],
        cwd=cwd,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
