"""Work in threads: all results, the first error, a time limit, and Ctrl-C."""

import os
import signal
import time
from pathlib import Path
from threading import Thread

import pytest
from command import running

from slidebench.harness.errors import UserError
from slidebench.harness.positions.workers import TimeLimitError, in_threads


@pytest.mark.parametrize("threads", [1, 2, 50])
def test_every_item_is_worked_on_once(threads: int) -> None:
    assert sorted(in_threads(lambda n: n * n, range(20), threads=threads)) == [n * n for n in range(20)]


def test_one_thread_keeps_the_order() -> None:
    assert list(in_threads(str, range(50))) == [str(n) for n in range(50)]


def test_no_items_give_no_results() -> None:
    assert list(in_threads(str, [], threads=4)) == []


def test_an_error_is_raised_where_the_result_is_taken() -> None:
    results = in_threads(lambda n: 1 // n, [1, 0, 1])
    assert next(results) == 1
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_threads_that_cannot_be_started_are_a_user_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", start)
    with pytest.raises(UserError, match=r"^cannot start 8 threads: "):
        list(in_threads(str, range(50), threads=8))


def test_the_time_limit_covers_all_items() -> None:
    with pytest.raises(TimeLimitError, match="the time limit is over"):
        list(in_threads(lambda _: time.sleep(0.15), range(10), seconds=0.2))


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify", "deep.epd", "--max-nodes", "9" * 18),
        ("perft", "12"),
        ("perft", "12", "--divide"),
        ("perft", "9", "--threads", "2"),
        ("perft", "9", "--statistics"),
        ("uci",),
    ],
    ids=" ".join,
)
def test_ctrl_c_takes_effect_while_a_kernel_counts(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "deep.epd").write_text("startpos ;D12 62854969236701747\n")
    typed = tmp_path / "typed"
    typed.write_text("go perft 12\n")
    with typed.open() as stdin, running(*arguments, cwd=tmp_path, stdin=stdin) as process:
        while process.poll() is None and not _counts(process.pid):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.splitlines()[-1] == "slidebench: interrupted"


def _counts(pid: int) -> bool:
    """Whether a thread besides the main one has used a tenth of a second of CPU time."""
    threads = (path.read_text().partition(" (") for path in Path(f"/proc/{pid}/task").glob("*/stat"))
    ticks = [int(rest.rpartition(")")[2].split()[11]) for tid, _, rest in threads if int(tid) != pid]
    return max(ticks, default=0) * 10 > os.sysconf("SC_CLK_TCK")
