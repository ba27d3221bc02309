"""slidebench run: everything measured, one record."""

import platform
import random
import re
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import click
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from slidebench import kernels
from slidebench.harness import measure, workloads
from slidebench.harness.cpu import describe
from slidebench.harness.probes import why_emulated
from slidebench.harness.records import Absent, Build, Record, record_path, utc_now, write_record
from slidebench.harness.tables import rate_table
from slidebench.harness.verbs import options
from slidebench.harness.verbs.plot import write_charts
from slidebench.harness.verify import check

DEFAULT_BUDGET = "150s"
QUICK_BUDGET = "15s"
SAVE_SECONDS = 1.0  # a crash loses at most this much; an interrupt loses nothing


class Duration(click.ParamType[float]):
    """A time such as 90s, 3m or 1h, in seconds."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]+)?)([smh])", str(value))
        if not found or not float(found[1]):
            self.fail(f"budget {str(value)!r}; give a time such as 90s, 3m or 1h")
        return float(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]]


@click.command()
@click.option(
    "--quick", is_flag=True, help=f"The default kernel at each level, {QUICK_BUDGET}: a first look."
)
@options.kernel
@options.level
@options.popcount
@click.option("--budget", type=Duration(), help=f"Time to spend measuring.  [default: {DEFAULT_BUDGET}]")
@click.option("--seed", type=click.IntRange(0), help="Seed of the random order.  [default: a new one]")
@options.results
@click.option("--json", "as_json", is_flag=True, help="Print the record as JSON.")
@options.example("slidebench run --kernel magic_fancy --budget 30s")
def run(
    quick: bool,
    kernel: str | None,
    level: str | None,
    popcount: str | None,
    budget: float | None,
    seed: int | None,
    results: Path,
    as_json: bool,
) -> None:
    """Verify and time every kernel this CPU can run; write a record and charts.

    Exit status 1 if a kernel gave a wrong answer: it is reported and not timed.
    """
    if emulated := why_emulated():
        raise click.ClickException(f"{emulated}: times under an emulator mean nothing; run on the CPU itself")
    if quick and kernel is None:
        kernel, popcount = kernels.default(popcount=popcount).kernel, popcount or "builtin"
    seconds = budget or Duration().convert(QUICK_BUDGET if quick else DEFAULT_BUDGET, None, None)
    chosen = list(kernels.choices(kernel, level, popcount))
    if not chosen:
        kernels.load(kernel, level, popcount)  # says why nothing can run
    record = _new_record(seconds, random.SystemRandom().randrange(1 << 32) if seed is None else seed)
    path = record_path(results, record)
    write_record(record, path)  # an unwritable folder is found before the time is spent
    try:
        with Progress(
            TextColumn("{task.description:<52}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeRemainingColumn(),
            console=options.notes,
            transient=True,
            disable=as_json,
        ) as progress:
            verified = _verify(chosen, record, progress)
            _measure(verified, record, path, seconds, progress)
        record.complete = True
    finally:
        write_record(record, path)
        if not record.complete:
            options.notes.print(f"incomplete record: {path}", highlight=False)
    charts = write_charts([record], results / "charts")
    failed = [build for build in record.builds if build.failure]
    if as_json:
        options.print_json(record)
    else:
        options.output.print(rate_table(record))
        for build in failed:
            print(f"FAILED {build.failure}")
        print(f"record  {path}")
        for chart in charts:
            print(f"chart   {chart}")
    sys.exit(1 if failed else 0)


def _new_record(budget_seconds: float, seed: int) -> Record:
    commit, dirty = kernels.build_commit()
    return Record(
        started_utc=utc_now(),
        slidebench=version("slidebench"),
        commit=commit,
        dirty=dirty,
        python=platform.python_version(),
        machine=describe(),
        seed=seed,
        budget_seconds=budget_seconds,
        absent=[
            Absent(kernel=kernel, level=level, popcount=popcount, reason=reason)
            for kernel in kernels.names()
            for popcount in kernels.popcounts()
            for level in kernels.levels()
            if (reason := kernels.why_not(kernel, level, popcount))
        ],
    )


def _verify(chosen: list[kernels.Choice], record: Record, progress: Progress) -> list[kernels.Choice]:
    """Check each kernel and enter its build in the record; returns those that may be timed."""
    task = progress.add_task("", total=len(chosen))
    verified = []
    for choice in chosen:
        progress.update(task, description=f"verifying {choice}")
        failure = check(choice).failure
        record.builds.append(_build(choice, failure))
        if failure is None:
            verified.append(choice)
        progress.advance(task)
    progress.remove_task(task)
    return verified


def _build(choice: kernels.Choice, failure: str | None) -> Build:
    try:
        kernel = kernels.load_choice(choice)
        compiler, flags, table_bytes = kernel.compiler, kernel.flags, kernel.table_bytes
    except kernels.DestructiveCollision:
        compiler, flags, table_bytes = "unknown", "unknown", 0
    return Build(
        kernel=choice.kernel,
        level=choice.level,
        popcount=choice.popcount,
        compiler=compiler,
        flags=flags,
        table_bytes=table_bytes,
        verified=failure is None,
        failure=failure,
    )


def _measure(
    verified: list[kernels.Choice], record: Record, path: Path, seconds: float, progress: Progress
) -> None:
    """Time the verified kernels, saving the record as it grows."""
    task = progress.add_task("preparing the query streams", total=seconds)
    streams = workloads.streams()
    record.workloads = [*workloads.perft_workloads(), *workloads.lookup_workloads(streams)]
    plan = measure.benchmarks(verified, record.workloads, streams)
    record.samples = [benchmark.samples for benchmark in plan]

    def void(choice: kernels.Choice, failure: str) -> None:
        for build in record.builds:
            if kernels.Choice(build.kernel, build.level, build.popcount) == choice:
                build.verified, build.failure = False, failure
        record.samples = [
            samples
            for samples in record.samples
            if kernels.Choice(samples.kernel, samples.level, samples.popcount) != choice
        ]

    begin = saved = time.monotonic()
    samples: Iterator[measure.Sample] = measure.rounds(plan, record.seed, seconds, void)
    for sample in samples:
        benchmark = sample.benchmark
        now = time.monotonic()
        progress.update(
            task,
            completed=min(now - begin, seconds),
            description=f"round {sample.round + 1}: {benchmark.choice}, {benchmark.workload.name}",
        )
        if now - saved > SAVE_SECONDS:
            write_record(record, path)
            saved = now
