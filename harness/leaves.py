"""The leaves of a position, counted with several threads: all together, or below each move."""

import time
from collections.abc import Iterable, Iterator
from typing import Any

from slidebench.harness.workers import finished
from slidebench.kernels import Kernel, Move, PerftTime, Position

# Plies of a thread's part: a few milliseconds, so no thread is left waiting long. But three plies from the
# root at most: there may be a hundred thousand parts, and each is an object.
PART_DEPTH = 5
MOST_SPLIT = 3


def perft(
    kernel: Kernel,
    position: Position,
    depth: int,
    *,
    bulk: bool = True,
    table: Any = None,
    threads: int = 1,
    seconds: float | None = None,
) -> PerftTime:
    """The leaves at `depth`: parts of about equal size for several threads, the whole for one.

    Raises TimeLimitError once `seconds` have passed.
    """
    begin = time.monotonic_ns()
    plies = min(max(depth - PART_DEPTH, 1), MOST_SPLIT, depth) if threads > 1 else 0
    parts = kernel.descendants(position, plies)
    counted = finished(
        lambda part: kernel.time_perft(part, depth - plies, bulk=bulk, table=table),
        parts,
        threads=threads,
        seconds=seconds,
    )
    whole = total(counted)
    return whole._replace(wall_nanoseconds=time.monotonic_ns() - begin) if threads > 1 else whole


def divide(
    kernel: Kernel,
    position: Position,
    depth: int,
    *,
    bulk: bool = True,
    table: Any = None,
    threads: int = 1,
    seconds: float | None = None,
) -> Iterator[tuple[Move, PerftTime]]:
    """Each legal move with the leaves below it, as it gets done; none at depth 0.

    With one thread, that is the generator's order. Raises TimeLimitError once `seconds` have passed.
    """
    return finished(
        lambda move: (move, kernel.time_perft(move.after, depth - 1, bulk=bulk, table=table)),
        kernel.moves(position) if depth else [],
        threads=threads,
        seconds=seconds,
    )


def total(parts: Iterable[PerftTime]) -> PerftTime:
    """The leaves and times of all parts together."""
    nodes, cpu, wall = map(sum, zip((0, 0, 0), *parts, strict=True))
    return PerftTime(nodes, cpu, wall)
