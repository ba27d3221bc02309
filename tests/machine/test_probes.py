"""What instructions cost here, and what that says of PEXT."""

import json
import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from slidebench import kernels
from slidebench.harness.machine import probes
from slidebench.harness.machine.cpu import why_emulated
from slidebench.harness.machine.probes import Verdict, judge_pext, probe
from slidebench.harness.verbs.machine.cpu import cpu as cpu_verb
from slidebench.kernels import UnavailableError, features
from slidebench.kernels import probes as blocks

FAST = features.pext("AuthenticAMD", 0x19, has_bmi2=True)
MICROCODED = features.pext("AuthenticAMD", 0x17, has_bmi2=True)
UNKNOWN = features.pext("CentaurHauls", 7, has_bmi2=True)

# Cycles by mask bits. Zen 5 and the emulator (qemu 7.2) were measured; Zen+ is 32-bit PDEP, from a comment on
# github.com/llvm/llvm-project/pull/217304.
ZEN_5 = dict.fromkeys(probes.MASK_BITS, 2.99)
ZEN_PLUS = {0: 18.1, 1: 20.3, 2: 22.3, 8: 36.7, 16: 69.2, 32: 142.8}
EMULATOR = {0: 4.2, 6: 11.3, 14: 26.0, 60: 111.0}


@pytest.mark.parametrize(
    ("latencies", "expected", "speed"),
    [
        (ZEN_5, FAST, "fast"),
        (ZEN_5, MICROCODED, "fast"),  # what is measured decides
        (ZEN_PLUS, MICROCODED, "microcoded"),
        (ZEN_PLUS, UNKNOWN, "microcoded"),
        (ZEN_PLUS, FAST, "emulated"),  # a Zen 3 in name only
        (EMULATOR, FAST, "emulated"),
        (EMULATOR, MICROCODED, "emulated"),  # no microcode starts at 4 cycles
        (dict.fromkeys(probes.MASK_BITS, 20.0), UNKNOWN, "microcoded"),  # slow, whatever the mask
    ],
)
def test_pext_is_judged_by_its_cycles(
    latencies: dict[int, float], expected: features.Pext, speed: str
) -> None:
    verdict = judge_pext(latencies, expected, why_emulated=None)
    assert verdict.speed == speed
    assert f"{latencies[0]:.1f} cycles with 0 mask bits" in verdict.reason


def test_a_quick_emulator_is_an_emulator_all_the_same() -> None:
    assert judge_pext(ZEN_5, FAST, "CPUID names an emulator") == Verdict(
        "emulated", "CPUID names an emulator"
    )


def test_pext_without_bmi2_is_absent_and_says_why() -> None:
    none = features.pext("GenuineIntel", 6, has_bmi2=False)
    assert judge_pext({}, none, why_emulated=None) == Verdict("absent", none.reason)


@pytest.mark.parametrize(
    "imul",
    [
        *(2.98, 3.0, 3.09),  # most CPUs
        *(4.0, 3.95, 4.99, 5.02),  # 5: Gracemont, in the E cores of Alder Lake
        *(5.93, 6.08),  # Excavator
    ],
)
def test_figures_beside_a_multiplication_of_whole_cycles_are_valid(imul: float) -> None:
    assert probes._not_valid(imul) is None


@pytest.mark.parametrize("imul", [0.0, 1.0, 2.0, 2.7, 3.4, 4.5, 5.12, 5.87, 6.2, 7.0, 40.0])
def test_figures_beside_any_other_multiplication_are_not_valid(imul: float) -> None:
    assert probes._not_valid(imul) == (
        f"not valid: imul came out at {imul:.2f} cycles and not at a whole number from 3 to 6; "
        "try again on an idle machine"
    )


def test_figures_without_a_multiplication_are_not_valid() -> None:
    assert probes._not_valid(None) == "not valid: this machine is not x86-64"


def test_a_busy_machine_is_tried_again_and_then_called_not_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    class Busy:
        passes = 0

        def sample(self) -> None:
            self.passes += 1

        def reading(self) -> probes.Reading:
            return probes.Reading("imul", None, 3.0 if self.passes >= self.quiet_after else 4.5, 1.0)

    for quiet_after, passes in ((1, probes.PASSES), (7, 7), (10**6, probes.MAX_PROBE_ITERATIONS)):
        busy = Busy()
        busy.quiet_after = quiet_after  # type: ignore[attr-defined]
        assert (probes._not_valid(probes._measure([busy])) is None) == (quiet_after < 10**6)  # type: ignore[list-item]
        assert busy.passes == passes


