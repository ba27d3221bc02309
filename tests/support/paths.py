"""Where the checkout and the recorded data of the tests are."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
# Public perft suites of mixed licences are not part of the project; tests that read them skip without this folder.
PUBLISHED = Path(os.environ.get("SLIDEBENCH_PUBLISHED_PERFT", "not set"))
