"""A perft counted by all workers of a cluster together."""

import time
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

from distributed import Client, get_worker

from slidebench import kernels
from slidebench.harness.cluster.connection import ClusterError, host_lock, settled_futures, workers
from slidebench.kernels.position import Position, parse_fen

LOST_SECONDS = 30  # a nanny replaces a lost worker within this time
CHUNKS_PER_THREAD = 8  # so that neither a slow worker nor a lost one delays the rest for long


class ShareCount(NamedTuple):
    """A share of a perft: the worker's kernel and address, and the leaves of each position."""

    kernel: str
    worker: str
    leaves: list[int]


class ClusterCount(NamedTuple):
    """Leaves below each root move ("" at depth 0), and the kernels and workers that counted them."""

    divide: dict[str, int]
    kernels: tuple[str, ...]
    workers: tuple[str, ...]

    @property
    def nodes(self) -> int:
        return sum(self.divide.values())


def perft(
    client: Client,
    fen: str,
    depth: int,
    selection: kernels.Selection,
    *,
    bulk: bool = True,
    chess960: bool = False,
) -> ClusterCount:
    """Count the leaves at `depth` with every worker of the cluster; with `chess960`, castling is e1h1.

    The tree is cut two or three plies below the root. Positions that several lines reach are counted once and
    weighted. Shares of a lost worker go to the others. Raises ClusterError if none is left, or one fails.
    """
    threads = sum(worker["nthreads"] for worker in workers(client).values())
    plies = min(depth, 3 if depth > 6 else 2)
    position = parse_fen(fen)
    subtrees = list(_subtrees(position, plies, chess960=chess960).items())
    chunks = min(len(subtrees), max(threads, 1) * CHUNKS_PER_THREAD)
    shares = [subtrees[number::chunks] for number in range(chunks)]
    pending = {
        client.submit(
            count_here, [subtree for subtree, _ in share], depth - plies, selection, bulk, pure=False
        ): share
        for share in shares
    }
    roots = [move.uci(chess960=chess960) for move in kernels.load().moves(position)] if depth else [""]
    divide = Counter(dict.fromkeys(roots, 0))  # a move that mates has no subtree to count
    names, addresses = set(), set()
    seen = time.monotonic()
    while pending:
        for future in settled_futures(client, pending):
            if future.status != "finished":
                raise ClusterError(f"a worker failed: {future.exception()}")
            counted: ShareCount = future.result()
            names.add(counted.kernel)
            addresses.add(counted.worker)
            for (_, lines), leaves in zip(pending.pop(future), counted.leaves, strict=True):
                divide.update({root: number * leaves for root, number in lines.items()})
        if workers(client):
            seen = time.monotonic()
        elif time.monotonic() - seen > LOST_SECONDS:
            raise ClusterError("the cluster has no workers: start them with `dask worker ADDRESS`")
    return ClusterCount(dict(divide), tuple(sorted(names)), tuple(sorted(addresses)))


def count_here(positions: list[Position], depth: int, selection: kernels.Selection, bulk: bool) -> ShareCount:
    """Count the leaves of each position on this worker, with the best selected kernel of its CPU."""
    kernel = kernels.load_choice(selection.best())
    with host_lock(exclusive=False):
        leaves = [kernel.time_perft(position, depth, bulk=bulk).nodes for position in positions]
    return ShareCount(str(kernel.choice), get_worker().address, leaves)


def _subtrees(position: Position, plies: int, *, chess960: bool = False) -> dict[Position, Counter[str]]:
    """Distinct positions `plies` below, with the number of lines that reach them by root move.

    Positions that differ in their move counters only are the same.
    """
    generator = kernels.load()
    reached = {position: Counter({"": 1})}
    for ply in range(plies):
        below: dict[Position, Counter[str]] = {}
        for parent, lines in reached.items():
            for move in generator.moves(parent):
                after = replace(move.after, halfmove_clock=0, fullmove_number=1)
                below.setdefault(after, Counter()).update(lines if ply else {move.uci(chess960=chess960): 1})
        reached = below
    return reached
