"""slidebench run: everything measured, one record."""

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from rich.progress import BarColumn, Progress, TextColumn

from slidebench import kernels
from slidebench.harness.bounded_types import MAX_INT64
from slidebench.harness.machine.probes import why_emulated
from slidebench.harness.records.schema import Record
from slidebench.harness.records.store import create_record
from slidebench.harness.run.session import Step, fill, new_record
from slidebench.harness.run.warnings import warning_text
from slidebench.harness.verbs import on_cluster, options
from slidebench.harness.verbs.results.plot import write_charts
from slidebench.harness.verbs.tables import rate_table
from slidebench.kernels.catalogue import BUILTIN

DEFAULT_BUDGET = "150s"
QUICK_BUDGET = "20s"
MAX_BUDGET = 3600.0  # seconds: more would not fit a record


@click.command()
@click.option(
    "--quick", is_flag=True, help=f"The default kernel at each level, {QUICK_BUDGET}: a first look."
)
@click.option("--all", "everything", is_flag=True, help="Time every kernel, not only the standard set.")
@options.kernel
@options.level
@options.popcount
@click.option(
    "--budget", type=options.Duration(), help=f"Time to spend measuring.  [default: {DEFAULT_BUDGET}]"
)
@click.option(
    "--seed", type=click.IntRange(0, MAX_INT64), help="Seed of the random order.  [default: a new one]"
)
@click.option("--no-verify", is_flag=True, help="Time kernels without checking them first.")
@options.results
@options.as_json
@on_cluster.option
@options.example("slidebench run --kernel magic_fancy --budget 30s")
def command(
    quick: bool,
    everything: bool,
    kernel: str | None,
    level: str | None,
    popcount: str | None,
    budget: float | None,
    seed: int | None,
    no_verify: bool,
    results: Path,
    as_json: bool,
    cluster: str | None,
) -> None:
    """Verify and time the kernels this CPU can run; write a record and charts.

    The standard set has one or two kernels of each family; --all takes all, --kernel one.

    Exit status 1 if a kernel gave a wrong answer: it is reported and not timed.
    """
    if quick and everything:
        raise click.UsageError("--quick and --all; give one of them")
    if budget and budget > MAX_BUDGET:
        raise click.UsageError("--budget above 1h; give at most 1h, and run again for more")
    if cluster:
        on_cluster.run(
            cluster, results, as_json, quick=quick, all=everything, kernel=kernel, level=level,
            popcount=popcount, budget=budget and f"{budget}s", seed=seed, no_verify=no_verify,
        )  # fmt: skip
    if emulated := why_emulated():
        raise click.ClickException(f"{emulated}: times under an emulator mean nothing; run on the CPU itself")
    if quick and kernel is None:
        kernel, popcount = kernels.Selection(popcount=popcount).best().kernel, popcount or BUILTIN
    chosen = [
        choice
        for choice in kernels.Selection(kernel, level, popcount).runnable()
        if everything or kernel or popcount or kernels.standard(choice)
    ]
    record = new_record(
        budget or options.Duration().convert(QUICK_BUDGET if quick else DEFAULT_BUDGET, None, None),
        random.SystemRandom().randrange(1 << 32) if seed is None else seed,
    )
    path = create_record(results, record)  # an unwritable folder is found before the time is spent
    try:
        _show_progress(fill(record, path, chosen, verify=not no_verify), disable=as_json)
    finally:
        if not record.complete:
            options.notes.print(f"incomplete record: {path}", highlight=False)
    if as_json:
        options.print_json(record)
    else:
        _print_run(record, path)
    for chart in write_charts({path: record}, results / "charts"):
        if not as_json:
            print(f"chart   {chart}")
    sys.exit(1 if any(build.failure for build in record.builds) else 0)


def _print_run(record: Record, path: Path) -> None:
    if record.samples:
        options.print_table(rate_table(record))
    for warning in record.warnings:
        print(f"warning {warning.name}: {warning_text(warning)}")
    for build in record.builds:
        if build.failure:
            print(f"FAILED  {build.failure}")
    print(f"record  {path}")


def _show_progress(steps: Iterator[Step], disable: bool) -> None:
    columns = TextColumn("{task.percentage:>3.0f} %"), BarColumn(20), TextColumn("{task.description}")
    with Progress(*columns, console=options.notes, transient=True, disable=disable) as progress:
        task = progress.add_task("", total=1.0)
        for step in steps:
            progress.update(task, description=step.text, completed=step.done)
