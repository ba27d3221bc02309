"""Exact instruction counts by valgrind's callgrind.

Only the compiled function is counted, `perft` or a timed loop over queries; Python and the building of tables
are not. A module gives the same count, to the instruction, on any CPU, in any environment and under any load.
Cache misses come from callgrind's model of two cache levels without prefetching, and are always labelled
simulated. They vary by a few percent with the addresses of the tables.
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

UNCOUNTED_LEVELS = {"v4": "valgrind has no AVX-512: expected level v1 to v3"}

_KIB = 1024
# The caches of one core. Haswell: Intel's optimization reference manual; Zen 2: AMD's software optimization
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
    """Valgrind is missing or fails, or a kernel or baseline that cannot be used."""


class Misses(msgspec.Struct, frozen=True):
    """Simulated data cache misses, summed over all operations."""

    level_1: int
    level_2: int


class Count(msgspec.Struct, frozen=True):
    """Instructions of one kernel on one workload, summed over all operations."""

    choice: kernels.Choice
    workload: str
    operations: int
    instructions: int
    simulated_misses: Misses | None = None

    @property
    def per_operation(self) -> float:
        """Instructions per node or query, including the loop around it."""
        return self.instructions / self.operations


class Uncounted(msgspec.Struct, frozen=True):
    """A kernel that valgrind cannot run, and the reason."""

    choice: kernels.Choice
    reason: str


def countable(selection: kernels.Selection) -> list[kernels.Choice]:
    """The runnable choices of a selection at levels that valgrind supports.

    Raises CountError if valgrind supports none of their levels, UnavailableError if no choice can run.
    """
    runnable = selection.runnable()
    supported = [choice for choice in runnable if choice.level not in UNCOUNTED_LEVELS]
    if not supported:
        raise CountError(f"{runnable[0]}: {UNCOUNTED_LEVELS[runnable[0].level]}")
    return supported


def count(
    choices: Sequence[kernels.Choice],
    workloads: Sequence[Workload],
    streams: Iterable[Stream] = (),
    geometry: str | None = None,
    progress: Callable[[], None] = lambda: None,
) -> tuple[list[Count], list[Uncounted]]:
    """Run every workload once for every choice under callgrind, on all usable CPUs.

    `geometry`, one of GEOMETRIES, adds simulated misses. `progress` is called after every kernel. Raises
    CountError if valgrind is missing or fails.
    """
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise CountError("valgrind is not installed: on Debian, apt install valgrind")
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
                list(choices[worker::workers]), list(workloads), {stream.sha256: stream for stream in streams}
            )
            return _run(command, job, Path(folder), geometry, progress)

        parts = list(pool.map(share, range(workers)))
    order = {choice: index for index, choice in enumerate(choices)}
    results = sorted((result for part in parts for result in part), key=lambda result: order[result.choice])
    return (
        [result for result in results if isinstance(result, Count)],
        [result for result in results if isinstance(result, Uncounted)],
    )


def _run(
    command: Sequence[str], job: Job, folder: Path, geometry: str | None, progress: Callable[[], None]
) -> list[Count | Uncounted]:
    """Run one valgrind process for one share of the kernels."""
    totals = {workload.name: operations(workload) for workload in job.workloads}
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
            lines = errors.read().decode(errors="replace").strip().splitlines()
            raise CountError(
                f"valgrind failed: {lines[-1] if lines else f'exit status {process.returncode}'}"
            )
    progress()
    return results


def _symbols(choices: Sequence[kernels.Choice], workloads: Sequence[Workload]) -> list[str]:
    """The symbols to count, as mangled by Cython; none of them calls itself or another.

    All are written out: callgrind accepts several patterns with wildcards, but uses only the first.
    """
    modules = {f"{choice.kernel}_{choice.popcount}" for choice in choices}
    functions = {
        "perft" if isinstance(workload, Perft) else f"{workload.piece}_{workload.order}"
        for workload in workloads
    }
    return sorted(f"__pyx_f_{len(module)}{module}_{function}" for module in modules for function in functions)


def _events(profile: str) -> dict[str, int]:
    """The totals of a callgrind file by event: Ir is instructions, D1mr reads that miss the L1 cache, ..."""
    names, values = (
        re.findall(rf"^{key}: (.*)$", profile, re.MULTILINE)[-1].split() for key in ("events", "totals")
    )
    return {
        name: int(value) for name, value in zip_longest(names, values, fillvalue="0")
    }  # callgrind omits zeros at the end


def _cache_options(geometry: str) -> list[str]:
    """Callgrind's options for a geometry; its last-level cache stands for L2."""
    described = caches(detect().dump, os.cpu_count()) if geometry == "here" else _GEOMETRIES[geometry]
    options = ["--cache-sim=yes"]
    for option, depth, type_ in (("I1", 1, "instruction"), ("D1", 1, "data"), ("LL", 2, "unified")):
        cache = next((cache for cache in described if (cache.level, cache.type) == (depth, type_)), None)
        if cache is None or cache.ways is None:
            raise CountError(
                f"this CPU does not describe its L{depth} {type_} cache: expected --cache haswell or zen2"
            )
        options.append(f"--{option}={cache.bytes},{cache.ways},{cache.line_bytes}")
    return options
