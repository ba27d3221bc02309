"""Connecting to a dask scheduler, its workers, and a lock so that a run has its host to itself."""

import fcntl
import logging
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from distributed import Client, Future, wait
from distributed.comm.addressing import get_address_host_port

from slidebench.harness.errors import UserError
from slidebench.harness.positions.workers import TimeLimitError, in_threads

CONNECT_SECONDS = 5
LOCK = Path(tempfile.gettempdir()) / "slidebench.lock"


class ClusterError(UserError):
    """A cluster that cannot be used; the message is one line: what is wrong, then what was expected."""


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """Connect to the scheduler at an address like tcp://head:8786. Raises ClusterError if there is none."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # this package reports lost workers itself
    try:
        get_address_host_port(address)  # Client() blocks forever on a malformed address
        # A server of another kind may send nothing, or bytes that read as the length of an endless message.
        (client,) = in_threads(
            lambda scheduler: Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False),
            [address],
            seconds=2 * CONNECT_SECONDS,
        )
    except TimeLimitError:
        raise _no_scheduler(address, "the server there sends nothing") from None
    except (OSError, ValueError, MemoryError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise _no_scheduler(address, reason) from None
    with client:
        yield client


def _no_scheduler(address: str, reason: str) -> ClusterError:
    return ClusterError(
        f"no dask scheduler at {address} ({reason}): expected the address that `dask scheduler` prints"
    )


@contextmanager
def host_lock(*, exclusive: bool) -> Iterator[int]:
    """Lock this host, exclusively or shared; waits until that is possible. Yields the lock's descriptor.

    A child process that inherits the descriptor keeps the lock.
    """
    try:
        descriptor = os.open(LOCK, os.O_RDONLY)
    except FileNotFoundError:
        descriptor = os.open(LOCK, os.O_RDONLY | os.O_CREAT, 0o444)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        yield descriptor
    finally:
        os.close(descriptor)


def settled_futures(client: Client, futures: Iterable[Future[Any]]) -> set[Future[Any]]:
    """The futures that have finished or failed; waits up to a second for the first."""
    with client.as_current(), suppress(TimeoutError):
        return set(wait(list(futures), 1, "FIRST_COMPLETED").done)
    return set()


def workers(client: Client) -> dict[str, dict[str, Any]]:
    """The scheduler's information about each worker, by address."""
    return dict(client.scheduler_info(n_workers=-1)["workers"])
