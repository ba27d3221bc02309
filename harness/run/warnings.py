"""What may distort a measurement: one list of warnings with advice. Nothing is corrected, only reported."""

import os
import time
from enum import Enum
from typing import NamedTuple

import numpy as np

from slidebench.harness.analysis.stats import MIN_VERDICT_LAUNCHES
from slidebench.harness.machine.cpu import Cpu
from slidebench.harness.machine.system import CpuTimes, System, usable_cpus
from slidebench.harness.records.schema import RecordedWarning

CPU_SHARE = 0.1  # of one CPU's time, used by others or stolen, that is worth a warning: a run uses one CPU
SERIES_SHARE = 0.05  # of the series of samples
FREQUENCY_SPREAD = 0.02


class Warning(Enum):
    """A warning: what records store is its name; its value is the problem and the advice."""

    LOAD = "other processes were busy", "stop them, or measure at a quieter moment"
    STEAL = "the hypervisor gave CPU time to other machines", "repeat, or use a dedicated machine"
    UNJUDGED = (
        "/proc/stat cannot be read, so the load by others is not known",
        "make sure that nothing else was running",
    )
    FREQUENCY = (
        "the core's clock frequency changed during the run",
        "let the machine cool, or fix its frequency",
    )
    GOVERNOR = (
        "the frequency governor is not 'performance'",
        "it may lower the clock between batches, so select 'performance'",
    )
    BOOST = "the clock may boost above nominal", "compare ratios within this record, not absolute times"
    SMT = "cores run two threads", "keep the machine idle, since a busy sibling slows a core"
    BATTERY = "running on battery", "plug in"
    VIRTUAL = (
        "a virtual machine shares caches and clock with its neighbours",
        "compare ratios within this record",
    )
    PINNED = "pinned to some of the CPUs", "make sure that no other process uses them"
    FEW_LAUNCHES = "too few launches to show how much they scatter", "raise --budget"
    CLOCK = "the clock stood still or ran backwards in some samples", "these are left out"
    TWO_PEAKS = "some samples fall into two groups", "look at the raw samples before quoting a median"
    OUTLIERS = "many samples are outliers", "find out what else ran at times"
    SHARED_FILES = (
        "launches loaded the installed modules, not copies, so an unlucky page layout affects all launches",
        "set TMPDIR to a directory with free space that is not mounted noexec",
    )
    UNVERIFIED = "the kernels were not verified and may be wrong", "run without --no-verify"
    DIRTY = "built from a modified work tree, so the commit does not identify the code", "commit and rebuild"
    UNKNOWN_BUILD = "built outside a git checkout, so the code cannot be identified", "build from a checkout"

    def __init__(self, problem: str, advice: str) -> None:
        self.problem = problem
        self.advice = advice


class Finding(NamedTuple):
    """A warning with what was observed; "" if there is no more to say than the problem."""

    warning: Warning
    detail: str = ""


def warning_text(recorded: RecordedWarning) -> str:
    """What was observed and the advice; without advice for a name this version does not know."""
    warning = Warning.__members__.get(recorded.name)
    if warning is None:
        return recorded.detail
    return f"{recorded.detail or warning.problem}: {warning.advice}"


class Window(NamedTuple):
    """The machine's CPU time between two readings of /proc/stat, our own CPU time, and the wall time."""

    before: CpuTimes | None
    after: CpuTimes | None
    own_seconds: float
    wall_seconds: float


