"""Loops extracted from built modules, and the figures of a pipeline model for them."""

import json
import shutil

import pytest
from command import slidebench

pytest.importorskip("iced_x86")
pytest.importorskip("elftools")

import iced_x86

from slidebench import kernels
from slidebench.harness.code import model as models
from slidebench.harness.code.loops import LoopError, assembly, query_loop
from slidebench.kernels import Choice, UnavailableError

pytestmark = pytest.mark.skipif("v3" not in kernels.levels(), reason="this machine is not x86-64")
needs_tool = pytest.mark.skipif(
    not shutil.which(models.TOOL), reason=f"{models.TOOL} (llvm-19) is not installed"
)

MAGICS = Choice("magic_fancy", "v3", "builtin")
PEXT = Choice("pext", "v3", "builtin")


def lines_of(code: str) -> list[str]:
    """The lines that the model gets for machine code in hexadecimal, without the jump at the end."""
    instructions = list(iced_x86.Decoder(64, bytes.fromhex(code + "75f0"), ip=0x1000))
    *lines, jump = assembly(instructions)
    assert jump == "jne 0"
    return [line.replace(", ", ",") for line in lines]


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("482310", ["mov (%rax),%r15", "and %r15,%rdx"]),
        ("480faf5008", ["mov 8(%rax),%r15", "imul %r15,%rdx"]),
        ("c4e2f2f508", ["mov (%rax),%r15", "pext %r15,%rcx,%rcx"]),
        ("4c2338", ["mov (%rax),%r14", "and %r14,%r15"]),  # r15 is taken
        ("3a10", ["movzbl (%rax),%r15d", "cmp %r15b,%dl"]),
        ("833802", ["mov (%rax),%r15d", "cmpl $2,%r15d"]),
        ("660fdb00", ["movdqu (%rax),%xmm15", "pand %xmm15,%xmm0"]),
        ("c5f5db07", ["vmovdqu (%rdi),%ymm15", "vpand %ymm15,%ymm1,%ymm0"]),
        ("62f1f558d407", ["vpbroadcastq (%rdi),%zmm15", "vpaddq %zmm15,%zmm1,%zmm0"]),
        # Nothing to split: a plain load, a load that widens, a store, a change in memory, an address.
        ("488b04c8", ["mov (%rax,%rcx,8),%rax"]),
        ("0fb600", ["movzbl (%rax),%eax"]),
        ("488908", ["mov %rcx,(%rax)"]),
        ("480108", ["add %rcx,(%rax)"]),
        ("488d4008", ["lea 8(%rax),%rax"]),
    ],
)
def test_folded_loads_become_loads_of_their_own(code: str, lines: list[str]) -> None:
    assert lines_of(code) == lines


@pytest.mark.parametrize("order", ["throughput", "latency"])
@pytest.mark.parametrize(("choice", "instruction"), [(PEXT, "pext "), (MAGICS, "imul ")], ids=str)
def test_a_query_is_one_trip_of_its_loop(choice: Choice, instruction: str, order: str) -> None:
    for piece, times in (("rook", 1), ("bishop", 1), ("queen", 2)):
        lines = query_loop(choice, f"{piece}_{order}")
        assert sum(line.startswith(instruction) for line in lines) == times
        assert lines[-1].startswith("j")
        assert not any("(" in line and not line.startswith(("mov", "lea")) for line in lines)


def test_a_loop_that_branches_is_refused() -> None:
    with pytest.raises(LoopError, match="ray_loop v3 builtin: rook_latency branches within a query"):
        query_loop(Choice("ray_loop", "v3", "builtin"), "rook_latency")


def test_a_module_that_is_not_built_has_no_loop() -> None:
    with pytest.raises(UnavailableError, match="pext at v1: needs level v3 or higher"):
        query_loop(Choice("pext", "v1", "builtin"), "rook_latency")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("alderlake", "LLVM 19 gets its scalar instructions wrong"),
        ("sapphirerapids", "LLVM 19 gets its scalar instructions wrong"),
        ("znver5", "LLVM 19 gives it the figures of znver4"),
        ("nehalem", "its model was not checked"),
    ],
)
def test_cpus_without_a_good_model_are_refused(name: str, reason: str) -> None:
    with pytest.raises(models.ModelError, match=rf"^{name} is not modelled \({reason}\): expected one of "):
        models.check_target(name)


