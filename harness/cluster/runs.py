"""`slidebench run` on every host of a cluster.

A run needs its host to itself. One worker per host is used, and it must offer the resource `bench`, so that
it does one run at a time. A lock file on the host excludes runs of other workers, and perft.
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
    """The outcome on one host: the path of the record, and what failed; both if the run failed partway."""

    host: str
    path: Path | None
    failure: str | None


class FinishedRun(NamedTuple):
    """A run that has ended on its host: exit status, content of its record's file, and error output."""

    status: int
    record: bytes | None
    errors: str


def run_on_hosts(client: Client, arguments: Sequence[str], results: Path) -> Iterator[HostOutcome]:
    """Run `slidebench run` with the arguments once on each host; yields outcomes as they come.

    Records are written below `results`. A run whose worker is lost is not started again. Raises ClusterError
    if no worker offers the resource `bench`, and FileError if a record cannot be written.
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
    """By host, the address of one worker that offers the resource `bench`: the first by address.

    Raises ClusterError if there is none.
    """
    addresses: dict[str, str] = {}
    for address, worker in sorted(workers(client).items()):
        if worker["resources"].get("bench", 0) >= 1:
            addresses.setdefault(worker["host"], address)
    if not addresses:
        raise ClusterError(
            "no worker of the cluster offers the resource bench: start one on each host with "
            "`dask worker ADDRESS --resources bench=1`"
        )
    return addresses


def run_here(arguments: list[str]) -> FinishedRun:
    """Run `slidebench run` in a process of its own on this host."""
    command = [sys.executable, "-m", "slidebench.harness", "run", "--json"]
    with host_lock(exclusive=True) as lock, tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            [*command, "--results", folder, *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            pass_fds=[lock],  # the run keeps the lock even if this worker is killed
        )
        # From the file, not from standard output: a run that fails partway has one too.
        paths = Path(folder).glob("runs/*/*.json")
        record = next((encode_record(read_record(path)) for path in paths), None)
    return FinishedRun(result.returncode, record, result.stderr)


def _settled(client: Client, runs: dict[Future[Any], tuple[str, str]]) -> set[Future[Any]]:
    """Runs that have ended, or never will because their worker is gone."""
    done = settled_futures(client, runs)
    alive = workers(client)
    return done | {future for future, (_, address) in runs.items() if address not in alive}


def _outcome(host: str, future: Future[Any], results: Path) -> HostOutcome:
    if not future.done():
        future.cancel()
        return HostOutcome(host, None, "its worker was lost")
    if future.status != "finished":
        return HostOutcome(host, None, f"its worker failed: {future.exception()}")
    run: FinishedRun = future.result()
    if run.record is None:
        return HostOutcome(host, None, _last_error(run))
    try:
        record = msgspec.json.decode(run.record, type=Record)
    except msgspec.DecodeError as error:
        return HostOutcome(host, None, f"its record cannot be read ({error}): install one version everywhere")
    return HostOutcome(host, create_record(results, record), _failure(run, record))


def _failure(run: FinishedRun, record: Record) -> str | None:
    if not record.complete:
        return f"incomplete record: {_last_error(run)}"
    if any(build.failure for build in record.builds):
        return "a kernel is wrong: see the record"
    return _last_error(run) if run.status else None


def _last_error(run: FinishedRun) -> str:
    """The last line of a run's error output, which says why it failed; lines before name deleted files."""
    lines = run.errors.strip().splitlines()
    return lines[-1] if lines else f"exit status {run.status}"
