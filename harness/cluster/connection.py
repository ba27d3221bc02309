"""A dask scheduler: connecting to it, its workers, and a lock so that a run has its host to itself."""

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
    """A cluster that cannot be used; the message says why and the way out."""


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A client of the scheduler at an address. Raises ClusterError if there is none."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # lost workers are told in our own words
    try:
        get_address_host_port(address)  # a client would wait for ever on one that cannot be right
        # A server of another kind may say nothing, or what reads as the length of an endless message.
        (client,) = in_threads(
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


def settled_futures(client: Client, futures: Iterable[Future[Any]]) -> set[Future[Any]]:
    """Those that have ended, for good or bad; waits a second at most for the first."""
    with client.as_current(), suppress(TimeoutError):
        return set(wait(list(futures), 1, "FIRST_COMPLETED").done)
    return set()


def workers(client: Client) -> dict[str, dict[str, Any]]:
    """What the scheduler knows of each worker, by address."""
    return dict(client.scheduler_info(n_workers=-1)["workers"])
