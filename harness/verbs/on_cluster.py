"""What `slidebench run` and `slidebench perft` do with --cluster."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from slidebench.harness.records.store import check_writable
from slidebench.harness.verbs import options

if TYPE_CHECKING:
    from distributed import Client

    from slidebench.kernels import Selection

option = click.option(
    "--cluster", metavar="ADDRESS", help="Use this dask scheduler's workers, not this computer."
)


def run(address: str, results: Path, as_json: bool, **arguments: object) -> None:
    """Run once on each host and bring the records home; `arguments` are options of `slidebench run`."""
    given = [
        word
        for name, value in arguments.items()
        if value is not None and value is not False
        for word in [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    ]
    outcomes = []
    with _connected(address) as client:
        from slidebench.harness.cluster.runs import run_on_hosts  # noqa: PLC0415

        check_writable(results)
        for outcome in run_on_hosts(client, given, results):
            outcomes.append(outcome)
            if not as_json and outcome.path:
                print(f"record  {outcome.path}")
            if not as_json and outcome.failure:
                print(f"FAILED  {outcome.host}: {outcome.failure}")
    if as_json:
        options.print_json(
            [
                {"host": host, "record": str(path) if path else None, "failure": failure}
                for host, path, failure in outcomes
            ]
        )
    sys.exit(1 if any(outcome.failure for outcome in outcomes) else 0)


def perft(
    address: str,
    fen: str,
    depth: int,
    selection: "Selection",
    *,
    bulk: bool,
    divide: bool,
    chess960: bool,
    as_json: bool,
) -> None:
    """Count the leaves of a position with all workers."""
    begin = time.monotonic()
    with _connected(address) as client:
        from slidebench.harness.cluster.perft import perft as count  # noqa: PLC0415

        counted = count(client, fen, depth, selection, bulk=bulk, chess960=chess960)
    seconds = time.monotonic() - begin
    # At depth 0 the one leaf is below no move.
    counts = {move: counted.divide[move] for move in sorted(counted.divide) if move}
    if as_json:
        data = {
            "nodes": counted.nodes,
            "wall_seconds": seconds,
            "kernels": counted.kernels,
            "workers": len(counted.workers),
            "bulk": bulk,
        }
        options.print_json(data | {"divide": counts} if divide else data)
        return
    summary = (
        f"{counted.nodes} nodes, {seconds:.1f} s on the wall with {len(counted.workers)} workers "
        f"({', '.join(counted.kernels)})"
    )
    options.print_count(counted.nodes, summary, counts if divide else None)


@contextmanager
def _connected(address: str) -> Iterator["Client"]:
    """A client of the scheduler; what can go wrong with a cluster becomes one line."""
    try:
        from slidebench.harness.cluster import connection  # noqa: PLC0415
    except ImportError as error:
        raise click.ClickException(f"{error}; pip install 'slidebench[cluster]'") from None
    try:
        with connection.connected(address) as client:
            yield client
    except connection.ClusterError as error:
        raise click.ClickException(str(error)) from None
