"""The machine code of everything built, and code that breaks each promise in turn."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from paths import ROOT

from slidebench import kernels
from slidebench.kernels import Choice, UnavailableError, catalogue

audit = pytest.importorskip("slidebench.harness.code.audit", reason="iced-x86 or pyelftools is not installed")

if kernels.levels() == (catalogue.GENERIC.name,):
    pytest.skip("an audit reads x86-64 code", allow_module_level=True)

Compile = Callable[..., Path]


@pytest.fixture(scope="module")
def built() -> list[Choice]:
    return audit.built()


def path_of(choice: Choice) -> Path:
    path = audit.binary.module_path(choice)
    if path is None:
        pytest.skip(f"{choice} is not built")
    return path


@pytest.fixture
def compiled(tmp_path: Path) -> Compile:
    """A shared object whose timed functions are empty, except for what `bodies` gives them (assembly)."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")

    def compile_(*flags: str, **bodies: str) -> Path:
        written = {name.partition(".")[0] for name in bodies}
        functions = {name: "nop" for name in audit.TIMED if name not in written} | bodies
        lines = [
            f'void f{number}(void) __asm__("{name}"); void f{number}(void) {{ __asm__ volatile("{body}"); }}'
            for number, (name, body) in enumerate(functions.items())
        ]
        (tmp_path / "module.c").write_text("\n".join(lines))
        output = tmp_path / "module.so"
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-O1", *flags, tmp_path / "module.c", "-o", output], check=True
        )
        return output

    return compile_


def broken(path: Path, choice: Choice) -> set[tuple[str, str]]:
    """(function, instruction) of every violation."""
    return {(each.function, each.instruction) for each in audit.examine(path, choice).violations}


def test_everything_built_keeps_its_promises(built: list[Choice]) -> None:
    broken_promises = [str(violation) for choice in built for violation in audit.audit(choice).violations]
    assert broken_promises == []


def test_a_module_of_a_higher_level_fails_as_one_of_a_lower() -> None:
    path = path_of(Choice("magic_fancy", "v3", "swar"))
    violations = audit.examine(path, Choice("magic_fancy", "v1", "swar")).violations
    assert {"made_white", "perft_timed"} & {re.sub(r".*_\d+", "", each.function) for each in violations}
    line = next(str(each) for each in violations if each.function == "rook_throughput")
    assert re.fullmatch(
        r"magic_fancy_swar_v1: rook_throughput: [a-z]+ at 0x[0-9a-f]+: beyond v1, it needs (AVX|BMI)\w*", line
    )


def test_a_module_of_a_lower_level_passes_as_one_of_a_higher() -> None:
    path = path_of(Choice("magic_fancy", "v1", "swar"))
    assert audit.examine(path, Choice("magic_fancy", "v4", "swar")).violations == ()


def test_software_pext_fails_as_pext_and_pext_as_software_pext() -> None:
    hardware, software = Choice("pext", "v3", "builtin"), Choice("pext_soft", "v3", "builtin")
    violations = audit.examine(path_of(software), hardware).violations
    assert [str(each) for each in violations] == [
        "pext_builtin_v3: perft: pext: missing at v3, pext declares that it contains it"
    ]
    assert ("rook_throughput", "pext") in broken(path_of(hardware), software)


def test_every_timed_loop_of_pext_has_pext(built: list[Choice]) -> None:
    for choice in built:
        if choice.kernel == "pext":
            loops = {
                name.partition(".")[0]
                for name, function in audit.read_functions(path_of(choice)).items()
                if "pext" in function.mnemonics
            }
            assert loops >= set(audit.TIMED) - {audit.PERFT, "working_set_alone"}


def test_every_loop_that_is_kept_out_of_line_is_timed_code() -> None:
    source = (ROOT / "kernels" / "lookups.pxi").read_text()
    assert {*re.findall(r"^cdef NOINLINE_U64 (\w+)\(", source, re.M), "perft"} == set(audit.TIMED)


def test_a_loop_is_timed_code_under_a_compilers_name_for_it(compiled: Compile) -> None:
    choice = Choice("pext_soft", "v3", "swar")
    for name in ("queen_batch", "queen_batch.isra.0", "perft.constprop.0"):
        assert broken(compiled(**{name: "pext %rax, %rax, %rax"}), choice) == {(name, "pext")}


def test_counting_without_popcnt_fails_as_builtin_and_the_reverse() -> None:
    builtin, swar = Choice("magic_fancy", "v2", "builtin"), Choice("magic_fancy", "v2", "swar")
    assert broken(path_of(swar), builtin) == {("perft", "popcnt")}
    functions = {
        function for function, instruction in broken(path_of(builtin), swar) if instruction == "popcnt"
    }
    assert any(function.startswith("count_") for function in functions)


def test_builtin_need_not_have_popcnt_before_v2() -> None:
    choice = Choice("magic_fancy", "v1", "builtin")
    audited = audit.examine(path_of(choice), choice)
    assert audited.violations == ()
    assert audited.extensions == ()


def test_lzcnt_is_forbidden_below_v3_and_tzcnt_is_not(compiled: Compile) -> None:
    path = compiled(perft="lzcnt %rax, %rax; tzcnt %rax, %rax")
    assert broken(path, Choice("ray_loop", "v1", "swar")) == {("perft", "lzcnt")}
    assert broken(path, Choice("ray_loop", "v3", "swar")) == set()


