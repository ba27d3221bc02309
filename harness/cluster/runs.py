"""`slidebench run` on every host of a cluster.

A run needs its host to itself. One worker per host is used, and it must offer the resource `bench`, so that it
makes one run at a time. A lock file on the host excludes the runs of other workers, and perft.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from distributed import Client, Future

from slidebench.harness.cluster.connection import ClusterError, host_lock, settled_futures, workers
from slidebench.harness.records.reader import read_record
from slidebench.harness.records.schema import Record
from slidebench.harness.records.store import create_record, encode_record


class HostOutcome(NamedTuple):
    """What came of a run on one host: where its record is, and what failed; both if it failed midway."""

    host: str
    path: Path | None
    failure: str | None


class Ended(NamedTuple):
    """A run that has ended on its host: exit status, the record's file if there is one, and error text."""

    status: int
    record: bytes | None
    errors: str


def run_on_hosts(client: Client, arguments: Sequence[str], results: Path) -> Iterator[HostOutcome]:
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
    for address, worker in sorted(workers(client).items()):
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


def _settled(client: Client, runs: dict[Future[Any], tuple[str, str]]) -> set[Future[Any]]:
    """Runs that have ended, or will never: their worker is gone."""
    done = settled_futures(client, runs)
    alive = workers(client)
    return done | {future for future, (_, address) in runs.items() if address not in alive}


def _outcome(host: str, future: Future[Any], results: Path) -> HostOutcome:
    if not future.done():
        future.cancel()
        return HostOutcome(host, None, "its worker was lost")
    if future.status != "finished":
        return HostOutcome(host, None, f"its worker failed: {future.exception()}")
    ended: Ended = future.result()
    if ended.record is None:
        return HostOutcome(host, None, _told(ended))
    try:
        record = msgspec.json.decode(ended.record, type=Record)
    except msgspec.DecodeError as error:
        return HostOutcome(host, None, f"its record cannot be read: {error}; install one version everywhere")
    return HostOutcome(host, create_record(results, record), _failure(ended, record))


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