@needs_tool
class TestModelled:
    def test_a_chain_of_multiplications_takes_three_cycles_each(self) -> None:
        (cycles,) = models._analysed([["imul %rax,%rax"] * 5], "haswell")
        assert cycles == pytest.approx(15, rel=0.02)

    def test_microcoded_pext_is_refused_and_the_rest_goes_on(self) -> None:
        result = models.model(["znver1", "znver2", "znver3"], [PEXT, MAGICS], "rook")
        by_cpu: dict[str, list[models.Estimate]] = {}
        for estimate in result.modelled:
            by_cpu.setdefault(estimate.cpu, []).append(estimate)
        for cpu in ("znver1", "znver2"):
            pext, magics = by_cpu[cpu][:2], by_cpu[cpu][2:]
            assert {each.why_not for each in pext} == {
                f"{cpu} runs PEXT from microcode, which its model gets wrong"
            }
            assert all(each.cycles is None for each in pext)
            assert all(each.cycles for each in magics)
        assert all(each.cycles for each in by_cpu["znver3"])

    def test_a_level_the_cpu_lacks_is_refused(self) -> None:
        result = models.model(["haswell", "icelake-server"], [Choice("pext", "v4", "builtin")], "rook")
        assert [each.why_not for each in result.modelled] == [
            *["haswell cannot run v4"] * 2, None, None,
        ]  # fmt: skip

    def test_dependent_queries_take_longer_than_independent_ones(self) -> None:
        throughput, latency = models.model(["skylake"], [MAGICS], "queen").modelled
        assert (throughput.order, latency.order) == ("throughput", "latency")
        assert throughput.cycles is not None
        assert latency.cycles is not None
        assert latency.cycles > throughput.cycles

    def test_a_model_alone_times_nothing_and_is_the_same_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr(models.stopwatch, "cycles_per_query")
        first, again = (models.modelled(["haswell", "znver2"], [PEXT, MAGICS], "rook") for _ in range(2))
        assert first == again
        assert [each.cpu for each in first] == ["haswell"] * 4 + ["znver2"] * 4

    def test_every_estimate_is_labelled(self) -> None:
        result = models.model(["znver4"], [MAGICS], "rook")
        assert {each.label for each in (*result.modelled, *result.nearest_modelled)} == {"modelled"}
        assert {each.label for each in result.measured} == {"measured"}


@needs_tool
def test_json_has_the_keys_that_scripts_use() -> None:
    data = json.loads(slidebench("model", "--target", "haswell", "--kernel", "pext", "--json").stdout)
    assert data.keys() == {"modelled", "here", "nearest", "measured", "nearest_modelled"}
    for estimate in data["modelled"]:
        assert (estimate["kernel"], estimate["cpu"], estimate["label"]) == ("pext", "haswell", "modelled")
        assert estimate["cycles"] > 0


@needs_tool
def test_the_table_says_what_is_modelled_and_why_cells_are_blank() -> None:
    text = slidebench("model", "--target", "znver2,znver4", "--kernel", "pext", COLUMNS="160").stdout
    assert "modelled by llvm-mca 19" in text
    assert "All but the measured column are modelled" in text
    assert "-  znver2 runs PEXT from microcode, which its model gets wrong\n" in text


@pytest.mark.parametrize(
    ("arguments", "environment", "message"),
    [
        (
            ["--kernel", "pext"],
            {"PATH": ""},
            "llvm-mca-19 is not installed: on Debian, apt-get install llvm-19",
        ),
        (["--target", "znver5"], {}, "znver5 is not modelled"),
        (["--kernel", "pext", "--level", "v1"], {}, "pext at v1: needs level v3 or higher"),
        (["--kernel", "nosuch"], {}, "unknown kernel 'nosuch': expected one of "),
    ],
)
def test_faults_give_one_line_and_status_2(
    arguments: list[str], environment: dict[str, str], message: str
) -> None:
    result = slidebench("model", *arguments, **environment)
    assert result.returncode == 2
    assert result.stderr.startswith(f"slidebench: {message}")
    assert result.stderr.count("\n") == 1
