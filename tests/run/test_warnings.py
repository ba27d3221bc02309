"""Each warning is given if, and only if, there is reason, and says what was observed."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
from command import slidebench

from slidebench import kernels
from slidebench.harness.machine.cpu import Cpu, describe
from slidebench.harness.machine.system import CpuTimes, System
from slidebench.harness.records.schema import RecordedWarning
from slidebench.harness.run.warnings import (
    Finding,
    Warning,
    Window,
    of_machine,
    of_samples,
    of_window,
    shape,
    warning_text,
)
from slidebench.kernels.features import Dump


def warned(findings: list[Finding]) -> set[Warning]:
    return {finding.warning for finding in findings}


@pytest.fixture
def quiet() -> Cpu:
    """A machine that gives no reason for a warning."""
    machine = describe(Dump({}))
    return msgspec.structs.replace(
        machine, governor="performance", boost=False, smt_active=False, virtualised=False, logical_cpus=None
    )


def test_a_quiet_machine_gives_no_warning(quiet: Cpu) -> None:
    assert of_machine(quiet, System(None)) == []


@pytest.mark.parametrize(
    ("change", "warning"),
    [
        ({"governor": "powersave"}, Warning.GOVERNOR),
        ({"boost": True}, Warning.BOOST),
        ({"smt_active": True}, Warning.SMT),
        ({"virtualised": True}, Warning.VIRTUAL),
        ({"logical_cpus": 4096}, Warning.PINNED),
    ],
)
def test_the_machines_state_is_warned_of(quiet: Cpu, change: dict, warning: Warning) -> None:
    assert warned(of_machine(msgspec.structs.replace(quiet, **change), System(None))) == {warning}


def test_a_discharging_battery_is_warned_of(
    quiet: Cpu, tmp_path: Path, write_system: Callable[..., System]
) -> None:
    system = write_system(tmp_path, sys__class__power_supply__BAT0__status="Discharging")
    assert of_machine(quiet, system) == [Finding(Warning.BATTERY)]
    system = write_system(tmp_path, sys__class__power_supply__BAT0__status="Charging")
    assert of_machine(quiet, system) == []


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (CpuTimes(100, 0, 200), set()),
        (CpuTimes(108, 0, 200), set()),
        (CpuTimes(112, 0, 200), {Warning.LOAD}),
        (CpuTimes(112, 0, 6400), {Warning.LOAD}),  # of 64 CPUs
        (CpuTimes(100, 12, 200), {Warning.STEAL}),
        (CpuTimes(0, 0, 0), set()),  # a clock that stood still
    ],
)
def test_others_use_of_the_cpu_is_warned_of_on_a_machine_of_any_size(after: CpuTimes, expected: set) -> None:
    window = Window(CpuTimes(0, 0, 0), after, own_seconds=100, wall_seconds=100)
    assert warned(of_window(window, [4000.0] * 20)) == expected


def test_a_warning_says_how_much_was_observed(quiet: Cpu) -> None:
    window = Window(CpuTimes(0, 0, 0), CpuTimes(123, 34, 400), own_seconds=100, wall_seconds=100)
    findings = [
        *of_machine(msgspec.structs.replace(quiet, governor="powersave", logical_cpus=4096), System(None)),
        *of_window(window, [4000.0] * 10 + [3600.0] * 10),
        *of_samples([[0, 5, -5]], launches=2),
    ]
    details = {finding.warning: finding.detail for finding in findings}
    assert details[Warning.LOAD] == "other processes used 23 % of a CPU"
    assert details[Warning.FREQUENCY] == "the core's clock ranged from 3600 to 4000 MHz"
    assert re.search(r"\b34 %", details[Warning.STEAL])
    assert "'powersave'" in details[Warning.GOVERNOR]
    assert re.search(r"\d+ of 4096 CPUs", details[Warning.PINNED])
    assert re.search(r"\b2 samples", details[Warning.CLOCK])
    assert details[Warning.FEW_LAUNCHES].startswith("2 ")


def test_a_recorded_warning_is_shown_with_its_advice_and_an_unknown_one_without() -> None:
    load = RecordedWarning(name="LOAD", detail="other processes used 23 % of a CPU")
    assert (
        warning_text(load) == "other processes used 23 % of a CPU: stop them, or measure at a quieter moment"
    )
    assert warning_text(RecordedWarning(name="BATTERY")) == "running on battery: plug in"
    assert warning_text(RecordedWarning(name="FLOOD", detail="water in the case")) == "water in the case"


def test_load_that_cannot_be_judged_is_warned_of() -> None:
    times = CpuTimes(0, 0, 0)
    for before, after in ((None, None), (times, None), (None, times)):
        assert warned(of_window(Window(before, after, 0, 0), [])) == {Warning.UNJUDGED}


def test_a_changing_clock_frequency_is_warned_of() -> None:
    idle = Window(CpuTimes(0, 0, 0), CpuTimes(0, 0, 0), 0, 0)
    assert of_window(idle, [4000.0] * 20) == []
    assert warned(of_window(idle, [4000.0] * 10 + [3600.0] * 10)) == {Warning.FREQUENCY}
    assert of_window(idle, []) == []


class TestSamples:
    usual = tuple(round(each) for each in 1e6 * (1 + 0.01 * np.random.default_rng(5).standard_normal(60)))

    def test_usual_scatter_has_one_peak(self) -> None:
        assert shape([*self.usual]) == "one peak"
        assert of_samples([[*self.usual]] * 10, launches=10) == []

    def test_two_levels_are_two_peaks(self) -> None:
        slowed = [round(each * 1.2) for each in self.usual[:30]] + [*self.usual[30:]]
        assert shape(slowed) == "two peaks"
        assert warned(of_samples([slowed] * 10, launches=10)) == {Warning.TWO_PEAKS}

    def test_a_tenth_far_out_are_outliers(self) -> None:
        disturbed = [each * 3 for each in self.usual[:8]] + [*self.usual[8:]]
        assert shape(disturbed) == "outliers"
        assert warned(of_samples([disturbed] * 10, launches=10)) == {Warning.OUTLIERS}

    @pytest.mark.parametrize("elapsed", [0, -1])
    def test_a_frozen_or_backward_clock_is_warned_of(self, elapsed: int) -> None:
        assert warned(of_samples([[*self.usual, elapsed]], launches=10)) == {Warning.CLOCK}

    def test_few_launches_are_warned_of(self) -> None:
        assert warned(of_samples([[*self.usual]], launches=2)) == {Warning.FEW_LAUNCHES}

    @pytest.mark.parametrize("samples", [[], [0] * 50, [5] * 50])
    def test_samples_without_scatter_have_one_peak(self, samples: list[int]) -> None:
        assert shape(samples) == "one peak"


def test_every_warning_has_a_problem_and_advice_of_its_own() -> None:
    assert all(warning.problem and warning.advice for warning in Warning)
    assert len({warning.problem for warning in Warning}) == len(Warning)


def test_a_busy_neighbour_and_a_skipped_verification_are_in_the_record(tmp_path: Path) -> None:
    arguments = ["--kernel", "magic_fancy", "--level", kernels.levels()[0], "--popcount", "builtin"]
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as hog:
        try:
            result = slidebench("run", *arguments, "--budget", "1s", "--no-verify", "--json", cwd=tmp_path)
        finally:
            hog.kill()
    record = json.loads(result.stdout)
    assert {"LOAD", "UNVERIFIED"} <= {warning["name"] for warning in record["warnings"]}
    assert not any(build["verified"] for build in record["builds"])
    assert {round_["launch"] for round_ in record["rounds"]} == set(range(5))
    assert all(100 < round_["core_megahertz"] < 10_000 for round_ in record["rounds"])
