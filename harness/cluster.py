"""Other computers, by way of an existing dask.distributed cluster: a run on each host, a perft over all.

A run needs its host to itself. One worker of each host is asked, and it must offer the resource `bench`, so
that it makes one run at a time. A lock file on the host keeps out those of other workers, and perft.
"""

import fcntl
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from distributed import Client, Future, get_worker, wait
from distributed.comm.addressing import get_address_host_port

from slidebench import kernels
from slidebench.harness.errors import Fault
from slidebench.harness.records import Record, create_record, encode_record, read_record
from slidebench.harness.workers import TimeLimitError, finished
from slidebench.kernels.position import Position, parse_fen

CONNECT_SECONDS = 5
LOST_SECONDS = 30  # a nanny starts a new worker in the place of a lost one
CHUNKS_PER_THREAD = 8  # so that neither a slow worker nor a lost one holds up the rest for long
LOCK = Path(tempfile.gettempdir()) / "slidebench.lock"


class ClusterError(Fault):
    """A cluster that cannot be used; the message says why and the way out."""


class Outcome(NamedTuple):
    """What came of a run on one host: where its record is, and what failed; both if it failed midway."""

    host: str
    path: Path | None
    failure: str | None


class Ended(NamedTuple):
    """A run that has ended on its host: exit status, the record's file if there is one, and error text."""

    status: int
    record: bytes | None
    errors: str


class Counted(NamedTuple):
    """One worker's share of a perft: its kernel, its address, and the leaves of each position."""

    kernel: str
    worker: str
    leaves: list[int]


class Count(NamedTuple):
    """Leaves below each root move ("" at depth 0), and the kernels and workers that counted them."""

    divide: dict[str, int]
    kernels: tuple[str, ...]
    workers: tuple[str, ...]

    @property
    def nodes(self) -> int:
        return sum(self.divide.values())


