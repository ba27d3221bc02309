"""The installed package on CPUs that are not here: what it sees and runs under qemu-user, never a time."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from slidebench import kernels

MIN_QEMU = (7, 2)
D4 = 197281  # perft of the start position at depth 4

# model: (vendor, family, model), microarchitecture, highest level, what its family says of PEXT
MODELS = {
    "Conroe": (("GenuineIntel", 6, 15), "Conroe", "v1", "absent"),
    "Nehalem": (("GenuineIntel", 6, 26), "Nehalem", "v2", "absent"),
    "SandyBridge": (("GenuineIntel", 6, 42), "Sandy Bridge", "v2", "absent"),
    "Haswell": (("GenuineIntel", 6, 60), "Haswell", "v3", "fast"),
    "Haswell,-bmi2": (("GenuineIntel", 6, 60), "Haswell", "v2", "absent"),
    "EPYC-Rome": (("AuthenticAMD", 23, 49), "Zen 2", "v3", "microcoded"),
    "EPYC-Milan": (("AuthenticAMD", 25, 1), "Zen 3", "v3", "fast"),
}

# One process does everything: starting Python takes the emulator seconds.
EVERYTHING = """
import contextlib, io, json, sys
from slidebench import kernels
from slidebench.harness.machine import cpu, probes
from slidebench.harness.cli import main
from slidebench.kernels import features

def leaves_or_refusal(kernel, level):
    try:
        return kernels.load(kernel, level).perft("startpos", 4)
    except kernels.UnavailableError as error:
        return str(error)

here = features.detect()
probed = probes.probe(["pext", "popcnt", "vpshufb", "vpternlogq"])
errors = io.StringIO()
sys.argv = ["slidebench", "run", "--quick"]
with contextlib.redirect_stderr(errors):
    try:
        main()
    except SystemExit as exit:
        status = exit.code
