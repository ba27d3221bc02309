"""Instructions counted by valgrind's callgrind: numbers that carry no noise.

Only the compiled function is counted, `perft` or a timed loop over queries: not Python, not the building of
tables. The same module gives the same count to the instruction, on any CPU, in any environment and beside any
load. Cache misses come from callgrind's model of two levels without prefetching: always labelled simulated.
They shift by a few percent with where the system happens to put the tables.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path

import msgspec

from slidebench import kernels
from slidebench.harness.errors import UserError
from slidebench.harness.machine.cpu import Cache, caches
from slidebench.harness.machine.system import usable_cpus
from slidebench.harness.valgrind.worker import Failed, Job, Message
from slidebench.harness.workloads import Perft, Stream, Workload, operations
from slidebench.kernels.features import detect

UNCOUNTED_LEVELS = {"v4": "valgrind has no AVX-512; count at v1 to v3"}

_KIB = 1024
# Caches of one core. Haswell: Intel's optimization reference manual; Zen 2: AMD's software optimization
# guide for family 17h, models 30h and later.
_GEOMETRIES = {
    name: (
        Cache(1, "instruction", 32 * _KIB, 64, 8, None),
        Cache(1, "data", 32 * _KIB, 64, 8, None),
        Cache(2, "unified", l2 * _KIB, 64, 8, None),
    )
    for name, l2 in (("haswell", 256), ("zen2", 512))
}
GEOMETRIES = (*_GEOMETRIES, "here")


class CountError(UserError):
    """Nothing can be counted here; the message says why, and the way out."""


class Misses(msgspec.Struct, frozen=True):
    """Cache misses of data, simulated, in all operations together."""

    level_1: int
    level_2: int


class Count(msgspec.Struct, frozen=True):
    """Instructions of one kernel on one workload, in all operations together."""

    choice: kernels.Choice
    workload: str
    operations: int
    instructions: int
    simulated_misses: Misses | None = None

    @property
    def per_operation(self) -> float:
        """Instructions per node or query, what the loop around it takes included."""
        return self.instructions / self.operations


class Uncounted(msgspec.Struct, frozen=True):
    """A kernel that valgrind cannot run, and why."""

    choice: kernels.Choice
    reason: str


def countable(selection: kernels.Selection) -> list[kernels.Choice]:
    """The runnable choices of a selection whose level valgrind knows.

    Raises CountError if there are only others, UnavailableError if none can run.
    """
    runnable = selection.runnable()
    found = [choice for choice in runnable if choice.level not in UNCOUNTED_LEVELS]
    if not found:
        raise CountError(f"{runnable[0]}: {UNCOUNTED_LEVELS[runnable[0].level]}")
    return found


def count(
    choices: Sequence[kernels.Choice],
    workloads: Sequence[Workload],
    streams: Iterable[Stream] = (),
    geometry: str | None = None,
    progress: Callable[[], None] = lambda: None,
) -> tuple[list[Count], list[Uncounted]]:
    """Run each workload once under callgrind, on as many CPUs as there are.

    `geometry`, one of GEOMETRIES, adds simulated misses; `progress` is called after each kernel. Raises
    CountError if valgrind is missing or fails.
    """
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise CountError("counting needs valgrind, which is not installed; on Debian: apt install valgrind")
    options = _cache_options(geometry) if geometry else []
    workers = min(usable_cpus(), len(choices))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        command = [
            valgrind, "-q", "--tool=callgrind", "--vgdb=no", "--dump-line=no",
            f"--callgrind-out-file={folder}/%p", *options,
            *(f"--toggle-collect={symbol}" for symbol in _symbols(choices, workloads)),
            sys.executable, "-m", "slidebench.harness.valgrind.worker",
        ]  # fmt: skip

        def share(worker: int) -> list[Count | Uncounted]:
            job = Job(
                list(choices[worker::workers]), list(workloads), {each.sha256: each for each in streams}
            )
            return _run(command, job, Path(folder), geometry, progress)

        parts = list(pool.map(share, range(workers)))
    order = {choice: place for place, choice in enumerate(choices)}
    results = sorted((each for part in parts for each in part), key=lambda each: order[each.choice])
    return (
        [each for each in results if isinstance(each, Count)],
        [each for each in results if isinstance(each, Uncounted)],
    )


def _run(
    command: Sequence[str], job: Job, folder: Path, geometry: str | None, progress: Callable[[], None]
) -> list[Count | Uncounted]:
    """One valgrind, for one share of the kernels."""
    totals = {each.name: operations(each) for each in job.workloads}
    results: list[Count | Uncounted] = []
    last = 0
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors) as process,
    ):
        assert process.stdin and process.stdout
        with suppress(BrokenPipeError), process.stdin as stdin:
            stdin.write(msgspec.json.encode(job))
        for line in process.stdout:
            message = msgspec.json.decode(line, type=Message)
            if message.number != last:
                progress()
                last = message.number
            choice = job.choices[message.number]
            if isinstance(message, Failed):
                results.append(Uncounted(choice, message.reason))
                continue
            events = _events((folder / str(message.process)).read_text("utf-8"))
            misses = (
                Misses(events["D1mr"] + events["D1mw"], events["DLmr"] + events["DLmw"]) if geometry else None
            )
            results.append(Count(choice, message.workload, totals[message.workload], events["Ir"], misses))
        if process.wait():
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip().splitlines()
            raise CountError(f"valgrind failed: {said[-1] if said else f'exit status {process.returncode}'}")
    progress()
    return results


def _symbols(choices: Sequence[kernels.Choice], workloads: Sequence[Workload]) -> list[str]:
    """The symbols to count, as Cython writes them; none calls itself or another of them.

    Written out: callgrind takes several patterns with wildcards, but heeds only the first.
    """
    modules = {f"{choice.kernel}_{choice.popcount}" for choice in choices}
    functions = {"perft" if isinstance(each, Perft) else f"{each.piece}_{each.mode}" for each in workloads}
    return sorted(f"__pyx_f_{len(module)}{module}_{function}" for module in modules for function in functions)


def _events(profile: str) -> dict[str, int]:
    """The totals of a callgrind file by event: Ir are instructions, D1mr reads that miss level 1, ..."""
    names, values = (
        re.findall(rf"^{key}: (.*)$", profile, re.MULTILINE)[-1].split() for key in ("events", "totals")
    )
    return {
        name: int(value) for name, value in zip_longest(names, values, fillvalue="0")
    }  # zeros at the end are left out


def _cache_options(geometry: str) -> list[str]:
    """Callgrind's options for a geometry; its last level stands for level 2."""
    found = caches(detect().dump, os.cpu_count()) if geometry == "here" else _GEOMETRIES[geometry]
    options = ["--cache-sim=yes"]
    for option, level, types in (("I1", 1, "instruction"), ("D1", 1, "data"), ("LL", 2, "unified")):
        cache = next((each for each in found if (each.level, each.type) == (level, types)), None)
        if cache is None or cache.ways is None:
            raise CountError(
                f"this CPU does not describe its level {level} {types} cache; give --cache haswell or zen2"
            )
        options.append(f"--{option}={cache.bytes},{cache.ways},{cache.line_bytes}")
    return options
