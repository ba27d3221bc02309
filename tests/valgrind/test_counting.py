"""Instruction counts: exact, the same everywhere, and not above the committed table."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from paths import ROOT

from slidebench import kernels
from slidebench.harness.run.streams import query_streams
from slidebench.harness.valgrind import baseline
from slidebench.harness.valgrind import counting as count
from slidebench.harness.valgrind.counting import Count, CountError, Uncounted, countable
from slidebench.harness.workloads import Lookup, Perft, perft_workloads
from slidebench.kernels import Choice, Selection

TABLE = ROOT / "results" / "instructions.json"
LOWEST = kernels.levels()[0]
FANCY = Choice("magic_fancy", LOWEST, "builtin")

needs_valgrind = pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")


def perft(position: str = "kiwipete") -> Perft:
    return next(each for each in perft_workloads() if each.position == position)


def counted(choices: list[Choice], workload: Perft | None = None) -> tuple[list[Count], list[Uncounted]]:
    return count.count(choices, [workload or perft()])


def assert_not_risen(choices: list[Choice]) -> None:
    compiler = baseline.compiler_of(choices[0])
    table = baseline.read_baseline(TABLE)
    known = table[perft().name]
    if compiler not in known:
        pytest.skip(f"no instruction baseline for {compiler}: build with {' or '.join(known)}")
    counts, uncounted = counted(choices)
    assert {each.choice for each in counts} == set(choices) - {each.choice for each in uncounted}
    assert baseline.risen(table, counts) == []


@needs_valgrind
def test_no_kernel_takes_more_instructions_than_the_table_says() -> None:
    """Every kernel at its highest level that valgrind can run."""
    highest = {choice.kernel: choice for choice in countable(Selection(popcount="builtin"))}
    assert_not_risen(list(highest.values()))


@needs_valgrind
@pytest.mark.slow
def test_no_kernel_takes_more_instructions_at_any_level() -> None:
    assert_not_risen(countable(Selection()))


def test_a_rise_above_1_percent_names_kernel_level_and_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baseline, "compiler_of", lambda choice: "gcc 12")
    table = {"perft toy": {"gcc 12": {"pext v3 swar": 100.0, "pext v3 builtin": 100.0}}}
    swar, builtin, new = (Choice(*row.split()) for row in ("pext v3 swar", "pext v3 builtin", "pext v2 swar"))
    assert (
        baseline.risen(table, [Count(swar, "perft toy", 10, 1010), Count(builtin, "perft toy", 10, 200)])
        == []
    )
    assert baseline.risen(table, [Count(swar, "perft toy", 10, 1021), Count(new, "perft toy", 10, 1000)]) == [
        "pext v3 swar: perft toy rose by 2.1 %, from 100.000 to 102.100 instructions per operation: "
        "if intended, run `make instructions`",
        "pext v2 swar is not in the baseline: add it with `make instructions`",
    ]


def test_another_compilers_counts_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baseline, "compiler_of", lambda choice: "clang 19")
    table = {"perft toy": {"gcc 12": {str(FANCY): 1.0}}}
    assert baseline.risen(table, [Count(FANCY, "perft toy", 1, 1000)]) == []


def test_the_table_is_rewritten_for_what_was_counted_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(baseline, "compiler_of", lambda choice: "gcc 12")
    path = tmp_path / "instructions.json"
    old = {
        "clang 19": {str(FANCY): 9.0},
        "gcc 12": {str(FANCY): 9.0, "pext v3 swar": 8.0, "gone v1 swar": 7.0},
    }
    path.write_text(json.dumps({"perft toy": old}))
    baseline.write_baseline(path, [Count(FANCY, "perft toy", 3, 10)])
    assert baseline.read_baseline(path) == {
        "perft toy": {"clang 19": {str(FANCY): 9.0}, "gcc 12": {str(FANCY): 3.333, "pext v3 swar": 8.0}}
    }
    path.write_text("[1]")
    with pytest.raises(CountError, match=r"instructions.json is not an instruction baseline"):
        baseline.read_baseline(path)


@needs_valgrind
def test_counts_repeat_to_the_instruction_in_any_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    first = counted([FANCY])
    monkeypatch.setenv("A_LONG_VARIABLE", "x" * 50_000)
    monkeypatch.setenv("PYTHONHASHSEED", "12345")
    assert counted([FANCY]) == first
    other = Choice("ray_loop", LOWEST, "builtin")
    monkeypatch.setattr(count, "usable_cpus", lambda: 1)  # one valgrind for both
    assert counted([other, FANCY])[0][1:] == first[0]


@needs_valgrind
def test_queries_are_counted_apart_from_each_other() -> None:
    available = query_streams()
    stream = available["tree", "rook"]
    workloads = [
        Lookup(name=piece, piece=piece, order="throughput", stream="tree",
               pairs=len(stream.squares), sha256=stream.sha256)
        for piece in kernels.PIECES
    ]  # fmt: skip
    counts, _ = count.count([FANCY], [perft("start"), *workloads], available.values())
    assert [each.workload for each in counts] == ["perft start d5", *kernels.PIECES]
    node, rook, bishop, queen = (each.per_operation for each in counts)
    assert node > 1
    assert 5 < rook < queen < rook + bishop
    assert 5 < bishop < queen


@needs_valgrind
@pytest.mark.slow
def test_larger_simulated_caches_miss_less_often() -> None:
    available = query_streams()
    stream = available["random", "rook"]
    lookup = Lookup(name="rook", piece="rook", order="throughput", stream="random",
                    pairs=len(stream.squares), sha256=stream.sha256)  # fmt: skip
    misses = {}
    for geometry in ("haswell", "zen2"):
        counts, _ = count.count([FANCY], [lookup], [stream], geometry)
        misses[geometry] = counts[0].simulated_misses
    assert misses["haswell"] and misses["zen2"]
    assert lookup.pairs > misses["haswell"].level_2 > misses["zen2"].level_2 > 0
    assert misses["haswell"].level_1 > misses["haswell"].level_2


def test_v4_is_refused_with_the_reason() -> None:
    with pytest.raises(CountError, match=r"v4.*: valgrind has no AVX-512: expected level v1 to v3"):
        countable(Selection(level="v4"))
    assert "v4" not in {choice.level for choice in countable(Selection())}


def test_without_valgrind_one_line_says_so(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "slidebench.harness",
        "instructions",
        "--kernel",
        "magic_fancy",
        "--level",
        LOWEST,
    ]
    environment = {**os.environ, "PATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 2
    assert done.stderr == "slidebench: valgrind is not installed: on Debian, apt install valgrind\n"


def test_a_valgrind_that_fails_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "valgrind"
    fake.write_text("#!/bin/sh\necho 'valgrind: cannot run here' >&2\nexit 3\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CountError, match=r"valgrind failed: valgrind: cannot run here"):
        counted([FANCY])