described = cpu.describe()
print(json.dumps({
    "signature": [here.vendor, here.family, here.model],
    "microarchitecture": described.microarchitecture,
    "pext_expected": cpu.pext_expected(described).speed,
    "why_emulated": cpu.why_emulated(),
    "default": str(kernels.Selection().best()),
    "why_not": {level: kernels.why_not_level(level) for level in kernels.levels()},
    "magics": {level: leaves_or_refusal("magic_fancy", level) for level in kernels.levels()},
    "pext": {level: leaves_or_refusal("pext", level) for level in kernels.levels()},
    "probe": probed.pext.speed,
    "absent": probed.absent,
    "measured": sorted({reading.instruction for reading in probed.readings}),
    "run_status": status,
    "run_errors": errors.getvalue(),
}))
"""


def qemu_problem() -> str | None:
    if not shutil.which("qemu-x86_64"):
        return "qemu-x86_64 (qemu-user) is not installed"
    answer = subprocess.run(["qemu-x86_64", "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"version (\d+)\.(\d+)", answer)
    if not found or (int(found[1]), int(found[2])) < MIN_QEMU:
        return f"qemu-x86_64 is older than {'.'.join(map(str, MIN_QEMU))}"
    return None if "v1" in kernels.levels() else "this machine is not x86-64"


pytestmark = pytest.mark.skipif(qemu_problem() is not None, reason=str(qemu_problem()))


def emulated(model: str, script: str) -> subprocess.CompletedProcess[str]:
    command = ["qemu-x86_64", "-cpu", model, sys.executable, "-c", script]
    # NumPy tries OpenBLAS out when imported, which takes code that is too new for the emulated Nehalem.
    environment = {**os.environ, "OPENBLAS_CORETYPE": "Nehalem"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, Any]]:
    """What the package sees and does on an emulated CPU."""

    @cache
    def everything(model: str) -> dict[str, Any]:
        result = emulated(model, EVERYTHING)
        assert result.returncode == 0, result.stderr
        return dict(json.loads(result.stdout))

    return everything


@pytest.mark.parametrize("model", MODELS)
class TestEmulated:
    def test_the_cpu_is_recognised(self, seen: Callable[[str], dict[str, Any]], model: str) -> None:
        signature, microarchitecture, _, pext = MODELS[model]
        found = seen(model)
        assert (tuple(found["signature"]), found["microarchitecture"]) == (signature, microarchitecture)
        assert found["pext_expected"] == pext

    def test_the_default_is_the_best_that_runs_well(
        self, seen: Callable[[str], dict[str, Any]], model: str
    ) -> None:
        _, _, highest, pext = MODELS[model]
        kernel = "pext" if pext == "fast" else "magic_fancy"
        assert seen(model)["default"] == f"{kernel} {highest} builtin"

    def test_levels_run_or_are_refused_with_the_reason(
        self, seen: Callable[[str], dict[str, Any]], model: str
    ) -> None:
        _, _, highest, _ = MODELS[model]
        found = seen(model)
        for level, result in found["magics"].items():
            if level <= highest:
                assert (result, found["why_not"][level]) == (D4, None)
            else:
                assert re.match(f"magic_fancy at {level}: this CPU has no ", result)
                assert found["why_not"][level].startswith("this CPU has no ")

    def test_pext_runs_where_bmi2_is_and_is_refused_elsewhere(
        self, seen: Callable[[str], dict[str, Any]], model: str
    ) -> None:
        _, _, highest, _ = MODELS[model]
        for level, result in seen(model)["pext"].items():
            if level < "v3":
                assert result == f"pext at {level}: pext needs level v3 or higher"
            elif level <= highest:
                assert result == D4
            else:
                assert "this CPU has no " in result

    def test_only_instructions_of_the_cpu_are_probed(
        self, seen: Callable[[str], dict[str, Any]], model: str
    ) -> None:
        _, _, highest, _ = MODELS[model]
        found = seen(model)
        expected = {"popcnt"} if highest > "v1" else set()
        expected |= {"pext", "vpshufb"} if highest > "v2" else set()
        expected |= {"vpshufb"} if model.startswith("Haswell") else set()
        assert set(found["measured"]) == expected
        assert found["absent"].keys() == {"pext", "popcnt", "vpshufb", "vpternlogq"} - expected

    def test_the_emulators_pext_is_never_called_fast(
        self, seen: Callable[[str], dict[str, Any]], model: str
    ) -> None:
        assert seen(model)["probe"] == ("emulated" if MODELS[model][2] > "v2" else "absent")

    def test_no_time_reaches_a_record(self, seen: Callable[[str], dict[str, Any]], model: str) -> None:
        found = seen(model)
        assert found["why_emulated"] == "CPUID names QEMU's emulator (TCGTCGTCGTCG)"
        assert found["run_status"] == 2
        assert found["run_errors"].startswith(
            "slidebench: run needs NumPy, which needs level v2: this CPU has no "
            if MODELS[model][2] == "v1"
            else f"slidebench: {found['why_emulated']}: times under an emulator mean nothing"
        )
        assert found["run_errors"].count("\n") == 1


def test_an_emulator_that_hides_its_name_is_found_by_the_hosts_cpuinfo() -> None:
    script = "from slidebench.harness import cpu; print(cpu.why_emulated())"
    said = emulated("Nehalem,-hypervisor", script).stdout
    assert re.match("CPUID says GenuineIntel family 6 model 26, /proc/cpuinfo says ", said)


def test_an_emulator_that_hides_behind_the_hosts_name_is_found_by_its_pext() -> None:
    script = (
        "from slidebench.harness import cpu, probes\n"
        "cpu.why_emulated = lambda: None\n"
        "print(probes.why_emulated())"
    )
    said = emulated("EPYC-Milan", script).stdout
    assert re.search(r"cycles with 0 mask bits, .*, but AMD family 0x19 runs PEXT in hardware", said)


def test_a_level_forced_past_the_check_would_crash() -> None:
    """The control: what the refusals above prevent."""
    script = (
        "from slidebench import kernels\n"
        "kernels.why_not = lambda *_: None\n"
        "kernels.load('magic_fancy', 'v2').perft('startpos', 4)"
    )
    assert emulated("Conroe", script).returncode in (-4, 132)
