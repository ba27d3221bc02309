"""Can verdicts be trusted on this machine? Compare equal kernels, and a kernel with itself slowed on purpose.

A trial compares two copies of one compiled module, each with tables of its own, so that chance places them
differently in every launch. Everything else is as in a run: launches, rounds in random order, paired ratios,
and the same test.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from typing import NamedTuple

from slidebench import kernels
from slidebench.harness.analysis.stats import compare
from slidebench.harness.errors import UserError
from slidebench.harness.records.reader import MAX_RECORD_ROUNDS
from slidebench.harness.records.schema import Samples
from slidebench.harness.run import launches
from slidebench.harness.workloads import operations, perft_workloads

PAIRS = 20  # trials that share the launches
LAUNCHES = 10
LAUNCH_SECONDS = 1.5


class TrialOutcome(NamedTuple):
    """Verdicts in `trials` comparisons whose second kernel takes longer by the fraction `slowdown`."""

    slowdown: float
    busy: bool
    trials: int
    faster: int
    slower: int

    @property
    def differences(self) -> int:
        return self.faster + self.slower


def trial_outcome(slowdown: float, *, busy: bool, trials: int, seed: int = 1) -> Iterator[TrialOutcome]:
    """Run trials on this machine, with a busy process next to them if `busy`; yields the outcome so far.

    Raises UserError if modules cannot be copied, or the kernel counts wrong.
    """
    faster = slower = done = 0
    with _busy_process() if busy else nullcontext():
        while done < trials:
            for pair in list(_pairs(slowdown, seed + done)):
                (comparison,) = compare([pair])  # judged alone, as the only one of its table
                done += 1
                faster += comparison is not None and comparison.verdict == "faster"
                slower += comparison is not None and comparison.verdict == "slower"
            yield TrialOutcome(slowdown, busy, done, faster, slower)


def _pairs(slowdown: float, seed: int) -> Iterator[tuple[list[Samples], list[Samples]]]:
    """The samples of PAIRS trials: the kernel unchanged, and slowed."""
    choice = kernels.Selection().best()
    workload = perft_workloads()[1]
    tasks = [
        launches.Task(
            number=number, choice=choice, workload=workload, iterations=0, slowdown=slowdown * (number % 2)
        )
        for number in range(2 * PAIRS)
    ]
    samples = [Samples(**asdict(choice), workload=workload.name, operations=0) for _ in tasks]
    for launch in range(LAUNCHES):
        job = launches.Job(
            launch=launch,
            seed=seed,
            seconds=LAUNCH_SECONDS,
            max_rounds=MAX_RECORD_ROUNDS // LAUNCHES,
            tasks=tasks,
            streams={},
        )
        for message in launches.messages(job):
            match message:
                case launches.Batches(iterations, copied):
                    _check_copied(copied)
                    for number, count in iterations.items():
                        tasks[number].iterations = count
                        samples[number].operations = count * operations(workload)
                case launches.Sample(number, round_, nanoseconds):
                    samples[number].launches.append(launch)
                    samples[number].rounds.append(round_)
                    samples[number].cpu_nanoseconds.append(nanoseconds)
                case launches.Wrong(_, failure):
                    raise UserError(f"{failure}: check the kernel with `slidebench verify`")
    for pair in range(PAIRS):
        yield [samples[2 * pair]], [samples[2 * pair + 1]]


def _check_copied(copied: bool) -> None:
    if not copied:
        raise UserError(
            "modules cannot be copied: set TMPDIR to a directory with free space that is not mounted noexec"
        )


@contextmanager
def _busy_process() -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()
