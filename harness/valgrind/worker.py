"""The process that runs under valgrind, started by `counting` with `python -m`.

It reads a Job from standard input and writes messages, one JSON object per line, to standard output. Every
kernel is loaded in a forked process, and every workload runs in a fork of that process: nothing else is in
memory, and callgrind writes one file per workload. Forking saves all kernels but the first the seconds that
Python takes to start under valgrind.
"""

import os
import sys
import traceback
from collections.abc import Callable
from functools import partial

import msgspec

from slidebench import kernels
from slidebench.harness.run.measure import WrongCountError, benchmark, planned
from slidebench.harness.workloads import Stream, Workload


class Job(msgspec.Struct):
    """Work for one process: every workload once for every choice; streams by their sha256."""

    choices: list[kernels.Choice]
    workloads: list[Workload]
    streams: dict[str, Stream]


class Counted(msgspec.Struct, tag="counted"):
    """A workload of the choice with this number has run in the process with this id."""

    number: int
    workload: str
    process: int


class Failed(msgspec.Struct, tag="failed"):
    """The choice with this number, or one of its workloads, cannot run under valgrind."""

    number: int
    reason: str


Message = Counted | Failed

_WRONG, _UNEXPECTED = 1, 2  # exit statuses of a fork


def main() -> None:
    """Run every workload of every choice once."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    for number in range(len(job.choices)):
        status = _forked(partial(_run, job, number))[1]
        if status:
            _send(Failed(number, _reason(status)))


def _run(job: Job, number: int) -> None:
    choice = job.choices[number]
    # Checked in this process, because valgrind emulates CPUID without newer features.
    missing = kernels.why_not(choice.kernel, choice.level, choice.popcount)
    if missing:
        return _send(Failed(number, missing))
    for _, workload in planned([choice], job.workloads):
        run = benchmark(kernels.load_choice(choice), workload, job.streams).run
        process, status = _forked(partial(run, 1))
        _send(Failed(number, _reason(status)) if status else Counted(number, workload.name, process))
    return None


def _forked(run: Callable[[], object]) -> tuple[int, int]:
    """Run in a child process; returns its process id and its exit status, negative for a signal."""
    process = os.fork()
    if process:
        return process, os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    status = _UNEXPECTED
    try:
        run()
        status = 0
    except (WrongCountError, kernels.DestructiveCollision):
        status = _WRONG
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(status)


def _reason(status: int) -> str:
    if status == _WRONG:
        return "wrong answers: see `slidebench verify`"
    return f"stopped by signal {-status} under valgrind" if status < 0 else "failed under valgrind"


def _send(message: Message) -> None:
    sys.stdout.write(msgspec.json.encode(message).decode() + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
