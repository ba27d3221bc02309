"""Without the cluster extra, --cluster says what to install: a user error, not a crash."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = "import sys; sys.modules['distributed'] = None; from slidebench.harness.cli import main; main()"


@pytest.mark.parametrize("arguments", [["run", "--quick"], ["perft", "3"]], ids=["run", "perft"])
def test_the_missing_extra_is_one_line_and_status_2(arguments: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, *arguments, "--cluster", "tcp://127.0.0.1:8786"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "pip install 'slidebench[cluster]'" in result.stderr
    assert not list(tmp_path.iterdir())
