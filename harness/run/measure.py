"""Timing in one process: what a benchmark is, and a round over all of them.

Every sample is a batch of about BATCH_SECONDS or more, timed inside the compiled module with the GIL
released. A round takes one sample of every benchmark, in random order: slow drifts of the machine affect all
kernels alike, and samples of the same round can be compared as pairs.
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from slidebench import kernels
from slidebench.harness.workloads import Lookup, Perft, Stream, Workload
from slidebench.kernels.catalogue import BUILTIN, level_order
from slidebench.kernels.clock import add_chain_nanoseconds
from slidebench.kernels.position import parse_fen

METHOD = "3"  # raised whenever what surrounds the timed code changes: times of two methods do not compare
# A clock reading costs 0.4 microseconds, so at most a thousandth of a batch.
BATCH_SECONDS = 1e-3
# Nodes of a perft batch, by whether it is bulk counted; over a millisecond for all known kernels. All kernels
# run the same number of iterations, after a little untimed work of the same kind: a second count of a tree is
# up to a tenth faster than the first, so a batch of two iterations does not compare with a batch of one.
BATCH_NODES = {True: 4_500_000, False: 600_000}
SIZING_REPEATS = 3
CLOCK_ADDITIONS = 400_000  # a tenth of a millisecond: the core's frequency, once a round


class WrongCountError(RuntimeError):
    """A timed perft gave a wrong count: its time means nothing."""


class Benchmark(NamedTuple):
    """One kernel on one workload: `warm()`, then `run(iterations)` returns thread CPU nanoseconds."""

    choice: kernels.Choice
    workload: Workload
    run: Callable[[int], int]
    warm: Callable[[], object]


def planned(
    choices: Sequence[kernels.Choice], workloads: Sequence[Workload]
) -> list[tuple[kernels.Choice, Workload]]:
    """The (kernel, workload) pairs worth timing.

    Lookups count no bits, so one popcount is enough. Under cache pressure the size of the tables matters and
    not the level, so the highest level is enough. It is also enough for perft without bulk counting, where
    the moves to the leaves are made and kernels matter little.
    """
    highest = max((level_order(choice.level) for choice in choices), default=0)

    def worthwhile(choice: kernels.Choice, workload: Workload) -> bool:
        if isinstance(workload, Perft) and workload.bulk:
            return True
        special = isinstance(workload, Perft) or workload.working_set_bytes or workload.evicting_bytes
        return choice.popcount == BUILTIN and (not special or level_order(choice.level) == highest)

    return [
        (choice, workload) for choice in choices for workload in workloads if worthwhile(choice, workload)
    ]


def benchmark(kernel: kernels.Kernel, workload: Workload, streams: dict[str, Stream]) -> Benchmark:
    """A benchmark of a kernel; `streams` by their sha256."""
    if isinstance(workload, Perft):
        return _perft_benchmark(kernel, workload)
    return _lookup_benchmark(kernel, workload, streams[workload.sha256])


def slowed(
    kernel: kernels.Kernel, workload: Workload, streams: dict[str, Stream], slowdown: float
) -> Benchmark:
    """A benchmark that wastes the fraction `slowdown` of its time after every iteration."""
    unchanged = benchmark(kernel, workload, streams)
    unchanged.run(1)  # the first count of a tree takes up to a tenth longer
    additions = round(slowdown * unchanged.run(1) * core_megahertz() / 1e3)

    def run(iterations: int) -> int:
        waste = sum(add_chain_nanoseconds(additions) for _ in range(iterations if additions else 0))
        return unchanged.run(iterations) + waste

    return unchanged._replace(run=run)


def batch_iterations(benchmark: Benchmark) -> int:
    """Iterations in a batch, after one that warms up: fixed by the nodes for perft, timed for lookups.

    Raises WrongCountError.
    """
    benchmark.run(1)
    if isinstance(benchmark.workload, Perft):
        return -(-BATCH_NODES[benchmark.workload.bulk] // benchmark.workload.nodes)
    # By wall time, since with a working set the timed part may be next to nothing. The least of a few, or an
    # interruption would make all batches of the run too short.
    nanoseconds = min(_wall_nanoseconds(benchmark) for _ in range(SIZING_REPEATS))
    return max(1, -(-int(BATCH_SECONDS * 1.2e9) // nanoseconds))


def _wall_nanoseconds(benchmark: Benchmark) -> int:
    begin = time.perf_counter_ns()
    benchmark.run(1)
    return max(time.perf_counter_ns() - begin, 1)


def round_samples(
    benchmarks: Mapping[int, Benchmark], iterations: Mapping[int, int], rng: random.Random
) -> Iterator[tuple[int, int | str]]:
    """One sample of each benchmark, in random order: its number, and thread CPU nanoseconds or a failure."""
    for number in rng.sample(sorted(benchmarks), len(benchmarks)):
        try:
            benchmarks[number].warm()
            yield number, benchmarks[number].run(iterations[number])
        except WrongCountError as error:
            yield number, str(error)


def core_megahertz() -> float:
    """The current clock frequency of this core, measured."""
    return CLOCK_ADDITIONS * 1e3 / max(add_chain_nanoseconds(CLOCK_ADDITIONS), 1)


def _perft_benchmark(kernel: kernels.Kernel, workload: Perft) -> Benchmark:
    position = parse_fen(workload.fen)

    def run(iterations: int) -> int:
        nanoseconds = 0
        for _ in range(iterations):
            timed = kernel.time_perft(position, workload.depth, bulk=workload.bulk)
            if timed.nodes != workload.nodes:
                raise WrongCountError(
                    f"{kernel.choice}: {workload.name} has {workload.nodes} leaves, counted {timed.nodes}"
                )
            nanoseconds += timed.cpu_nanoseconds
        return nanoseconds

    def warm() -> object:
        return kernel.time_perft(position, workload.depth - 1, bulk=workload.bulk)

    return Benchmark(kernel.choice, workload, run, warm)


def _lookup_benchmark(kernel: kernels.Kernel, workload: Lookup, stream: Stream) -> Benchmark:
    queries = kernel.queries(stream.squares, stream.occupancies)
    data = bytearray(workload.working_set_bytes or workload.evicting_bytes)

    def run(iterations: int) -> int:
        if workload.working_set_bytes:
            return int(queries.time_beside(data, iterations))
        if workload.evicting_bytes:
            return int(queries.time_cold(data, iterations))
        return int(queries.time(workload.piece, workload.mode, iterations))

    def warm() -> object:  # the timed loops under cache pressure warm up by themselves
        return data or queries.time(workload.piece, workload.mode, 1)

    return Benchmark(kernel.choice, workload, run, warm)
