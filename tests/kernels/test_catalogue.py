"""What the build is told to compile."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from slidebench import kernels
from slidebench.kernels import catalogue, registry


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
    monkeypatch.setattr(registry, "_built_modules", dict)
    assert kernels.why_not("qbb", level) == "not built: `make install` builds every kernel"
    assert kernels.why_not("qbb", level, "swar") == f"not built with swar popcount at {level}"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("contain: pext", "unknown header key 'contain': expected one of title, author"),
        ("needs: v22", "unknown level 'v22': expected one of v1, v2"),
        ("needs: v3 gnfi", "unknown feature 'gnfi': expected one of gfni"),
        ("needs: v2 ssse3", "feature 'ssse3' is part of v2: expected only features beyond it"),
        ("contains: pext from v33", "unknown level 'v33': expected one of v1, v2"),
    ],
)
def test_a_mistake_in_a_header_is_named_with_its_file_and_line(
    tmp_path: Path, line: str, problem: str
) -> None:
    sliders = tmp_path / "sliders"
    sliders.mkdir()
    (tmp_path / "popcounts").mkdir()
    (tmp_path / "popcounts/builtin.pxi").write_text("# title: builtin\n")
    slider = sliders / "typo.pxi"
    slider.write_text(f"# title: A typo\n# {line}\n\ncdef int x\n")
    with pytest.raises(catalogue.HeaderError) as raised:
        catalogue.read_source(slider)
    assert str(raised.value).startswith(f"{slider}:2: {problem}")

    copy = shutil.copy(catalogue.__file__, tmp_path)
    for request in (["pairs", "all"], ["modules", "all", "v3"]):
        build = subprocess.run([sys.executable, copy, *request], capture_output=True, text=True, check=False)
        assert build.returncode != 0
        assert build.stderr == f"{raised.value}\n"


def test_a_level_unknown_to_this_build_has_a_rank_but_no_order() -> None:
    assert catalogue.level_order("v3") == catalogue.level_rank("v3") > catalogue.level_order("v2")
    assert catalogue.level_order("generic") == catalogue.level_rank("v9") == 0
    with pytest.raises(ValueError, match="unknown level 'v9': expected one of v1, v2"):
        catalogue.level_order("v9")
