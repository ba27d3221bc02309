"""What runs under valgrind: `python -m slidebench.harness.counted`, started by slidebench.harness.count.

Reads (choices, workloads, streams) as a pickle from standard input. Every kernel is loaded in a fork of its
own, and every workload runs in a fork of that, so that nothing but its own code and tables is there, and
valgrind writes one file for each. The forks spare all but the first the second that Python takes to start.
For each workload a line of JSON: the number of its choice, its name, its process and what went wrong.
"""

import json
import os
import pickle
import sys
from collections.abc import Callable

from slidebench import kernels
from slidebench.harness.measure import WrongCountError, benchmarks


def main() -> None:
    """Run every workload of every choice once."""
    choices, workloads, streams = pickle.load(sys.stdin.buffer)
    for number, choice in enumerate(choices):

        def kernel(number: int = number, choice: kernels.Choice = choice) -> None:
            # Asked here, where CPUID is valgrind's: it lacks newer features.
            reason = kernels.why_not(choice.kernel, choice.level, choice.popcount)
            if reason:
                return _say(number, None, None, reason)
            for benchmark in benchmarks([choice], workloads, streams):
                process, status = _forked(lambda run=benchmark.run: run(1))
                _say(number, benchmark.workload.name, process, _failure(status))
            return None

        _, status = _forked(kernel)
        if status:
            _say(number, None, None, _failure(status))


def _forked(run: Callable[[], object]) -> tuple[int, int]:
    """Run in a child process; returns its number and its exit status, negative for a signal."""
    process = os.fork()
    if process:
        return process, os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    status = 1
    try:
        run()
        status = 0
    except WrongCountError as error:
        print(error, file=sys.stderr, flush=True)
    finally:
        os._exit(status)


def _failure(status: int) -> str | None:
    if status < 0:
        return f"stopped by signal {-status} under valgrind"
    return "failed; see `slidebench verify`" if status else None


def _say(number: int, workload: str | None, process: int | None, failure: str | None) -> None:
    print(json.dumps([number, workload, process, failure]), flush=True)


if __name__ == "__main__":
    main()
