"""Timing: rounds over all benchmarks, in a new random order each time, until the budget is spent.

Every sample is a batch of at least BATCH_SECONDS of thread CPU time, timed inside the compiled module with
the GIL released. Interleaving makes slow drifts of the machine hit all kernels alike.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from slidebench import kernels
from slidebench.harness.records import Samples
from slidebench.harness.workloads import Lookup, Perft, Stream, Workload
from slidebench.kernels.position import parse_fen

BATCH_SECONDS = 1e-3  # a clock reading costs 0.4 microseconds, so at most a thousandth of this
LEAST_ROUNDS = 3


class WrongCountError(RuntimeError):
    """A timed perft gave a wrong count: its time means nothing."""


@dataclass
class Benchmark:
    """One kernel on one workload: `run(passes)` returns thread CPU nanoseconds."""

    choice: kernels.Choice
    workload: Workload
    run: Callable[[int], int]
    samples: Samples
    passes: int = 1


class Sample(NamedTuple):
    """A sample just taken: what was timed, in which round, and how much of the round is done (0 to 1)."""

    benchmark: Benchmark
    round: int
    round_done: float


def benchmarks(
    choices: Sequence[kernels.Choice], workloads: Sequence[Workload], streams: dict[tuple[str, str], Stream]
) -> list[Benchmark]:
    """Every kernel on every workload; lookups with one popcount only, since they count nothing."""
    return [
        _benchmark(choice, workload, streams)
        for choice in choices
        for workload in workloads
        if isinstance(workload, Perft) or choice.popcount == "builtin"
    ]


def rounds(
    plan: Sequence[Benchmark],
    seed: int,
    budget_seconds: float,
    on_wrong_count: Callable[[kernels.Choice, str], None],
    launch: int = 0,
) -> Iterator[Sample]:
    """Time the plan round by round, yielding after each sample.

    Another round starts only if it fits the budget, but LEAST_ROUNDS are always made. A kernel whose perft
    counts wrong is reported and timed no more.
    """
    order = random.Random(seed + launch)
    end = time.monotonic() + budget_seconds
    plan = [benchmark for benchmark in plan if _calibrated(benchmark, on_wrong_count)]
    longest = 0.0
    round_ = 0
    while plan and (round_ < LEAST_ROUNDS or time.monotonic() + longest < end):
        begin = time.monotonic()
        wrong: set[kernels.Choice] = set()
        for place, benchmark in enumerate(order.sample(plan, len(plan))):
            if benchmark.choice in wrong:
                continue
            try:
                nanoseconds = benchmark.run(benchmark.passes)
            except WrongCountError as error:
                wrong.add(benchmark.choice)
                on_wrong_count(benchmark.choice, str(error))
                continue
            benchmark.samples.launches.append(launch)
            benchmark.samples.rounds.append(round_)
            benchmark.samples.cpu_nanoseconds.append(nanoseconds)
            yield Sample(benchmark, round_, (place + 1) / len(plan))
        plan = [benchmark for benchmark in plan if benchmark.choice not in wrong]
        longest = max(longest, time.monotonic() - begin)
        round_ += 1


def _benchmark(
    choice: kernels.Choice, workload: Workload, streams: dict[tuple[str, str], Stream]
) -> Benchmark:
    kernel = kernels.load_choice(choice)
    run = (
        _perft_run(kernel, workload)
        if isinstance(workload, Perft)
        else _lookup_run(kernel, workload, streams)
    )
    samples = Samples(
        kernel=choice.kernel,
        level=choice.level,
        popcount=choice.popcount,
        workload=workload.name,
        operations=0,
    )
    return Benchmark(choice, workload, run, samples)


def _perft_run(kernel: kernels.Kernel, workload: Perft) -> Callable[[int], int]:
    position = parse_fen(workload.fen)

    def run(passes: int) -> int:
        nanoseconds = 0
        for _ in range(passes):
            timed = kernel.time_perft(position, workload.depth, bulk=workload.bulk)
            if timed.nodes != workload.nodes:
                raise WrongCountError(
                    f"{kernel.choice}: {workload.name} has {workload.nodes} leaves, counted {timed.nodes}"
                )
            nanoseconds += timed.cpu_nanoseconds
        return nanoseconds

    return run


def _lookup_run(
    kernel: kernels.Kernel, workload: Lookup, streams: dict[tuple[str, str], Stream]
) -> Callable[[int], int]:
    stream = streams[workload.stream, workload.piece]
    queries = kernel.queries(stream.squares, stream.occupancies)

    def run(passes: int) -> int:
        return int(queries.time(workload.piece, workload.order, passes))

    return run


def _calibrated(benchmark: Benchmark, on_wrong_count: Callable[[kernels.Choice, str], None]) -> bool:
    """Choose the passes of a batch; False if the kernel counts wrong. The first, cold pass does not count."""
    try:
        benchmark.run(1)
        nanoseconds = max(benchmark.run(1), 1)
    except WrongCountError as error:
        on_wrong_count(benchmark.choice, str(error))
        return False
    benchmark.passes = max(1, -(-int(BATCH_SECONDS * 1.2e9) // nanoseconds))
    workload = benchmark.workload
    per_pass = workload.nodes if isinstance(workload, Perft) else workload.pairs
    benchmark.samples.operations = benchmark.passes * per_pass
    return True