@pytest.mark.parametrize(
    ("instruction", "lowest"),
    [
        ("popcnt %rax, %rax", "v2"),
        ("pshufb %xmm0, %xmm0", "v2"),
        ("vpaddq %ymm0, %ymm0, %ymm0", "v3"),
        ("andn %rax, %rax, %rax", "v3"),
        ("vpsllvq %ymm0, %ymm0, %ymm0", "v3"),
        ("vprolvq %zmm0, %zmm0, %zmm0", "v4"),
        ("vpternlogq $1, %ymm0, %ymm0, %ymm0", "v4"),
    ],
)
def test_an_instruction_is_allowed_from_its_level_up(
    compiled: Compile, instruction: str, lowest: str
) -> None:
    path = compiled(helper=instruction)
    name = instruction.partition(" ")[0]
    for level in ("v1", "v2", "v3", "v4"):
        expected = set() if level >= lowest else {("helper", name)}
        assert broken(path, Choice("ray_loop", level, "swar")) == expected


def test_lahf_and_sahf_are_beyond_v1(compiled: Compile) -> None:
    """The first x86-64 CPUs had them in 32-bit code only."""
    path = compiled(helper=".byte 0x9f; .byte 0x9e")
    for level, expected in (("v1", {"lahf", "sahf"}), ("v2", set())):
        violations = audit.examine(path, Choice("ray_loop", level, "swar")).violations
        assert {each.instruction for each in violations} == expected
        assert {each.reason for each in violations} <= {"beyond v1, it needs LAHF_LM"}


def test_every_feature_of_a_kernel_has_a_name_that_instructions_have() -> None:
    known = {*vars(audit.iced_x86.CpuidFeature), "LAHF_LM"}
    for kernel in kernels.names():
        assert audit._allowed(Choice(kernel, "v4", "builtin")) <= known


def test_no_level_has_gfni_or_popcnt_in_vectors(compiled: Compile) -> None:
    path = compiled(perft="vgf2p8affineqb $0, %ymm0, %ymm0, %ymm0; vpopcntq %zmm0, %zmm0")
    assert broken(path, Choice("ray_loop", "v4", "swar")) == {
        ("perft", "vgf2p8affineqb"),
        ("perft", "vpopcntq"),
    }


def test_cpu_detection_of_the_support_library_is_no_false_alarm(compiled: Compile) -> None:
    path = compiled(__cpu_indicator_init="xgetbv", helper="nop")
    assert broken(path, Choice("ray_loop", "v1", "swar")) == set()
    assert broken(compiled(helper="xgetbv"), Choice("ray_loop", "v1", "swar")) == {("helper", "xgetbv")}


def test_what_timed_code_calls_is_timed_code(compiled: Compile) -> None:
    choice = Choice("pext_soft", "v3", "swar")
    assert broken(compiled(helper="pext %rax, %rax, %rax"), choice) == set()
    called = compiled("-fvisibility=hidden", perft="call helper", helper="pext %rax, %rax, %rax")
    assert broken(called, choice) == {("helper", "pext")}


def test_a_support_routine_does_not_fulfil_what_a_kernel_declares(compiled: Compile) -> None:
    choice, pext = Choice("pext", "v3", "swar"), "pext %rax, %rax, %rax"
    for name, missing in (("helper", set()), ("__helper", {("perft", "pext")})):
        path = compiled("-fvisibility=hidden", perft=f"call {name}", **{name: pext})
        assert broken(path, choice) == missing


def test_a_stripped_module_or_another_file_is_named(compiled: Compile, tmp_path: Path) -> None:
    choice = Choice("ray_loop", "v1", "swar")
    with pytest.raises(
        UnavailableError, match=r"module.so has no symbol for perft: build it without stripping"
    ):
        audit.examine(compiled("-s"), choice)
    (tmp_path / "text.so").write_text("This is no module.")
    with pytest.raises(UnavailableError, match=r"text.so is not an ELF file"):
        audit.examine(tmp_path / "text.so", choice)


def test_a_digest_depends_on_the_instructions_and_the_verdict(compiled: Compile) -> None:
    v1, v2 = Choice("ray_loop", "v1", "swar"), Choice("ray_loop", "v2", "swar")
    first = audit.audit_digest(audit.examine(compiled(perft="nop"), v2))
    assert re.fullmatch(r"[0-9a-f]{64}", first)
    assert audit.audit_digest(audit.examine(compiled(perft="nop", untimed="nop; nop"), v2)) == first
    assert audit.audit_digest(audit.examine(compiled(perft="pause"), v2)) != first
    faulty = compiled(untimed="crc32 %rax, %rax")
    assert audit.audit_digest(audit.examine(faulty, v2)) == first
    assert audit.audit_digest(audit.examine(faulty, v1)) != first


def test_the_verb_names_each_violation_and_exits_1(
    compiled: Compile, monkeypatch: pytest.MonkeyPatch
) -> None:
    from click.testing import CliRunner

    from slidebench.harness.verbs.correctness.audit import audit as verb

    faulty = compiled(perft="popcnt %rax, %rax")
    monkeypatch.setattr(audit.binary, "module_path", lambda choice: faulty)
    result = CliRunner().invoke(verb, ["--kernel", "ray_loop", "--level", "v1", "--popcount", "swar"])
    assert result.exit_code == 1
    assert "FAILED ray_loop_swar_v1: perft: popcnt at 0x" in result.output
    assert result.output.endswith("0 of 1 modules keep to their level and declared needs\n")


def test_the_verb_audits_what_is_built() -> None:
    command = [
        sys.executable,
        "-m",
        "slidebench.harness",
        "audit",
        "--kernel",
        "magic_fancy",
        "--level",
        "v1",
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    audits = json.loads(done.stdout)
    assert [each["choice"]["popcount"] for each in audits] == list(kernels.popcounts())
    for each in audits:
        assert {"perft", "rook_latency", "bulk_white"} <= {function["name"] for function in each["timed"]}
