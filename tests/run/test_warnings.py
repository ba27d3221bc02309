"""Each warning is given when, and only when, there is reason."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from slidebench.harness.machine.cpu import Cpu, describe
from slidebench.harness.machine.system import CpuTimes, System
from slidebench.harness.run.warnings import Warning, Window, of_machine, of_samples, of_window, shape
from slidebench.kernels.features import Dump


@pytest.fixture
def quiet() -> Cpu:
    """A machine that gives no reason for a warning."""
    machine = describe(Dump({}))
    return msgspec.structs.replace(
        machine, governor="performance", boost=False, smt_active=False, virtualised=False, logical_cpus=None
    )


def test_a_quiet_machine_gives_no_warning(quiet: Cpu) -> None:
    assert of_machine(quiet, System(None)) == set()


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
    assert of_machine(msgspec.structs.replace(quiet, **change), System(None)) == {warning}


def test_a_discharging_battery_is_warned_of(
    quiet: Cpu, tmp_path: Path, write_system: Callable[..., System]
) -> None:
    system = write_system(tmp_path, sys__class__power_supply__BAT0__status="Discharging")
    assert of_machine(quiet, system) == {Warning.BATTERY}
    system = write_system(tmp_path, sys__class__power_supply__BAT0__status="Charging")
    assert of_machine(quiet, system) == set()


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
    assert of_window(window, [4000.0] * 20) == expected


def test_a_moving_clock_is_warned_of() -> None:
    nothing = Window(None, None, 0, 0)
    assert of_window(nothing, [4000.0] * 20) == set()
    assert of_window(nothing, [4000.0] * 10 + [3600.0] * 10) == {Warning.FREQUENCY}
    assert of_window(nothing, []) == set()


class TestSamples:
    usual = tuple(round(each) for each in 1e6 * (1 + 0.01 * np.random.default_rng(5).standard_normal(60)))

    def test_usual_scatter_has_one_peak(self) -> None:
        assert shape([*self.usual]) == "one peak"
        assert of_samples([[*self.usual]] * 10, launches=10) == set()

    def test_two_levels_are_two_peaks(self) -> None:
        slowed = [round(each * 1.2) for each in self.usual[:30]] + [*self.usual[30:]]
        assert shape(slowed) == "two peaks"
        assert of_samples([slowed] * 10, launches=10) == {Warning.TWO_PEAKS}

    def test_a_tenth_far_out_are_outliers(self) -> None:
        disturbed = [each * 3 for each in self.usual[:8]] + [*self.usual[8:]]
        assert shape(disturbed) == "outliers"
        assert of_samples([disturbed] * 10, launches=10) == {Warning.OUTLIERS}

    @pytest.mark.parametrize("elapsed", [0, -1])
    def test_a_frozen_or_backward_clock_is_warned_of(self, elapsed: int) -> None:
        assert of_samples([[*self.usual, elapsed]], launches=10) == {Warning.CLOCK}

    def test_few_launches_are_warned_of(self) -> None:
        assert of_samples([[*self.usual]], launches=2) == {Warning.FEW_LAUNCHES}

    @pytest.mark.parametrize("samples", [[], [0] * 50, [5] * 50])
    def test_samples_without_scatter_have_one_peak(self, samples: list[int]) -> None:
        assert shape(samples) == "one peak"


def test_every_warning_has_advice() -> None:
    for warning in Warning:
        assert ":" in warning.value


def test_a_busy_neighbour_and_a_skipped_verification_stand_in_the_record(tmp_path: Path) -> None:
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        arguments = [
            "--kernel",
            "magic_fancy",
            "--popcount",
            "builtin",
            "--budget",
            "3s",
            "--no-verify",
            "--json",
        ]
        command = [sys.executable, "-m", "slidebench.harness", "run", *arguments]
        result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    record = json.loads(result.stdout)
    assert {"LOAD", "UNVERIFIED"} <= set(record["warnings"])
    assert not any(build["verified"] for build in record["builds"])
    assert {each["launch"] for each in record["rounds"]} == set(range(5))
    assert all(100 < each["core_megahertz"] < 10_000 for each in record["rounds"])