class Stopwatch:
    """Starts a window when it is made."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._before = system.cpu_times()
        self._own_seconds = _own_seconds()
        self._begin = time.monotonic()

    def window(self) -> Window:
        """The window from the start until now."""
        own_seconds = _own_seconds() - self._own_seconds
        return Window(self._before, self.system.cpu_times(), own_seconds, time.monotonic() - self._begin)


def of_machine(machine: Cpu, system: System) -> list[Finding]:
    """Warnings about the state of the machine, known before anything is measured."""
    cpus, usable = machine.logical_cpus, usable_cpus()
    findings = []
    if machine.governor not in (None, "performance"):
        findings.append(Finding(Warning.GOVERNOR, f"the frequency governor is '{machine.governor}'"))
    if cpus is not None and usable < cpus:
        findings.append(Finding(Warning.PINNED, f"pinned to {usable} of {cpus} CPUs"))
    flags = {
        Warning.BOOST: machine.boost is True,
        Warning.SMT: machine.smt_active is True,
        Warning.VIRTUAL: machine.virtualised,
        Warning.BATTERY: system.on_battery() is True,
    }
    return findings + [Finding(warning) for warning, holds in flags.items() if holds]


def of_window(window: Window, megahertz: list[float]) -> list[Finding]:
    """Warnings about what happened during the run; `megahertz` is the core's clock in each round."""
    findings = _load(window)
    if megahertz:
        low, high = np.quantile(megahertz, [0.05, 0.95])
        if high - low > FREQUENCY_SPREAD * np.median(megahertz):
            findings.append(
                Finding(Warning.FREQUENCY, f"the core's clock ranged from {low:.0f} to {high:.0f} MHz")
            )
    return findings


def _load(window: Window) -> list[Finding]:
    """Warnings about CPU time that went elsewhere, in shares of one CPU."""
    if window.before is None or window.after is None:
        return [Finding(Warning.UNJUDGED)]
    busy = window.after.busy_seconds - window.before.busy_seconds - window.own_seconds
    stolen = window.after.steal_seconds - window.before.steal_seconds
    findings = []
    if busy > CPU_SHARE * window.wall_seconds:
        share = f"{100 * busy / window.wall_seconds:.0f} %"
        findings.append(Finding(Warning.LOAD, f"other processes used {share} of a CPU"))
    if stolen > CPU_SHARE * window.wall_seconds:
        share = f"{100 * stolen / window.wall_seconds:.0f} %"
        findings.append(Finding(Warning.STEAL, f"the hypervisor gave {share} of a CPU to other machines"))
    return findings


def of_samples(series: list[list[int]], launches: int) -> list[Finding]:
    """Warnings about the samples themselves; `series` has the nanoseconds of each kernel on each workload."""
    findings = []
    if launches < MIN_VERDICT_LAUNCHES:
        findings.append(
            Finding(
                Warning.FEW_LAUNCHES,
                f"{launches} launches, and {MIN_VERDICT_LAUNCHES} are needed to show how much they scatter",
            )
        )
    stopped = sum(nanoseconds <= 0 for samples in series for nanoseconds in samples)
    if stopped:
        findings.append(
            Finding(Warning.CLOCK, f"the clock stood still or ran backwards in {stopped} samples")
        )
    shapes = [shape(samples) for samples in series if len(samples) >= 20]
    for name, warning, text in (
        ("two peaks", Warning.TWO_PEAKS, "samples fall into two groups"),
        ("outliers", Warning.OUTLIERS, "many samples are outliers"),
    ):
        count = shapes.count(name)
        if count > SERIES_SHARE * len(shapes):
            findings.append(
                Finding(warning, f"{text} in {count} of {len(shapes)} pairs of a kernel and a workload")
            )
    return findings


def shape(samples: list[int]) -> str:
    """ "two peaks", "outliers" or "one peak".

    Two peaks: the best split into two groups of a fifth or more leaves little variance within them, and the
    means of the groups are well apart (Otsu's criterion, 1979). Outliers: a tenth is more than three
    interquartile ranges outside the quartiles.
    """
    ordered = np.sort(np.array([nanoseconds for nanoseconds in samples if nanoseconds > 0], dtype=float))
    count = len(ordered)
    if count < 10:
        return "one peak"
    total = ordered.var()
    splits = np.arange(count // 5, count - count // 5)
    if total > 0 and len(splits):
        # The variance within both groups of a split is the total less the variance of the groups' means.
        below = np.cumsum(ordered - ordered.mean())[splits - 1]
        within = total - below**2 / (splits * (count - splits))
        best = splits[int(np.argmin(within))]
        apart = ordered[best:].mean() / ordered[:best].mean() - 1
        if within.min() < 0.1 * total and apart > 0.02:
            return "two peaks"
    low, high = np.quantile(ordered, [0.25, 0.75])
    outliers = np.sum((ordered < low - 3 * (high - low)) | (ordered > high + 3 * (high - low)))
    return "outliers" if outliers > count / 10 else "one peak"


def _own_seconds() -> float:
    """CPU seconds of this process and of launches that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
