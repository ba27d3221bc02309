"""A run from beginning to end: verify, launch, collect, judge; the record grows as it goes."""

import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from slidebench import kernels
from slidebench.harness import workloads
from slidebench.harness.analysis.stats import perft_rates
from slidebench.harness.machine.cpu import Cpu, describe
from slidebench.harness.machine.system import System
from slidebench.harness.positions.verify import check
from slidebench.harness.records.journal import Entry, Journal
from slidebench.harness.records.reader import MAX_RECORD_ROUNDS
from slidebench.harness.records.schema import Absent, Build, Record, Round, Samples
from slidebench.harness.records.store import utc_now, write_record
from slidebench.harness.run import launches, measure, warnings
from slidebench.harness.run.streams import query_streams
from slidebench.harness.workloads import Workload, subtracted_workloads

SAVE_SECONDS = 5.0  # between writings of the whole record; what comes between is in its journal
LAUNCH_SECONDS = 12.0
MIN_RUN_LAUNCHES, MAX_RUN_LAUNCHES = 5, 10
NARROW = 0.003  # half-width below which a kernel needs no extra rounds


class Step(NamedTuple):
    """What a run is doing, and how much of it is done (0 to 1)."""

    text: str
    done: float


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

    Yields after every step. However it ends, the record is written, and is marked complete only at the end.
    """
    journal = Journal(path)
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
        yield from _timed(record, path, journal, plan, streams)
        record.complete = True
    finally:
        write_record(record, path)
        journal.remove()


def _verified(record: Record, chosen: list[kernels.Choice], verify: bool) -> Iterator[Step]:
    """Check each kernel and enter its build in the record."""
    for done, choice in enumerate(chosen):
        yield Step(f"verifying {choice}", done / len(chosen))
        record.builds.append(_build(choice, check(choice).failure if verify else None, verified=verify))


def _timed(
    record: Record,
    path: Path,
    journal: Journal,
    plan: list[tuple[kernels.Choice, Workload]],
    streams: dict[tuple[str, str], workloads.Stream],
) -> Iterator[Step]:
    """Launch after launch over the plan, each with an equal part of the time that is left."""
    system = System()
    before, own_before = system.cpu_times(), _own_seconds()
    begin = saved = time.monotonic()

    def save() -> None:
        write_record(record, path)
        journal.clear()

    collected = Collected(record, plan, journal.add)
    count = min(max(round(record.budget_seconds / LAUNCH_SECONDS), MIN_RUN_LAUNCHES), MAX_RUN_LAUNCHES)
    try:
        for launch in range(count if plan else 0):
            left = max(record.budget_seconds - (time.monotonic() - begin), 0)
            job = collected.job(launch, left / (count - launch), MAX_RECORD_ROUNDS // count, streams)
            for message in launches.messages(job):
                if isinstance(message, launches.Wrong):  # places will change: first all under the old ones
                    save()
                text = collected.enter(launch, message)
                now = time.monotonic()
                if text:
                    done = min((now - begin) / record.budget_seconds, 1)
                    yield Step(f"launch {launch + 1} of {count}, {text}", done)
                if now - saved > SAVE_SECONDS or isinstance(message, launches.Batches | launches.Wrong):
                    save()
                    saved = now
    finally:  # a run that was stopped has its warnings too
        wall_seconds = time.monotonic() - begin
        window = warnings.Window(before, system.cpu_times(), _own_seconds() - own_before, wall_seconds)
        found = _warnings(record, system, window) | (
            {warnings.Warning.SHARED_FILES} if collected.shared else set()
        )
        record.warnings = sorted(warning.name for warning in found)


def _warnings(record: Record, system: System, window: warnings.Window) -> set[warnings.Warning]:
    """What may have spoilt the run."""
    found = warnings.of_machine(record.machine, system)
    found |= warnings.of_window(window, [each.core_megahertz for each in record.rounds])
    added = subtracted_workloads(record.workloads)  # where a negative time is no fault of the clock
    timed = [samples.cpu_nanoseconds for samples in record.samples if samples.workload not in added]
    found |= warnings.of_samples(timed, len({each.launch for each in record.rounds}))
    if not all(build.verified for build in record.builds if build.failure is None):
        found.add(warnings.Warning.UNVERIFIED)
    if record.dirty:
        found.add(warnings.Warning.DIRTY)
    if record.commit == "unknown":
        found.add(warnings.Warning.UNKNOWN_BUILD)
    return found


class Collected:
    """What the launches have sent so far, entered in the record; `keep` is told of each sample."""

    def __init__(
        self,
        record: Record,
        plan: list[tuple[kernels.Choice, Workload]],
        keep: Callable[[Entry], None] = lambda _: None,
    ) -> None:
        self.record = record
        self.plan = plan
        self.keep = keep
        self.passes = [0] * len(plan)
        self.wrong: set[kernels.Choice] = set()
        self.widest = ""
        self.shared = False  # whether a launch had to load the installed files
        record.samples = [
            Samples(**asdict(choice), workload=workload.name, operations=0) for choice, workload in plan
        ]
        self.samples = list(record.samples)
        self.places = {number: number for number in range(len(plan))}  # in the record's samples

    def job(
        self, launch: int, seconds: float, rounds: int, streams: dict[tuple[str, str], workloads.Stream]
    ) -> launches.Job:
        """The next launch's work: all kernels but wrong ones, with extra rounds where intervals are wide."""
        focus = self._wide()
        kept = [number for number, (choice, _) in enumerate(self.plan) if choice not in self.wrong]
        self.numbers = kept
        return launches.Job(
            launch=launch,
            seed=self.record.seed,
            seconds=seconds,
            rounds=rounds,
            choices=[self.plan[number][0] for number in kept],
            workloads=[self.plan[number][1] for number in kept],
            passes=[self.passes[number] for number in kept],
            focus=[place for place, number in enumerate(kept) if self.plan[number][0] in focus],
            streams={stream.sha256: stream for stream in streams.values()},
        )

    def enter(self, launch: int, message: launches.Message) -> str:
        """Enter a message in the record; returns what to show, or "" if nothing new."""
        match message:
            case launches.Batches(passes, copied):
                self.shared |= not copied
                for number, each in zip(self.numbers, passes, strict=True):
                    self.passes[number] = each
                    self.samples[number].operations = each * workloads.operations(self.plan[number][1])
            case launches.Sample(place, round_, nanoseconds):
                number = self.numbers[place]
                if number in self.places:
                    self.keep(Entry(self.places[number], launch, round_, nanoseconds))
                samples = self.samples[number]
                samples.launches.append(launch)
                samples.rounds.append(round_)
                samples.cpu_nanoseconds.append(nanoseconds)
                choice, workload = self.plan[number]
                return f"round {round_ + 1}: {choice}, {workload.name}{self.widest}"
            case launches.RoundEnd(round_, megahertz):
                self.record.rounds.append(Round(launch=launch, round=round_, core_megahertz=megahertz))
            case launches.Wrong(place, failure):
                self._void(self.plan[self.numbers[place]][0], failure)
        return ""

    def _void(self, choice: kernels.Choice, failure: str) -> None:
        """A kernel that counted wrong keeps no samples."""
        self.wrong.add(choice)
        for build in self.record.builds:
            if build.choice == choice:
                build.verified, build.failure = False, failure
        kept = [number for number, (each, _) in enumerate(self.plan) if each not in self.wrong]
        self.record.samples = [self.samples[number] for number in kept]
        self.places = {number: place for place, number in enumerate(kept)}

    def _wide(self) -> set[kernels.Choice]:
        """The half of the kernels whose perft intervals are widest, of those that are not narrow yet."""
        widths = {
            choice: rate.relative_half_width
            for choice, rate in perft_rates(self.record).items()
            if rate.launches > 1
        }
        if not widths:
            return set()
        ranked = sorted(widths, key=lambda choice: -widths[choice])
        self.widest = f" (widest interval: {ranked[0]} ± {100 * widths[ranked[0]]:.1f} %)"
        return {choice for choice in ranked[: (len(ranked) + 1) // 2] if widths[choice] > NARROW}


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
        from slidebench.harness.code import audit  # noqa: PLC0415 - needs what an extra installs
    except ImportError:
        return None
    try:
        return audit.audit_digest(audit.audit(choice))
    except kernels.UnavailableError:  # no code of x86-64, or stripped of its symbols
        return None


def _own_seconds() -> float:
    """CPU seconds of this process and the launches that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
