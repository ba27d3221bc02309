"""A run from beginning to end: verify, launch, collect, judge; the record on disk grows as it goes."""

import platform
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from slidebench import kernels
from slidebench.harness import workloads
from slidebench.harness.machine.cpu import Cpu, describe
from slidebench.harness.machine.system import System
from slidebench.harness.positions.verify import check
from slidebench.harness.records.journal import Journal
from slidebench.harness.records.reader import MAX_RECORD_ROUNDS
from slidebench.harness.records.schema import Absent, Build, Record, RecordedWarning
from slidebench.harness.records.store import utc_now, write_record
from slidebench.harness.run import launches, measure, warnings
from slidebench.harness.run.collected import Collected
from slidebench.harness.run.streams import query_streams
from slidebench.harness.run.warnings import Finding, Stopwatch, Warning
from slidebench.harness.workloads import subtracted_workloads

SAVE_SECONDS = 5.0  # between writings of the whole record; samples since the last one are in its journal
LAUNCH_SECONDS = 12.0
MIN_RUN_LAUNCHES, MAX_RUN_LAUNCHES = 5, 10


class Step(NamedTuple):
    """What a run is doing, and how much of it is done (0 to 1)."""

    text: str
    done: float


class RecordFile:
    """A record's file during a run: a journal that takes every sample, the whole record every few seconds."""

    def __init__(self, record: Record, path: Path) -> None:
        self.journal = Journal(path)
        self._record = record
        self._path = path
        self._saved = time.monotonic()

    def save(self) -> None:
        """Write the record, and empty the journal."""
        write_record(self._record, self._path)
        self.journal.clear()
        self._saved = time.monotonic()

    def save_if_due(self) -> None:
        """Write the record if the last time was SAVE_SECONDS ago."""
        if time.monotonic() - self._saved > SAVE_SECONDS:
            self.save()

    def close(self) -> None:
        """Write the record, and remove the journal."""
        write_record(self._record, self._path)
        self.journal.remove()


def new_record(budget_seconds: float, seed: int) -> Record:
    """An empty record of this machine and build, with what cannot run here and why."""
    commit, dirty = kernels.build_commit()
    return Record(
        started_utc=utc_now(),
        slidebench=version("slidebench"),
        commit=commit,
        dirty=dirty,
        generator=kernels.GENERATOR,
        method=measure.METHOD,
        python=platform.python_version(),
        machine=describe(),
        seed=seed,
        budget_seconds=budget_seconds,
        absent=[
            Absent(kernel=kernel, level=level, popcount=popcount, reason=reason)
            for kernel, popcount in kernels.combinations()
            for level in kernels.levels()
            if (reason := kernels.why_not(kernel, level, popcount))
        ],
    )


def fill(record: Record, path: Path, chosen: list[kernels.Choice], *, verify: bool = True) -> Iterator[Step]:
    """Verify and time the chosen kernels, saving the record at `path` as it grows.

    Yields after every step. The record is written however the run ends, but marked complete only if it got to
    its end. Raises FileError if the record cannot be written, and UserError if a launch fails.
    """
    file = RecordFile(record, path)
    try:
        yield from _verified(record, chosen, verify)
        yield Step("preparing the query streams", 0.0)
        streams = query_streams()
        record.workloads = [
            *workloads.perft_workloads(),
            *workloads.perft_workloads(bulk=False),
            *workloads.lookup_workloads(streams),
            *workloads.pressure_workloads(streams, _level_2_bytes(record.machine)),
        ]
        right = {build.choice for build in record.builds if build.failure is None}
        plan = measure.planned([choice for choice in chosen if choice in right], record.workloads)
        yield from _timed(Collected(record, plan, streams, file.journal.add), file)
        record.complete = True
    finally:
        file.close()


def _verified(record: Record, chosen: list[kernels.Choice], verify: bool) -> Iterator[Step]:
    """Check each kernel and enter its build in the record."""
    for done, choice in enumerate(chosen):
        yield Step(f"verifying {choice}", done / len(chosen))
        record.builds.append(_build(choice, check(choice).failure if verify else None, verified=verify))


def _timed(collected: Collected, file: RecordFile) -> Iterator[Step]:
    """Time the plan, then enter the warnings; a run that is interrupted gets its warnings too."""
    stopwatch = Stopwatch(System())
    try:
        yield from _launched(collected, file)
    finally:
        findings = _findings(collected, stopwatch)
        collected.record.warnings = [
            RecordedWarning(name=finding.warning.name, detail=finding.detail)
            for finding in sorted(findings, key=lambda finding: finding.warning.name)
        ]
        if collected.wrong:
            file.save()
            collected.drop_wrong()


def _launched(collected: Collected, file: RecordFile) -> Iterator[Step]:
    """Launch after launch over the plan, each with an equal part of the time that is left."""
    budget = collected.record.budget_seconds
    count = min(max(round(budget / LAUNCH_SECONDS), MIN_RUN_LAUNCHES), MAX_RUN_LAUNCHES)
    begin = time.monotonic()
    for launch in range(count if collected.plan else 0):
        seconds_left = max(budget - (time.monotonic() - begin), 0)
        job = collected.job(launch, seconds_left / (count - launch), MAX_RECORD_ROUNDS // count)
        for message in launches.messages(job):
            text = collected.enter(launch, message)
            if text:
                done = min((time.monotonic() - begin) / budget, 1)
                yield Step(f"launch {launch + 1} of {count}, {text}", done)
            if isinstance(message, launches.Batches | launches.Wrong):
                file.save()
            else:
                file.save_if_due()


def _findings(collected: Collected, stopwatch: Stopwatch) -> list[Finding]:
    """What may have distorted the run."""
    record = collected.record
    subtracted = subtracted_workloads(record.workloads)  # a negative time there is no fault of the clock
    series = [samples.cpu_nanoseconds for samples in record.samples if samples.workload not in subtracted]
    flags = {
        Warning.SHARED_FILES: collected.shared_files,
        Warning.UNVERIFIED: any(not build.verified for build in record.builds if build.failure is None),
        Warning.DIRTY: record.dirty,
        Warning.UNKNOWN_BUILD: record.commit == "unknown",
    }
    return [
        *warnings.of_machine(record.machine, stopwatch.system),
        *warnings.of_window(stopwatch.window(), [round_.core_megahertz for round_ in record.rounds]),
        *warnings.of_samples(series, len({round_.launch for round_ in record.rounds})),
        *(Finding(warning) for warning, holds in flags.items() if holds),
    ]


def _build(choice: kernels.Choice, failure: str | None, *, verified: bool) -> Build:
    build = Build(
        **asdict(choice),
        compiler="unknown",
        flags="unknown",
        table_bytes=0,
        audit_sha256=_audit_digest(choice),
        verified=verified and failure is None,
        failure=failure,
    )
    with suppress(kernels.DestructiveCollision):
        kernel = kernels.load_choice(choice)
        build.compiler, build.flags = kernel.compiler, kernel.flags
        build.table_bytes, build.init_nanoseconds = kernel.table_bytes, kernel.init_nanoseconds
    return build


def _level_2_bytes(machine: Cpu) -> int:
    return max((cache.bytes for cache in machine.caches if cache.level == 2), default=0)


def _audit_digest(choice: kernels.Choice) -> str | None:
    try:
        from slidebench.harness.code import audit  # noqa: PLC0415 - needs the audit extra
    except ImportError:
        return None
    try:
        return audit.audit_digest(audit.audit(choice))
    except kernels.UnavailableError:  # not x86-64 code, or stripped of its symbols
        return None
