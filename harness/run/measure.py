"""Timing in one process: what a benchmark is, and a round over all of them.

Every sample is a batch of about BATCH_SECONDS or more, timed inside the compiled module with the GIL
released. A round takes one sample of everything, in a random order: slow drifts of the machine hit all
kernels alike, and what was timed in the same round can be compared as a pair.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from slidebench import kernels
from slidebench.harness.workloads import Lookup, Perft, Stream, Workload
from slidebench.kernels.catalogue import BUILTIN, level_order
from slidebench.kernels.clock import add_chain_nanoseconds
from slidebench.kernels.position import parse_fen

METHOD = "3"  # changes with what is done around the timed code: figures of two methods do not compare
# A clock reading costs 0.4 microseconds, so at most a thousandth of a batch.
BATCH_SECONDS = 1e-3
# Every kernel counts the same trees as often, and a little of the same work runs untimed before each batch: a
# second pass over a tree is up to a tenth faster than the first, so two passes do not compare with one. By
# whether they are bulk counted; over a millisecond for all kernels that are known.
BATCH_NODES = {True: 4_500_000, False: 600_000}
SIZING_PASSES = 3
CLOCK_ADDITIONS = 400_000  # a tenth of a millisecond: the core's frequency, once a round


class WrongCountError(RuntimeError):
    """A timed perft gave a wrong count: its time means nothing."""


class Benchmark(NamedTuple):
    """One kernel on one workload: `warm()`, then `run(passes)` returns thread CPU nanoseconds."""

    choice: kernels.Choice
    workload: Workload
    run: Callable[[int], int]
    warm: Callable[[], object]


def planned(
    choices: Sequence[kernels.Choice], workloads: Sequence[Workload]
) -> list[tuple[kernels.Choice, Workload]]:
    """Every kernel with every workload that tells something of it.

    Lookups count no bits: one popcount serves. How a table fares under pressure is a matter of its size, not
    of the level: the highest level serves. So it does where every move is made: kernels matter little there.
    """
    highest = max((level_order(choice.level) for choice in choices), default=0)

    def tells(choice: kernels.Choice, workload: Workload) -> bool:
        if isinstance(workload, Perft) and workload.bulk:
            return True
        special = isinstance(workload, Perft) or workload.working_set_bytes or workload.evicting_bytes
        return choice.popcount == BUILTIN and (not special or level_order(choice.level) == highest)

    return [(choice, workload) for choice in choices for workload in workloads if tells(choice, workload)]


def benchmark(kernel: kernels.Kernel, workload: Workload, streams: dict[str, Stream]) -> Benchmark:
    """A benchmark ready to run; `streams` by their sha256."""
    if isinstance(workload, Perft):
        return _perft_benchmark(kernel, workload)
    return _lookup_benchmark(kernel, workload, streams[workload.sha256])


def slowed(
    kernel: kernels.Kernel, workload: Workload, streams: dict[str, Stream], slowdown: float
) -> Benchmark:
    """The same with a share of its time slowdown after every pass."""
    as_it_is = benchmark(kernel, workload, streams)
    as_it_is.run(1)  # the first pass over a tree takes up to a tenth longer
    additions = round(slowdown * as_it_is.run(1) * core_megahertz() / 1e3)

    def slower(passes: int) -> int:
        waste = sum(add_chain_nanoseconds(additions) for _ in range(passes if additions else 0))
        return as_it_is.run(passes) + waste

    return as_it_is._replace(run=slower)


def batch_passes(benchmark: Benchmark) -> int:
    """How many passes make a batch, fixed by its nodes for perft; a cold pass runs before.

    Raises WrongCountError.
    """
    benchmark.run(1)
    if isinstance(benchmark.workload, Perft):
        return -(-BATCH_NODES[benchmark.workload.bulk] // benchmark.workload.nodes)
    # Judged by the clock on the wall: what queries add to other work may be next to nothing. The least of a
    # few, or an interruption would make all batches of the run too short.
    nanoseconds = min(_wall_nanoseconds(benchmark) for _ in range(SIZING_PASSES))
    return max(1, -(-int(BATCH_SECONDS * 1.2e9) // nanoseconds))


def _wall_nanoseconds(benchmark: Benchmark) -> int:
    begin = time.perf_counter_ns()
    benchmark.run(1)
    return max(time.perf_counter_ns() - begin, 1)


def round_samples(
    plan: dict[int, Benchmark], passes: dict[int, int], order: random.Random
) -> Iterator[tuple[int, int | str]]:
    """One round over a numbered plan: (number, nanoseconds); a message in place of a wrong count's time."""
    for number in order.sample(sorted(plan), len(plan)):
        try:
            plan[number].warm()
            yield number, plan[number].run(passes[number])
        except WrongCountError as error:
            yield number, str(error)


def core_megahertz() -> float:
    """The core's clock frequency at the moment."""
    return CLOCK_ADDITIONS * 1e3 / max(add_chain_nanoseconds(CLOCK_ADDITIONS), 1)


def _perft_benchmark(kernel: kernels.Kernel, workload: Perft) -> Benchmark:
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

    def warm() -> object:
        return kernel.time_perft(position, workload.depth - 1, bulk=workload.bulk)

    return Benchmark(kernel.choice, workload, run, warm)


def _lookup_benchmark(kernel: kernels.Kernel, workload: Lookup, stream: Stream) -> Benchmark:
    queries = kernel.queries(stream.squares, stream.occupancies)
    data = bytearray(workload.working_set_bytes or workload.evicting_bytes)

    def run(passes: int) -> int:
        if workload.working_set_bytes:
            return int(queries.time_beside(data, passes))
        if workload.evicting_bytes:
            return int(queries.time_cold(data, passes))
        return int(queries.time(workload.piece, workload.mode, passes))

    def warm() -> object:  # under pressure, the timed loops see to it themselves
        return data or queries.time(workload.piece, workload.mode, 1)

    return Benchmark(kernel.choice, workload, run, warm)
