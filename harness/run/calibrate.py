"""Does the method keep its promises on this machine? Equal kernels compared, and one slowed on purpose.

A trial compares one kernel with itself: two copies of the compiled module, each with its own tables, so that
chance places them differently in every launch. The rest is what a run does: launches, rounds in random order,
paired ratios, the same verdict.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
    """Verdicts on `trials` comparisons in which the second kernel wastes a share of its time."""

    slowdown: float
    busy: bool
    trials: int
    faster: int
    slower: int

    @property
    def differences(self) -> int:
        return self.faster + self.slower


def trial_outcome(slowdown: float, *, busy: bool, trials: int, seed: int = 1) -> Iterator[TrialOutcome]:
    """Run trials on this machine, a busy process beside them if asked; yields the trial_outcome so far."""
    faster = slower = done = 0
    with _busy_process(busy):
        while done < trials:
            for pair in list(_pairs(slowdown, seed + done)):
                (found,) = compare([pair])  # a table of its own
                done += 1
                faster += found is not None and found.verdict == "faster"
                slower += found is not None and found.verdict == "slower"
            yield TrialOutcome(slowdown, busy, done, faster, slower)


def _pairs(slowdown: float, seed: int) -> Iterator[tuple[list[Samples], list[Samples]]]:
    """Samples of PAIRS trials: the kernel as it is, and the one that wastes."""
    choice = kernels.Selection().best()
    workload = perft_workloads()[1]
    count = 2 * PAIRS
    samples = [Samples(**asdict(choice), workload=workload.name, operations=0) for _ in range(count)]
    passes = [0] * count
    for launch in range(LAUNCHES):
        job = launches.Job(
            launch=launch,
            seed=seed,
            seconds=LAUNCH_SECONDS,
            rounds=MAX_RECORD_ROUNDS // LAUNCHES,
            choices=[choice] * count,
            workloads=[workload] * count,
            passes=passes,
            focus=[],
            streams={},
            slowdown=[0.0, slowdown] * PAIRS,
        )
        for message in launches.messages(job):
            if isinstance(message, launches.Batches):
                if not message.copied:
                    raise UserError(
                        "a module cannot be copied: set TMPDIR to a folder with room that may hold programs"
                    )
                passes = message.passes
                for each, batch in zip(samples, passes, strict=True):
                    each.operations = batch * operations(workload)
            elif isinstance(message, launches.Sample):
                samples[message.number].launches.append(launch)
                samples[message.number].rounds.append(message.round)
                samples[message.number].cpu_nanoseconds.append(message.cpu_nanoseconds)
    for pair in range(PAIRS):
        yield [samples[2 * pair]], [samples[2 * pair + 1]]


@contextmanager
def _busy_process(wanted: bool) -> Iterator[None]:
    if not wanted:
        yield
        return
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()
