"""Perft with several threads: the leaves of a position in total, or below each legal move."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from slidebench.harness.positions.workers import Item, Result, in_threads
from slidebench.kernels import Kernel, Move, PerftTime, Position

# The tree is split into subtrees of this depth, a few milliseconds each, so that no thread idles for long at
# the end; but at most three plies from the root, as there may be 100,000 subtrees, and each is an object.
SUBTREE_DEPTH = 5
MAX_SPLIT_PLIES = 3


class PerftRunner(NamedTuple):
    """A kernel and the options to count leaves with it.

    `table`, from the kernel's `hash_table`, keeps the counts of positions met before and is shared by all
    `threads`; `bulk` is that of `Kernel.time_perft`; `seconds` is a time limit.
    """

    kernel: Kernel
    bulk: bool = True
    table: Any = None
    threads: int = 1
    seconds: float | None = None

    def perft(self, position: Position, depth: int) -> PerftTime:
        """The number of leaves at `depth`, with the CPU time of all threads and the wall time of the whole.

        Raises TimeLimitError after `seconds`.
        """
        begin = time.monotonic_ns()
        plies = min(max(depth - SUBTREE_DEPTH, 1), MAX_SPLIT_PLIES, depth) if self.threads > 1 else 0
        subtrees = self.kernel.descendants(position, plies)
        total = total_of(self._in_threads(lambda root: self._count(root, depth - plies), subtrees))
        return total._replace(wall_nanoseconds=time.monotonic_ns() - begin) if self.threads > 1 else total

    def divide(self, position: Position, depth: int) -> Iterator[tuple[Move, PerftTime]]:
        """Each legal move with the number of leaves below it, as soon as it is counted; none at depth 0.

        One thread keeps the generator's order. Raises TimeLimitError after `seconds`.
        """
        return self._in_threads(
            lambda move: (move, self._count(move.after, depth - 1)),
            self.kernel.moves(position) if depth else [],
        )

    def _count(self, position: Position, depth: int) -> PerftTime:
        return self.kernel.time_perft(position, depth, bulk=self.bulk, table=self.table)

    def _in_threads(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        return in_threads(function, items, threads=self.threads, seconds=self.seconds)


def total_of(counts: Iterable[PerftTime]) -> PerftTime:
    """The sums of leaves, CPU times and wall times."""
    nodes, cpu, wall = map(sum, zip((0, 0, 0), *counts, strict=True))
    return PerftTime(nodes, cpu, wall)
