"""The fuzzers' targets hold on their corpus and on a few random bytes; `make fuzz` takes longer."""

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import TESTS

FUZZ = TESTS / "fuzz"
sys.path.insert(0, str(FUZZ))

from targets import TARGETS  # noqa: E402

CORPUS = sorted(path for path in (FUZZ / "corpus").glob("*/*") if path.is_file())


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: f"{path.parent.name} {path.name}")
def test_what_has_been_found_stays_mended(path: Path) -> None:
    TARGETS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
@settings(deadline=None, max_examples=50)
@given(data=st.binary(max_size=200), seed=st.sampled_from(CORPUS), at=st.integers(0, 400))
def test_damaged_input_does_no_harm(target: str, data: bytes, seed: Path, at: int) -> None:
    content = seed.read_bytes()
    TARGETS[target](content[:at] + data[:4] + content[at + len(data[:4]) :])
    TARGETS[target](data)