Wished = tuple[str | None, str | None, str | None]
"""Kernel, level and popcount; None for what each worker's own default decides."""


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A client of the scheduler at an address. Raises ClusterError if there is none."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # lost workers are told in our own words
    try:
        get_address_host_port(address)  # a client would wait for ever on one that cannot be right
        # A server of another kind may say nothing, or what reads as the length of an endless message.
        (client,) = finished(
            lambda each: Client(each, timeout=CONNECT_SECONDS, set_as_default=False),
            [address],
            seconds=2 * CONNECT_SECONDS,
        )
    except TimeLimitError:
        raise ClusterError(f"no dask scheduler answers at {address}: what is there is silent") from None
    except (OSError, ValueError, MemoryError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ClusterError(f"no dask scheduler answers at {address}: {reason}") from None
    with client:
        yield client


# ---- a run on each host -----------------------------------------------------------------------------------


def run_on_hosts(client: Client, arguments: Sequence[str], results: Path) -> Iterator[Outcome]:
    """`slidebench run` with the arguments once on each host; each outcome as it comes, its record written.

    A run whose worker is lost is not started again. Raises ClusterError if no worker may be asked.
    """
    runs = {
        client.submit(
            run_here, list(arguments), workers=[address], resources={"bench": 1},
            allow_other_workers=False, pure=False, retries=0,
        ): (host, address)
        for host, address in bench_workers(client).items()
    }  # fmt: skip
    while runs:
        for future in _settled(client, runs):
            host, _ = runs.pop(future)
            yield _outcome(host, future, results)


def bench_workers(client: Client) -> dict[str, str]:
    """The address of one worker by host: of those that offer the resource `bench`, the first by name."""
    found: dict[str, str] = {}
    for address, worker in sorted(_workers(client).items()):
        if worker["resources"].get("bench", 0) >= 1:
            found.setdefault(worker["host"], address)
    if not found:
        raise ClusterError(
            "no worker of the cluster offers the resource bench; start one on each host with "
            "`dask worker ADDRESS --resources bench=1`"
        )
    return found


def run_here(arguments: list[str]) -> Ended:
    """`slidebench run` in a process of its own on this host."""
    command = [sys.executable, "-m", "slidebench.harness", "run", "--json"]
    with host_lock(exclusive=True) as lock, tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            [*command, "--results", folder, *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            pass_fds=[lock],  # the lock holds as long as the run, even if this worker is killed
        )
        # From its file, which a run that fails midway has too.
        paths = Path(folder).glob("runs/*/*.json")
        record = next((encode_record(read_record(path)) for path in paths), None)
    return Ended(result.returncode, record, result.stderr)


@contextmanager
def host_lock(*, exclusive: bool) -> Iterator[int]:
    """Hold this host: alone, or with others that do not hold it alone. Waits until that is possible."""
    try:
        descriptor = os.open(LOCK, os.O_RDONLY)
    except FileNotFoundError:
        descriptor = os.open(LOCK, os.O_RDONLY | os.O_CREAT, 0o444)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        yield descriptor
    finally:
        os.close(descriptor)


def _settled(client: Client, runs: dict[Future[Any], tuple[str, str]]) -> set[Future[Any]]:
    """Runs that have ended, or will never: their worker is gone."""
    done = _done(client, runs)
    alive = _workers(client)
    return done | {future for future, (_, address) in runs.items() if address not in alive}


def _outcome(host: str, future: Future[Any], results: Path) -> Outcome:
    if not future.done():
        future.cancel()
        return Outcome(host, None, "its worker was lost")
    if future.status != "finished":
        return Outcome(host, None, f"its worker failed: {future.exception()}")
    ended: Ended = future.result()
    if ended.record is None:
        return Outcome(host, None, _told(ended))
    try:
        record = msgspec.json.decode(ended.record, type=Record)
    except msgspec.DecodeError as error:
        return Outcome(host, None, f"its record cannot be read: {error}; install one version everywhere")
    return Outcome(host, create_record(results, record), _failure(ended, record))


def _failure(ended: Ended, record: Record) -> str | None:
    if not record.complete:
        return f"{_told(ended)}; its record is incomplete"
    if any(build.failure for build in record.builds):
        return "a kernel is wrong, see the record"
    return _told(ended) if ended.status else None


def _told(ended: Ended) -> str:
    """The line in which a run said why it failed: the last, after the name of a file that is gone by now."""
    lines = ended.errors.strip().splitlines()
    return lines[-1] if lines else f"exit status {ended.status}"


# ---- a perft over all workers -----------------------------------------------------------------------------


def perft(
    client: Client, fen: str, depth: int, wished: Wished, *, bulk: bool = True, chess960: bool = False
) -> Count:
    """Leaves at `depth`, counted by every worker of the cluster; `chess960` is how castling is written.

    The tree is cut two or three plies down. Positions that several lines reach are counted once and weighted;
    what a lost worker had to count, others count. Raises ClusterError if none is left.
    """
    threads = sum(worker["nthreads"] for worker in _workers(client).values())
    plies = min(depth, 3 if depth > 6 else 2)
    position = parse_fen(fen)
    subtrees = list(_subtrees(position, plies, chess960=chess960).items())
    chunks = min(len(subtrees), max(threads, 1) * CHUNKS_PER_THREAD)
    shares = [subtrees[number::chunks] for number in range(chunks)]
    pending = {
        client.submit(count_here, [each for each, _ in share], depth - plies, wished, bulk, pure=False): share
        for share in shares
    }
    roots = [move.uci(chess960=chess960) for move in kernels.load().moves(position)] if depth else [""]
    divide = Counter(dict.fromkeys(roots, 0))  # a move that mates has no subtree to be counted
    names, addresses = set(), set()
    seen = time.monotonic()
    while pending:
        for future in _done(client, pending):
            if future.status != "finished":
                raise ClusterError(f"a worker failed: {future.exception()}")
            counted = future.result()
            names.add(counted.kernel)
            addresses.add(counted.worker)
            for (_, ways), leaves in zip(pending.pop(future), counted.leaves, strict=True):
                divide.update({root: count * leaves for root, count in ways.items()})
        if _workers(client):
            seen = time.monotonic()
        elif time.monotonic() - seen > LOST_SECONDS:
            raise ClusterError("the cluster has no workers; start them with `dask worker ADDRESS`")
    return Count(dict(divide), tuple(sorted(names)), tuple(sorted(addresses)))


def count_here(positions: list[Position], depth: int, wished: Wished, bulk: bool) -> Counted:
    """Count the leaves of each position on this worker."""
    kernel = kernels.load(*wished)
    with host_lock(exclusive=False):
        leaves = [kernel.time_perft(position, depth, bulk=bulk).nodes for position in positions]
    return Counted(str(kernel.choice), get_worker().address, leaves)


def _subtrees(position: Position, plies: int, *, chess960: bool = False) -> dict[Position, Counter[str]]:
    """Positions `plies` below, each with the ways to it by root move. Move counters make no difference."""
    generator = kernels.load()
    level = {position: Counter({"": 1})}
    for ply in range(plies):
        below: dict[Position, Counter[str]] = {}
        for each, ways in level.items():
            for move in generator.moves(each):
                after = replace(move.after, halfmove_clock=0, fullmove_number=1)
                below.setdefault(after, Counter()).update(ways if ply else {move.uci(chess960=chess960): 1})
        level = below
    return level


# ---- both -------------------------------------------------------------------------------------------------


def _done(client: Client, futures: Iterable[Future[Any]]) -> set[Future[Any]]:
    """Those that have ended, for good or bad; waits a second at most for the first."""
    with client.as_current(), suppress(TimeoutError):
        return set(wait(list(futures), 1, "FIRST_COMPLETED").done)
    return set()


def _workers(client: Client) -> dict[str, dict[str, Any]]:
    """What the scheduler knows of each worker, by address."""
    return dict(client.scheduler_info(n_workers=-1)["workers"])
