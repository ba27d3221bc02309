"""The installed package on other CPUs: what it detects and runs under qemu-user. Nothing is timed."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from slidebench import kernels

MIN_QEMU = (7, 2)
NO_FEATURE = "(this CPU has no|the hypervisor does not expose) "
D4 = 197281  # perft of the start position at depth 4

HIDDEN = "Nehalem,-hypervisor"  # does not show that it is emulated
# Where `slidebench run` is tried, with part of its error: importing SciPy takes the emulator six seconds.
RUN_ERRORS = {"Conroe": "needs NumPy, which needs level v2", "EPYC-Rome": "CPUID names QEMU's emulator"}

# model: (vendor, family, model), microarchitecture, highest level, what its family says of PEXT
MODELS = {
    "Conroe": (("GenuineIntel", 6, 15), "Conroe", "v1", "absent"),
    HIDDEN: (("GenuineIntel", 6, 26), "Nehalem", "v2", "absent"),
    "SandyBridge": (("GenuineIntel", 6, 42), "Sandy Bridge", "v2", "absent"),
    "Haswell": (("GenuineIntel", 6, 60), "Haswell", "v3", "fast"),
    "Haswell,-bmi2": (("GenuineIntel", 6, 60), "Haswell", "v2", "absent"),
    "EPYC-Rome": (("AuthenticAMD", 23, 49), "Zen 2", "v3", "microcoded"),
    "EPYC-Milan": (("AuthenticAMD", 25, 1), "Zen 3", "v3", "fast"),
}

# One process for each model does everything: the emulator takes seconds to start Python.
EVERYTHING = """
import contextlib, io, json, os, sys
from unittest.mock import patch
from slidebench import kernels
from slidebench.harness.machine import cpu, probes
from slidebench.harness.cli import main
from slidebench.kernels import features, loading

def leaves_or_refusal(kernel, level):
    try:
        return kernels.load(kernel, level).perft("startpos", 4)
    except kernels.UnavailableError as error:
        return str(error)

def forced(kernel, level):
    # The exit status of a child process that skips the check; a crash may not end this one.
    child = os.fork()
    if not child:
        with patch.object(loading, "why_not", lambda *_: None):
            kernels.load_choice(kernels.Choice(kernel, level)).perft("startpos", 4)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

here = features.detect()
probed = probes.probe(["pext", "popcnt", "vpshufb", "vpternlogq"])
errors, status = io.StringIO(), None
with contextlib.redirect_stderr(errors):
    try:
        if len(sys.argv) > 1:
            main()
    except SystemExit as exit:
        status = exit.code
described = cpu.describe()
with patch.object(cpu, "why_emulated", lambda: None):
    by_pext_alone = probes.why_emulated()
print(json.dumps({
    "signature": [here.vendor, here.family, here.model],
    "microarchitecture": described.microarchitecture,
    "pext_expected": cpu.pext_expected(described).speed,
    "why_emulated": cpu.why_emulated(),
    "why_emulated_by_pext_alone": by_pext_alone,
    "forced_v2": forced("magic_fancy", "v2"),
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


def emulated(model: str, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["qemu-x86_64", "-cpu", model, sys.executable, "-c", script, *arguments]
    # NumPy tries OpenBLAS out when imported, which takes code that is too new for the emulated Nehalem.
    environment = {**os.environ, "OPENBLAS_CORETYPE": "Nehalem"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, Any]]:
    """What the package detects and does on an emulated CPU."""

    @cache
    def everything(model: str) -> dict[str, Any]:
        result = emulated(model, EVERYTHING, *(["run", "--quick"] if model in RUN_ERRORS else []))
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
                assert result == f"magic_fancy at {level}: {found['why_not'][level]}"
                assert re.match(NO_FEATURE, found["why_not"][level])

    def test_pext_runs_where_bmi2_is_and_is_refused_elsewhere(
        self, seen: Callable[[str], dict[str, Any]], model: str
    ) -> None:
        _, _, highest, _ = MODELS[model]
        for level, result in seen(model)["pext"].items():
            if level < "v3":
                assert result == f"pext at {level}: needs level v3 or higher"
            elif level <= highest:
                assert result == D4
            else:
                assert re.search(NO_FEATURE, result)

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

    def test_the_emulator_is_found_by_its_name_or_by_the_hosts_cpuinfo(
        self, seen: Callable[[str], dict[str, Any]], model: str
    ) -> None:
        assert re.match(
            "CPUID says GenuineIntel family 6 model 26, /proc/cpuinfo says "
            if model == HIDDEN
            else r"CPUID names QEMU's emulator \(TCGTCGTCGTCG\)$",
            seen(model)["why_emulated"],
        )

    def test_an_emulator_that_hides_behind_the_hosts_name_is_found_by_its_pext(
        self, seen: Callable[[str], dict[str, Any]], model: str
    ) -> None:
        reason = seen(model)["why_emulated_by_pext_alone"]
        assert (
            re.match(r"\d+\.\d cycles with 0 mask bits, ", reason)
            if MODELS[model][2] > "v2"
            else reason is None
        )

    def test_a_level_forced_past_the_check_would_crash(
        self, seen: Callable[[str], dict[str, Any]], model: str
    ) -> None:
        """The control: what the refusals above prevent."""
        assert seen(model)["forced_v2"] == (0 if MODELS[model][2] > "v1" else -signal.SIGILL)


@pytest.mark.parametrize("model", RUN_ERRORS)
def test_no_time_reaches_a_record(seen: Callable[[str], dict[str, Any]], model: str) -> None:
    assert seen(model)["run_status"] == 2
    assert RUN_ERRORS[model] in seen(model)["run_errors"]
    assert seen(model)["run_errors"].count("\n") == 1
