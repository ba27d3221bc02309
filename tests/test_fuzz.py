"""The fuzz targets pass on their corpus and on a few mutations of it; `make fuzz` tries many more."""

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
def test_the_corpus_passes(path: Path) -> None:
    TARGETS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
@settings(deadline=None, max_examples=30)
@given(data=st.binary(max_size=200), seed=st.sampled_from(CORPUS), at=st.integers(0, 400))
def test_mutated_input_does_no_harm(target: str, data: bytes, seed: Path, at: int) -> None:
    content = seed.read_bytes()
    TARGETS[target](content[:at] + data[:4] + content[at + len(data[:4]) :])
    TARGETS[target](data)
