"""Timing over several processes: a launch is one process that times the whole plan for a while.

The parent writes a Job to a launch's standard input and reads messages, one JSON line each, from its standard
output: how long its batches are, every sample as it is taken, and the core's clock after each round.
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

MIN_ROUNDS = 2  # whatever the time allowed; the second may be that of the focus alone


class Job(msgspec.Struct, kw_only=True):
    """What a launch is to time. A benchmark's number is its place in `choices` and `workloads`."""

    launch: int
    seed: int
    seconds: float
    rounds: int  # at most
    choices: list[kernels.Choice]
    workloads: list[Workload]
    passes: list[int]  # of a batch; 0 where the launch is to find out
    focus: list[int]  # numbers that get every second round for themselves
    streams: dict[str, Stream]
    # For the calibration only: each benchmark on a module of its own, this share of its time slowdown on top.
    slowdown: list[float] | None = None


class Batches(msgspec.Struct, tag="batches"):
    """Passes of each benchmark's batch, 0 for one that counts wrong; whether modules are the launch's own."""

    passes: list[int]
    copied: bool


class Sample(msgspec.Struct, tag="sample"):
    number: int
    round: int
    cpu_nanoseconds: int


class Wrong(msgspec.Struct, tag="wrong"):
    """A perft that counted wrong: nothing its kernel was timed at counts."""

    number: int
    failure: str


class RoundEnd(msgspec.Struct, tag="round_end"):
    round: int
    core_megahertz: float


Message = Batches | Sample | Wrong | RoundEnd


def messages(job: Job) -> Iterator[Message]:
    """Run a launch and yield what it sends. Raises UserError if it fails."""
    command = [sys.executable, "-m", "slidebench.harness.run.launches"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with suppress(BrokenPipeError):  # its exit status will tell
                process.stdin.write(msgspec.json.encode(job))
                process.stdin.close()
            for line in process.stdout:
                yield msgspec.json.decode(line, type=Message)
        except BaseException:
            process.kill()
            raise
        if process.wait() != 0:
            raise UserError(
                f"launch {job.launch} ended with status {process.returncode}; see what stopped it (memory?) "
                "and run again"
            )


def run(job: Job) -> Iterator[Message]:
    """The launch itself: time the job's plan until its seconds are spent."""
    end = time.monotonic() + job.seconds
    order = random.Random(f"{job.seed} {job.launch}")
    plan, copied = _plan(job, order)
    passes = dict(enumerate(job.passes))
    for number in list(plan):
        try:
            if passes[number]:
                plan[number].run(1)
            else:
                passes[number] = measure.batch_passes(plan[number])
        except measure.WrongCountError as error:
            yield Wrong(number, str(error))
            del plan[number]
    yield Batches([passes[number] for number in range(len(job.choices))], copied)
    longest = {True: 0.0, False: 0.0}
    full = True
    round_ = 0
    focused = {number: plan[number] for number in job.focus if number in plan}
    while round_ < MIN_ROUNDS or (round_ < job.rounds and time.monotonic() + longest[full] < end):
        begin = time.monotonic()
        for number, result in measure.round_samples(plan if full else focused, passes, order):
            yield Wrong(number, result) if isinstance(result, str) else Sample(number, round_, result)
        yield RoundEnd(round_, measure.core_megahertz())
        longest[full] = max(longest[full], time.monotonic() - begin)
        round_ += 1
        full = not full if focused else True


def _plan(job: Job, order: random.Random) -> tuple[dict[int, measure.Benchmark], bool]:
    """The benchmarks by number, on modules loaded in a new order, and whether all are copies for this launch.

    Where a module lies depends on what was loaded before it, and where its code lies in physical memory is
    drawn when its file is written: one lay so badly that every launch made moves at 0.6 of the usual speed.
    """
    copied = True

    def instance(choice: kernels.Choice) -> kernels.Kernel:
        nonlocal copied
        try:
            return kernels.load_copy(choice)
        except (ImportError, OSError):  # a folder of temporary files that may not hold code, or is full
            copied = False
            return kernels.load_choice(choice)

    plan: dict[int, measure.Benchmark] = {}
    instances: dict[kernels.Choice, kernels.Kernel] = {}
    for number in order.sample(range(len(job.choices)), len(job.choices)):
        choice, workload = job.choices[number], job.workloads[number]
        if job.slowdown is not None:
            plan[number] = measure.slowed(instance(choice), workload, job.streams, job.slowdown[number])
            continue
        if choice not in instances:
            instances[choice] = instance(choice)
        plan[number] = measure.benchmark(instances[choice], workload, job.streams)
    return plan, copied


def main() -> None:
    """Entry point of a launch."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    try:
        parent = os.getppid()
        for message in run(job):
            if os.getppid() != parent:  # the run was killed: nobody reads this any more
                sys.exit(1)
            sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
            sys.stdout.buffer.flush()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
