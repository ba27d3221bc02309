"""What instructions cost here, and what that says of PEXT."""

import json
import re
from collections.abc import Callable

import pytest
from click.testing import CliRunner
from command import slidebench

from slidebench import kernels
from slidebench.harness.machine import probes
from slidebench.harness.machine.cpu import why_emulated
from slidebench.harness.machine.probes import Verdict, judge_pext, probe
from slidebench.harness.verbs.machine.cpu import command as cpu_verb
from slidebench.harness.verbs.machine.probe import command as probe_verb
from slidebench.kernels import UnavailableError, features, registry
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


def test_a_fast_emulator_is_still_an_emulator() -> None:
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
def test_readings_next_to_a_multiplication_of_whole_cycles_are_valid(imul: float) -> None:
    assert probes._not_valid(imul) is None


@pytest.mark.parametrize("imul", [0.0, 1.0, 2.0, 2.7, 3.4, 4.5, 5.12, 5.87, 6.2, 7.0, 40.0])
def test_readings_next_to_any_other_multiplication_are_not_valid(imul: float) -> None:
    assert (probes._not_valid(imul) or "").startswith(f"invalid readings (imul took {imul:.2f} cycles): ")


def test_there_are_no_readings_without_a_multiplication() -> None:
    assert probes._not_valid(None) == "no readings: this machine is not x86-64"


def test_a_busy_machine_is_tried_again_and_then_called_not_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    class Busy:
        passes = 0

        def sample(self) -> None:
            self.passes += 1

        def reading(self) -> probes.Reading:
            return probes.Reading("imul", None, 3.0 if self.passes >= self.quiet_after else 4.5, 1.0)

    for quiet_after, passes in ((1, probes.MIN_PASSES), (7, 7), (10**6, probes.MAX_PASSES)):
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
        for instruction, mask_bits in bits.items():
            assert mask_bits == (set(probes.MASK_BITS) if instruction in ("pext", "pdep") else {None})

    def test_an_unknown_instruction_is_rejected(self) -> None:
        with pytest.raises(UnavailableError, match=r"'fdiv'.*imul"):
            probe(["fdiv"])

    def test_no_blocks_are_rejected(self) -> None:
        with pytest.raises(ValueError, match="0"):
            blocks.Probe("add").latency_ticks(0)


class TestVerb:
    @pytest.mark.parametrize(
        ("machine", "level", "line"),
        [
            ("qemu-penryn", "v1", "v1 runs here"),
            ("qemu-penryn", "v2", "v2 does not run here: the hypervisor does not expose popcnt or sse4_2"),
            ("qemu-nehalem", "v2", "v2 runs here"),
            ("fx-8350", "v3", "v3 does not run here: this CPU has no avx2, bmi2 or movbe"),
            ("core-i5-12400", "v3", "v3 runs here"),
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
        monkeypatch.setattr(registry, "_missing", dict)  # levels that this compiler lacks
        monkeypatch.setattr(features, "detect", lambda: features.Features(recorded(machine)))
        result = CliRunner().invoke(cpu_verb, ["--why-not", level])
        assert (result.exit_code, result.output) == (0, f"{line}\n")

    @pytest.mark.parametrize("level", kernels.levels())
    def test_cpu_explains_each_level_of_this_one(self, level: str) -> None:
        result = CliRunner().invoke(cpu_verb, ["--why-not", level])
        assert re.fullmatch(rf"{level} (runs here|does not run here: \S.*)\n", result.output)

    def test_json_has_the_keys_that_scripts_use(self) -> None:
        result = CliRunner().invoke(probe_verb, ["pext", "imul", "--json"])
        data = json.loads(result.output)
        assert result.exit_code == (1 if data["not_valid"] else 0)
        assert data["pext"]["speed"] in ("fast", "microcoded", "emulated", "absent")
        assert data["pext"]["reason"]
        for reading in data["readings"]:
            assert reading.keys() == {"instruction", "mask_bits", "latency_cycles", "throughput_cycles"}

    def test_an_unknown_instruction_gives_one_line_and_status_2(self) -> None:
        result = slidebench("probe", "fdiv")
        assert result.returncode == 2
        assert re.fullmatch(r"slidebench: .*'fdiv'.*\n", result.stderr)
