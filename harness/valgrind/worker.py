"""What runs under valgrind: `python -m slidebench.harness.valgrind.worker`, started by slidebench.harness.valgrind.counting.

Reads a Job from standard input and writes messages, one JSON line each, to standard output. Every kernel is
loaded in a fork of its own, and every workload runs in a fork of that, so that nothing but its own code and
tables is there, and callgrind writes one file for each. Forks spare all but the first kernel the seconds that
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
    """What is to be counted: every workload once for each choice; streams by their sha256."""

    choices: list[kernels.Choice]
    workloads: list[Workload]
    streams: dict[str, Stream]


class Counted(msgspec.Struct, tag="counted"):
    """The workload with this name has run, for the choice with this number, in a process of its own."""

    number: int
    workload: str
    process: int


class Failed(msgspec.Struct, tag="failed"):
    """The choice with this number, or one of its workloads, cannot run."""

    number: int
    reason: str


Message = Counted | Failed

_WRONG, _UNFORESEEN = 1, 2  # exit statuses of a fork


def main() -> None:
    """Run every workload of every choice once."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    for number in range(len(job.choices)):
        status = _forked(partial(_run, job, number))[1]
        if status:
            _say(Failed(number, _reason(status)))


def _run(job: Job, number: int) -> None:
    choice = job.choices[number]
    # Asked here, where CPUID is valgrind's: it lacks newer features.
    missing = kernels.why_not(choice.kernel, choice.level, choice.popcount)
    if missing:
        return _say(Failed(number, missing))
    for _, workload in planned([choice], job.workloads):
        run = benchmark(kernels.load_choice(choice), workload, job.streams).run
        process, status = _forked(partial(run, 1))
        _say(Failed(number, _reason(status)) if status else Counted(number, workload.name, process))
    return None


def _forked(run: Callable[[], object]) -> tuple[int, int]:
    """Run in a child process; returns its number and its exit status, negative for a signal."""
    process = os.fork()
    if process:
        return process, os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    status = _UNFORESEEN
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
        return "wrong answers; see `slidebench verify`"
    return f"stopped by signal {-status} under valgrind" if status < 0 else "failed under valgrind"


def _say(message: Message) -> None:
    sys.stdout.write(msgspec.json.encode(message).decode() + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