class TestHere:
    pytestmark = pytest.mark.skipif(not blocks.INSTRUCTIONS, reason="this machine is not x86-64")

    def test_pext_is_as_the_cpus_family_promises(self) -> None:
        report = probe(["pext"])
        if report.not_valid or why_emulated():
            pytest.skip(report.not_valid or why_emulated())
        if features.detect().pext.speed == "unknown":
            pytest.skip("nothing is known of this family's PEXT")
        assert report.pext.speed == features.detect().pext.speed

    def test_every_instruction_is_measured_or_absent_for_a_reason(self) -> None:
        report = probe()
        measured = {reading.instruction for reading in report.readings}
        assert measured | report.absent.keys() == set(blocks.INSTRUCTIONS)
        assert not measured & report.absent.keys()
        assert all(report.absent.values())

    def test_masks_matter_to_pext_and_pdep_only(self) -> None:
        bits: dict[str, set[int | None]] = {}
        for reading in probe().readings:
            bits.setdefault(reading.instruction, set()).add(reading.mask_bits)
        for instruction, found in bits.items():
            assert found == (set(probes.MASK_BITS) if instruction in ("pext", "pdep") else {None})

    def test_an_unknown_instruction_is_refused_with_those_there_are(self) -> None:
        with pytest.raises(UnavailableError, match="no instruction called 'fdiv' can be probed; there are"):
            probe(["fdiv"])

    def test_no_blocks_are_refused(self) -> None:
        with pytest.raises(ValueError, match="0 blocks; give 1 or more"):
            blocks.Probe("add").latency_ticks(0)


class TestVerb:
    @pytest.mark.parametrize(
        ("machine", "level", "line"),
        [
            ("qemu-penryn", "v1", "v1 runs here"),
            ("qemu-penryn", "v2", "v2 does not run here: this CPU has no popcnt"),
            ("qemu-nehalem", "v2", "v2 runs here"),
            ("qemu-nehalem", "v3", "v3 does not run here: this CPU has no avx"),
            ("fx-8350", "v3", "v3 does not run here: this CPU has no avx2"),
            ("core-i5-12400", "v3", "v3 runs here"),
            ("qemu-skylake-client", "v4", "v4 does not run here: this CPU has no avx512f"),
            ("ryzen-9-7950x", "v4", "v4 runs here"),
        ],
    )
    def test_cpu_explains_a_level_in_one_line(
        self,
        machine: str,
        level: str,
        line: str,
        recorded: Callable[[str], features.Dump],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        if level not in kernels.levels():
            pytest.skip("this machine is not x86-64")
        monkeypatch.setattr(kernels, "_missing", dict)  # whatever this compiler lacks
        monkeypatch.setattr(features, "detect", lambda: features.Features(recorded(machine)))
        result = CliRunner().invoke(cpu_verb, ["--why-not", level])
        assert (result.exit_code, result.output) == (0, f"{line}\n")

    @pytest.mark.parametrize("level", kernels.levels())
    def test_cpu_explains_each_level_of_this_one(self, level: str) -> None:
        command = [sys.executable, "-m", "slidebench.harness", "cpu", "--why-not", level]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert re.fullmatch(rf"{level} (runs here|does not run here: \S.*)\n", result.stdout)

    def test_json_has_the_keys_that_scripts_use(self) -> None:
        command = [sys.executable, "-m", "slidebench.harness", "probe", "pext", "imul", "--json"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        data = json.loads(result.stdout)
        assert result.returncode == (1 if data["not_valid"] else 0)
        assert data["pext"]["speed"] in ("fast", "microcoded", "emulated", "absent")
        assert data["pext"]["reason"]
        for reading in data["readings"]:
            assert reading.keys() == {"instruction", "mask_bits", "latency_cycles", "throughput_cycles"}

    def test_an_unknown_instruction_gives_one_line_and_status_2(self) -> None:
        command = [sys.executable, "-m", "slidebench.harness", "probe", "fdiv"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 2
        assert result.stderr.startswith("slidebench: no instruction called 'fdiv' can be probed")
        assert result.stderr.count("\n") == 1
