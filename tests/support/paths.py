"""Paths of the checkout and of the tests' data."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
# Public perft suites of various licences, which are not part of the project; tests of them skip without it.
PUBLISHED = Path(os.environ.get("SLIDEBENCH_PUBLISHED_PERFT", "not set"))
