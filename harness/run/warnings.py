"""What may spoil a measurement: one list, each warning with its advice. Nothing is changed, only said."""

from enum import Enum
from typing import NamedTuple

import numpy as np

from slidebench.harness.analysis.stats import MIN_VERDICT_LAUNCHES
from slidebench.harness.machine.cpu import Cpu
from slidebench.harness.machine.system import CpuTimes, System, usable_cpus

CPU_SHARE = 0.1  # of one CPU's time, taken by others or stolen, that is worth a warning: a run uses one
SHARE = 0.05  # of the samples
FREQUENCY_SPREAD = 0.02


class Warning(Enum):
    """A warning: its name is what records hold, its value the advice."""

    LOAD = "other processes were busy: stop them, or measure at a quieter moment"
    STEAL = "the hypervisor gave this machine's CPU time to others: repeat, or use a dedicated machine"
    FREQUENCY = "the core's clock moved during the run: let the machine cool, or fix its frequency"
    GOVERNOR = "the frequency governor is not 'performance': it may lower the clock between batches"
    BOOST = (
        "the clock may boost above nominal: compare ratios within this record rather than absolute figures"
    )
    SMT = "cores run two threads: a busy sibling slows a core; keep the machine idle"
    BATTERY = "running on battery: plug in"
    VIRTUAL = "a virtual machine: neighbours share its caches and clock; compare ratios within this record"
    PINNED = "pinned to some of the CPUs: if others use them too, times suffer"
    FEW_LAUNCHES = "too few launches to show how much they scatter: raise --budget"
    CLOCK = "the clock stood still or ran backwards in some samples: those are left out"
    TWO_PEAKS = "some samples fall into two groups: look at the raw samples before quoting a median"
    OUTLIERS = "many samples lie far out: something else ran at times"
    SHARED_FILES = (
        "launches loaded the installed modules, not copies, so one that lies badly in memory is slow in all: "
        "set TMPDIR to a folder with room that may hold programs"
    )
    UNVERIFIED = "verification was skipped: the kernels may be wrong"
    DIRTY = "built from a changed work tree: the commit does not tell what was measured"
    UNKNOWN_BUILD = "built outside a git checkout: what was measured cannot be traced"


class Window(NamedTuple):
    """The machine's CPU time between two readings of /proc/stat, our own, and time on the wall."""

    before: CpuTimes | None
    after: CpuTimes | None
    own_seconds: float
    wall_seconds: float


def of_machine(machine: Cpu, system: System) -> set[Warning]:
    """What the machine's state gives reason for before anything is measured."""
    found = {
        Warning.GOVERNOR: machine.governor not in (None, "performance"),
        Warning.BOOST: machine.boost is True,
        Warning.SMT: machine.smt_active is True,
        Warning.VIRTUAL: machine.virtualised,
        Warning.BATTERY: system.on_battery() is True,
        Warning.PINNED: machine.logical_cpus is not None and usable_cpus() < machine.logical_cpus,
    }
    return {warning for warning, holds in found.items() if holds}


def of_window(window: Window, megahertz: list[float]) -> set[Warning]:
    """What happened on the machine while it measured."""
    found = set()
    if window.before and window.after:
        busy = window.after.busy_seconds - window.before.busy_seconds - window.own_seconds
        stolen = window.after.steal_seconds - window.before.steal_seconds
        if busy > CPU_SHARE * window.wall_seconds:
            found.add(Warning.LOAD)
        if stolen > CPU_SHARE * window.wall_seconds:
            found.add(Warning.STEAL)
    if megahertz and np.subtract(*np.quantile(megahertz, [0.95, 0.05])) > FREQUENCY_SPREAD * np.median(
        megahertz
    ):
        found.add(Warning.FREQUENCY)
    return found


def of_samples(nanoseconds: list[list[int]], launches: int) -> set[Warning]:
    """What the samples themselves show; one list for each kernel and workload."""
    found = set()
    if launches < MIN_VERDICT_LAUNCHES:
        found.add(Warning.FEW_LAUNCHES)
    if any(each <= 0 for samples in nanoseconds for each in samples):
        found.add(Warning.CLOCK)
    shapes = [shape(samples) for samples in nanoseconds if len(samples) >= 20]
    if sum(each == "two peaks" for each in shapes) > SHARE * len(shapes):
        found.add(Warning.TWO_PEAKS)
    if sum(each == "outliers" for each in shapes) > SHARE * len(shapes):
        found.add(Warning.OUTLIERS)
    return found


def shape(samples: list[int]) -> str:
    """ "two peaks", "outliers" or "one peak".

    Two peaks: the best split into two groups of a fifth or more leaves little scatter within them, and the
    groups lie well apart (Otsu's criterion, 1979). Outliers: a tenth lie beyond three quartile distances.
    """
    ordered = np.sort(np.array([each for each in samples if each > 0], dtype=float))
    if len(ordered) < 10:
        return "one peak"
    number = len(ordered)
    total = ordered.var()
    splits = np.arange(number // 5, number - number // 5)
    if total > 0 and len(splits):
        # The scatter within both groups of a split is that of all less that of the groups' means.
        below = np.cumsum(ordered - ordered.mean())[splits - 1]
        within = total - below**2 / (splits * (number - splits))
        best = splits[int(np.argmin(within))]
        apart = ordered[best:].mean() / ordered[:best].mean() - 1
        if within.min() < 0.1 * total and apart > 0.02:
            return "two peaks"
    low, high = np.quantile(ordered, [0.25, 0.75])
    far = np.sum((ordered < low - 3 * (high - low)) | (ordered > high + 3 * (high - low)))
    return "outliers" if far > len(ordered) / 10 else "one peak"
