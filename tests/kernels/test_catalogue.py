"""What the build is told to compile."""

import subprocess
import sys
from pathlib import Path

import pytest

from slidebench import kernels
from slidebench.kernels import catalogue


def modules(which: str, level: str) -> list[list[str]]:
    """The rows that the build asks for."""
    source = Path(catalogue.__file__)
    command = [sys.executable, str(source), "modules", which, level]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split("|") for line in done.stdout.splitlines()]


def test_a_standard_build_holds_what_a_run_times() -> None:
    rows, everything = modules("standard", "v3"), modules("all", "v3")
    built = {row[2] for row in rows}
    assert {"pext_builtin_v3", "magic_fancy_swar_v3", "hyperbola_avx2_builtin_v3"} <= built
    assert not {"qbb_builtin_v3", "pext_swar_v3", "kogge_stone_avx512_builtin_v3"} & built
    assert {kernel for kernel, popcount, *_ in rows if popcount != "builtin"} == {"magic_fancy"}
    assert all(row in everything for row in rows)  # compiled alike in either build
    assert len(rows) < len(everything) / 2


def test_a_run_times_what_a_standard_build_holds() -> None:
    lowest = kernels.levels()[0]
    timed = [choice for choice in kernels.Selection(level=lowest).runnable() if kernels.standard(choice)]
    built = {row[2] for row in modules("standard", lowest)}
    assert {catalogue.module_name(each.kernel, each.popcount, lowest) for each in timed} == built


def test_only_kernels_that_ask_for_avx512_may_use_its_registers() -> None:
    tuned = {row[0]: "-ffixed-xmm31" in row[5] for row in modules("all", "v4")}
    assert tuned["pext"]
    assert tuned["hyperbola_avx2"]
    assert not tuned["kogge_stone_avx512"]
    assert not any(row[5] for row in modules("all", "v3"))


def test_a_kernel_left_out_of_the_build_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    level = kernels.levels()[0]
    monkeypatch.setattr(kernels, "_built_modules", frozenset)
    assert kernels.why_not("qbb", level) == "not built: `make install` builds every kernel"
    assert kernels.why_not("qbb", level, "swar") == f"not built with swar popcount at {level}"
