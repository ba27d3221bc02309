"""Work in daemon threads: a compiled kernel releases the GIL, so that Ctrl-C acts while it counts."""

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
    """The time limit is over and the work is not done."""


def in_threads(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    threads: int = 1,
    seconds: float | None = None,
) -> Iterator[Result]:
    """Yield `function(item)` of every item as it gets done: in order, if there is one thread.

    Whatever the function raises is raised here, TimeLimitError once `seconds` have passed, and UserError if so
    many threads cannot be started. A thread that is left behind ends with its item, or with the program,
    which need not wait for it.
    """
    waiting = deque(items)
    done: SimpleQueue[Future[Result]] = SimpleQueue()
    end = None if seconds is None else time.monotonic() + seconds

    def work() -> None:
        while True:
            try:
                item = waiting.popleft()
            except IndexError:
                return
            future: Future[Result] = Future()
            try:
                future.set_result(function(item))
            except BaseException as error:  # raised again by whoever takes the result
                future.set_exception(error)
            done.put(future)

    count = len(waiting)
    try:
        for started in range(min(threads, count)):
            try:
                Thread(target=work, daemon=True).start()
            except RuntimeError:  # no memory or number left for one more
                raise UserError(f"the system gives no more than {started} threads; give fewer") from None
        for _ in range(count):
            yield done.get(timeout=None if end is None else max(0, end - time.monotonic())).result()
    except Empty:
        raise TimeLimitError("the time limit is over") from None
    finally:
        waiting.clear()
