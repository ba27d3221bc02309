"""Timing in several processes: a launch is one process that times the whole plan for a while.

pyperf calls a launch a run, JMH a fork. The parent writes a Job to a launch's standard input and reads
messages from its standard output, one JSON line each: the iterations of a batch, every sample as it is taken,
and the core's clock frequency after each round.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

import msgspec

from slidebench import kernels
from slidebench.harness.errors import UserError
from slidebench.harness.run import measure
from slidebench.harness.workloads import Stream, Workload

MIN_ROUNDS = 2  # even if the time is over; the second may be a round of the focus alone


class Task(msgspec.Struct, kw_only=True):
    """One benchmark of a job. Messages about it carry its number: its index in the run's plan."""

    number: int
    choice: kernels.Choice
    workload: Workload
    iterations: int  # in a batch; 0: the launch determines them
    # For calibration only: load a module for this task alone, and waste this fraction of its time.
    slowdown: float | None = None


class Job(msgspec.Struct, kw_only=True):
    """What one launch times, and for how long."""

    launch: int
    seed: int
    seconds: float
    max_rounds: int
    tasks: list[Task]
    focus: list[int] = []  # numbers of the tasks that are timed in every round; the others in every second
    streams: dict[str, Stream]  # by sha256


class Batches(msgspec.Struct, tag="batches"):
    """Iterations in a batch, by number, without tasks that counted wrong; whether all modules are copies."""

    iterations: dict[int, int]
    copied: bool


class Sample(msgspec.Struct, tag="sample"):
    """Thread CPU time of one batch."""

    number: int
    round: int
    cpu_nanoseconds: int


class Wrong(msgspec.Struct, tag="wrong"):
    """A perft with a wrong count: no time of its kernel means anything."""

    number: int
    failure: str


class RoundEnd(msgspec.Struct, tag="round_end"):
    """The end of a round, with the frequency of the core."""

    round: int
    core_megahertz: float


Message = Batches | Sample | Wrong | RoundEnd


def messages(job: Job) -> Iterator[Message]:
    """Run a launch and yield its messages. Raises UserError if it fails."""
    command = [sys.executable, "-m", "slidebench.harness.run.launches"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with suppress(BrokenPipeError):  # its exit status says what happened
                process.stdin.write(msgspec.json.encode(job))
                process.stdin.close()
            for line in process.stdout:
                yield msgspec.json.decode(line, type=Message)
        except BaseException:
            process.kill()
            raise
        if process.wait() != 0:
            raise UserError(
                f"launch {job.launch} ended with status {process.returncode}: find out what stopped it "
                "(out of memory?) and run again"
            )


def run(job: Job) -> Iterator[Message]:
    """Time the tasks of a job until its seconds are spent. This is what the process of a launch does."""
    end = time.monotonic() + job.seconds
    rng = random.Random(f"{job.seed} {job.launch}")
    benchmarks, copied = _loaded(job, rng)
    iterations: dict[int, int] = {}
    for task in job.tasks:
        try:
            iterations[task.number] = _warmed_up(benchmarks[task.number], task.iterations)
        except measure.WrongCountError as error:
            yield Wrong(task.number, str(error))
            del benchmarks[task.number]
    yield Batches(iterations, copied)
    yield from _rounds(job, benchmarks, iterations, rng, end)


def _warmed_up(benchmark: measure.Benchmark, iterations: int) -> int:
    """The iterations in a batch, after at least one iteration. Raises WrongCountError."""
    if not iterations:
        return measure.batch_iterations(benchmark)
    benchmark.run(1)
    return iterations


def _rounds(
    job: Job,
    benchmarks: dict[int, measure.Benchmark],
    iterations: dict[int, int],
    rng: random.Random,
    end: float,
) -> Iterator[Message]:
    """Rounds over everything, and with a focus every second round over that alone, until `end`."""
    focused = {number: benchmarks[number] for number in job.focus if number in benchmarks}
    longest = {True: 0.0, False: 0.0}  # seconds, of rounds over everything and of rounds over the focus
    full = True
    round_ = 0
    while round_ < MIN_ROUNDS or (round_ < job.max_rounds and time.monotonic() + longest[full] < end):
        begin = time.monotonic()
        for number, result in measure.round_samples(benchmarks if full else focused, iterations, rng):
            yield Wrong(number, result) if isinstance(result, str) else Sample(number, round_, result)
        yield RoundEnd(round_, measure.core_megahertz())
        longest[full] = max(longest[full], time.monotonic() - begin)
        round_ += 1
        full = not full if focused else True


def _loaded(job: Job, rng: random.Random) -> tuple[dict[int, measure.Benchmark], bool]:
    """The benchmarks by number, on modules loaded in random order, and whether all modules are copies.

    Where a module is mapped depends on what was loaded before it. Which physical pages hold its code is
    decided when its file is written: one file got an unlucky page layout and made moves at 0.6 of the usual
    speed in every launch. So each launch loads copies of its own.
    """
    copied = True

    def load(choice: kernels.Choice) -> kernels.Kernel:
        nonlocal copied
        try:
            return kernels.load_copy(choice)
        except (ImportError, OSError):  # the folder of temporary files is full or mounted noexec
            copied = False
            return kernels.load_choice(choice)

    benchmarks: dict[int, measure.Benchmark] = {}
    loaded: dict[kernels.Choice, kernels.Kernel] = {}
    for task in rng.sample(job.tasks, len(job.tasks)):
        if task.slowdown is not None:
            benchmarks[task.number] = measure.slowed(
                load(task.choice), task.workload, job.streams, task.slowdown
            )
            continue
        if task.choice not in loaded:
            loaded[task.choice] = load(task.choice)
        benchmarks[task.number] = measure.benchmark(loaded[task.choice], task.workload, job.streams)
    return benchmarks, copied


def main() -> None:
    """Entry point of a launch's process."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    try:
        parent = os.getppid()
        for message in run(job):
            if os.getppid() != parent:  # the run was killed
                sys.exit(1)
            sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
            sys.stdout.buffer.flush()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
