"""The command line as a user runs it."""

import os
import subprocess
import sys
from pathlib import Path

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
