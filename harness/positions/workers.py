"""Work in daemon threads: a compiled kernel releases the GIL, so Ctrl-C takes effect while it counts.

A ThreadPoolExecutor would wait for its threads at Ctrl-C and at the end of the program.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

from slidebench.harness.errors import UserError

Item = TypeVar("Item")
Result = TypeVar("Result")


class TimeLimitError(UserError):
    """The work has not been done within the time limit."""


def in_threads(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    threads: int = 1,
    seconds: float | None = None,
) -> Iterator[Result]:
    """Yield `function(item)` for every item, as soon as it is done; one thread keeps the order.

    Exceptions of `function` are raised here; TimeLimitError after `seconds`; UserError if the system cannot
    start the threads. A thread that is abandoned ends after its item or with the program, which does not
    wait for it.
    """
    pending = deque(items)
    done: SimpleQueue[Future[Result]] = SimpleQueue()
    deadline = None if seconds is None else time.monotonic() + seconds

    def work() -> None:
        while True:
            try:
                item = pending.popleft()
            except IndexError:
                return
            future: Future[Result] = Future()
            try:
                future.set_result(function(item))
            except BaseException as error:  # raised again where the result is taken
                future.set_exception(error)
            done.put(future)

    count = len(pending)
    try:
        for started in range(min(threads, count)):
            try:
                Thread(target=work, daemon=True).start()
            except RuntimeError:  # out of memory, or of thread ids
                raise UserError(f"cannot start {threads} threads: expected at most {started}") from None
        for _ in range(count):
            yield done.get(timeout=None if deadline is None else max(0, deadline - time.monotonic())).result()
    except Empty:
        raise TimeLimitError("the time limit is over") from None
    finally:
        pending.clear()
