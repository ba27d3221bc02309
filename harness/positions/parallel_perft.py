"""The leaves of a position, counted with several threads: all together, or below each move."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from slidebench.harness.positions.workers import Item, Result, in_threads
from slidebench.kernels import Kernel, Move, PerftTime, Position

# Plies of a thread's part: a few milliseconds, so no thread is left waiting long. But three plies from the
# root at most: there may be a hundred thousand parts, and each is an object.
PART_DEPTH = 5
MAX_SPLIT = 3


class PerftRunner(NamedTuple):
    """How to count: with which kernel and threads, and for how many seconds at most.

    `table`, from the kernel's `hash_table`, keeps counts of positions met before.
    """

    kernel: Kernel
    bulk: bool = True
    table: Any = None
    threads: int = 1
    seconds: float | None = None

    def perft(self, position: Position, depth: int) -> PerftTime:
        """The leaves at `depth`: parts of about equal size for several threads, the whole for one.

        Raises TimeLimitError once the time is up.
        """
        begin = time.monotonic_ns()
        plies = min(max(depth - PART_DEPTH, 1), MAX_SPLIT, depth) if self.threads > 1 else 0
        counted = self._finished(
            lambda part: self._count(part, depth - plies), self.kernel.descendants(position, plies)
        )
        whole = total_of(counted)
        return whole._replace(wall_nanoseconds=time.monotonic_ns() - begin) if self.threads > 1 else whole

    def divide(self, position: Position, depth: int) -> Iterator[tuple[Move, PerftTime]]:
        """Each legal move with the leaves below it, as it gets done; none at depth 0.

        With one thread, that is the generator's order. Raises TimeLimitError once the time is up.
        """
        return self._finished(
            lambda move: (move, self._count(move.after, depth - 1)),
            self.kernel.moves(position) if depth else [],
        )

    def _count(self, position: Position, depth: int) -> PerftTime:
        return self.kernel.time_perft(position, depth, bulk=self.bulk, table=self.table)

    def _finished(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        return in_threads(function, items, threads=self.threads, seconds=self.seconds)


def total_of(parts: Iterable[PerftTime]) -> PerftTime:
    """The leaves and times of all parts together."""
    nodes, cpu, wall = map(sum, zip((0, 0, 0), *parts, strict=True))
    return PerftTime(nodes, cpu, wall)
