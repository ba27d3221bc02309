"""Benchmarks for asv: seconds per node and per query at each commit, kernel and level.

asv runs the benchmarks of the working tree on every commit. They use nothing of a commit but its kernels, and
those it lacks are n/a. Positions and occupancies are fixed here, so that every commit does the same work. asv
regards larger values as worse, hence seconds and not nodes/s.
"""

import platform
import runpy
from pathlib import Path
from typing import Any

from asv_runner.benchmarks.mark import SkipNotImplemented

# asv identifies a parameter by its index in the list, so all commits use the list of the working tree.
_CATALOGUE = runpy.run_path(str(Path(__file__).parents[2] / "kernels" / "catalogue.py"))
KERNELS = tuple(_CATALOGUE["sliders"]())
LEVELS = tuple(
    level.name
    for level in (_CATALOGUE["LEVELS"] if platform.machine() == "x86_64" else (_CATALOGUE["GENERIC"],))
)


def load(kernel: str, level: str) -> Any:
    """The kernel as built from the commit under test.

    Raises SkipNotImplemented (n/a to asv) with the reason if that commit lacks it, or this machine cannot
    run it.
    """
    try:
        from slidebench import kernels  # noqa: PLC0415 - the first commits have no such package

        reason = kernels.why_not(kernel, level)
    except (ImportError, AttributeError, ValueError) as error:
        reason = f"not at this commit: {error}"
    if reason:
        raise SkipNotImplemented(f"{kernel} at {level}: {reason}")
    return kernels.load(kernel, level, "builtin")


class PerOperation:
    """A benchmark whose samples are seconds per operation, as timed inside the compiled module.

    asv reads `timer` before and after each call and takes the difference as a sample. This timer advances by
    the seconds per operation of each call, so asv gets the samples themselves and can distinguish a change
    from noise.
    """

    number = 1  # calls per sample: each is a batch of at least 1 ms of thread CPU time
    rounds = 2  # processes
    repeat = (5, 10, 0.3)  # samples in each process: at least, at most, and seconds after which to stop
    warmup_time = 0.03
    seconds_per_operation = 0.0

    def timer(self) -> float:
        return self.seconds_per_operation

    def spend(self, cpu_nanoseconds: int, operations: int) -> None:
        self.seconds_per_operation += cpu_nanoseconds * 1e-9 / operations
