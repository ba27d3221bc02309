"""slidebench verify: whether kernels are right."""

import sys
import time
from contextlib import suppress
from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn, track

from slidebench import kernels
from slidebench.harness.files import write_atomically
from slidebench.harness.positions import suites
from slidebench.harness.positions.verify import check
from slidebench.harness.positions.workers import TimeLimitError
from slidebench.harness.verbs import options

MAX_SHOWN = 20


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE...]", type=click.Path(path_type=Path))
@options.kernel_filter
@options.level
@options.popcount
@click.option(
    "--all", "everything", is_flag=True, help="With FILE: every kernel, level and popcount that matches."
)
@click.option("--max-nodes", type=click.IntRange(1),
              help=f"With FILE: skip counts above this.  [default: {suites.DEFAULT_NODES}]")  # fmt: skip
@click.option(
    "--junit", type=click.Path(path_type=Path), metavar="FILE", help="With FILE: also write JUnit XML."
)
@options.time_limit
@options.memory_limit
@options.lenient
@options.as_json
@options.example(
    "slidebench verify --kernel pext --level v3\nslidebench verify tests/perft/*.epd --all --level v1"
)
def command(
    files: tuple[Path, ...],
    kernel: str | None,
    level: str | None,
    popcount: str | None,
    everything: bool,
    max_nodes: int | None,
    junit: Path | None,
    time_limit: float | None,
    lenient: bool,
    as_json: bool,
) -> None:
    """Check kernels against the ray walk and known perft counts, or against perft suites.

    Without FILE, every kernel that this CPU can run and that matches the options is checked. FILE holds EPD
    lines such as "FEN ;D1 20 ;D2 400"; the best matching kernel counts them, or every one with --all.

    Exit status 1 if an answer is wrong or a line is refused. The first wrong count of a suite is compared
    move by move with python-chess, if that is installed.
    """
    selection = kernels.Selection(kernel, level, popcount)
    if files:
        _check_suites(
            files,
            selection.runnable() if everything else [selection.best()],
            max_nodes=max_nodes or suites.DEFAULT_NODES,
            junit=junit,
            time_limit=time_limit,
            lenient=lenient,
            as_json=as_json,
        )
        return
    suite_only = {"--all": everything, "--max-nodes": max_nodes, "--junit": junit, "--time-limit": time_limit,
                  "--lenient": lenient}  # fmt: skip
    if given := [name for name, value in suite_only.items() if value]:
        raise click.UsageError(f"{given[0]} without FILE: expected an EPD file")
    _check_kernels(selection.runnable(), as_json)


def _check_kernels(chosen: list[kernels.Choice], as_json: bool) -> None:
    """Check answers and known counts; exit status 1 on a mismatch."""
    checks = [
        check(choice)
        for choice in track(chosen, "verifying", console=options.notes, transient=True, disable=as_json)
    ]
    failures = [checked.failure for checked in checks if checked.failure]
    if as_json:
        options.print_json(checks)
    else:
        for failure in failures:
            print(f"FAILED {failure}")
        print(f"{len(checks) - len(failures)} of {len(checks)} kernels are right")
    sys.exit(1 if failures else 0)


def _check_suites(
    files: tuple[Path, ...],
    chosen: list[kernels.Choice],
    *,
    max_nodes: int,
    junit: Path | None,
    time_limit: float | None,
    lenient: bool,
    as_json: bool,
) -> None:
    """Compare every count of EPD files; exit status 1 if one is wrong or a line is refused."""
    begin = time.monotonic()
    with options.notes.status("reading"):
        held = suites.read_suite(files, max_nodes, lenient=lenient, seconds=time_limit)
    if not (held.cases or held.faults):
        raise click.UsageError(
            f"nothing to check: {held.beyond_limit} counts are above {max_nodes} nodes: "
            "expected a higher --max-nodes"
            if held.beyond_limit
            else "nothing to check: expected lines with counts such as ;D1 20"
        )
    left = None if time_limit is None else time_limit - (time.monotonic() - begin)
    begin = time.monotonic()
    results: list[suites.CaseResult] = []
    with suppress(TimeLimitError):
        _count(held, chosen, left, results, silent=as_json)
    _print_report(held, chosen, results, time.monotonic() - begin, as_json=as_json)
    missing = len(chosen) * len(held.cases) - len(results)
    if junit:
        write_atomically(junit, suites.junit_xml(held, results, missing), "choose another --junit file")
    if held.faults or any(result.wrong for result in results):
        sys.exit(1)
    if missing:
        raise click.ClickException(
            "time limit exceeded: expected a lower --max-nodes or a longer --time-limit"
        )
    if any(outcome.stopped for outcome in results):
        raise click.ClickException("some counts have too many nodes: expected a higher --max-nodes")


def _print_report(
    held: suites.Suite,
    chosen: list[kernels.Choice],
    results: list[suites.CaseResult],
    seconds: float,
    *,
    as_json: bool,
) -> None:
    wrong = suites.in_order(outcome for outcome in results if outcome.wrong)
    stopped = suites.in_order(outcome for outcome in results if outcome.stopped)
    explained = suites.explanation(wrong[0]) if wrong else None
    nodes = sum(outcome.counted for outcome in results)
    made = len(results) - len(stopped)
    missing = len(chosen) * len(held.cases) - made
    faults = [
        "\n    ".join([f"{path}:{fault.line_number}: {fault.message}", *fault.marked.splitlines()])
        for path, fault in held.faults
    ]
    if as_json:
        options.print_json(
            {
                "kernels": chosen,
                "positions": held.positions,
                "distinct_positions": len(held.distinct),
                "checks": made,
                "unfinished": missing,
                "beyond_limit": held.beyond_limit,
                "max_nodes": held.most_nodes,
                "nodes": nodes,
                "wall_seconds": seconds,
                "faults": faults,
                "wrong": [str(outcome) for outcome in wrong],
                "stopped": [str(outcome) for outcome in stopped],
                "explanation": explained,
            }
        )
        return
    _print_some("REFUSED", faults)
    _print_some("WRONG", [str(outcome) for outcome in wrong])
    _print_some("STOPPED", [str(outcome) for outcome in stopped])
    if explained:
        print(f"\n{wrong[0].case.line.position.fen()}\n{explained}\n")
    by = str(chosen[0]) if len(chosen) == 1 else f"{len(chosen)} kernels"
    print(
        f"{made - len(wrong)} of {made} counts are right: "
        f"{held.positions} positions ({len(held.distinct)} distinct), {by}"
    )
    print(f"lines refused: {len(faults)}; counts left out above {held.most_nodes} nodes: {held.beyond_limit}")
    print(f"{nodes} nodes counted in {seconds:.1f} s")
    if missing:
        print(f"UNFINISHED: {missing} counts were not made")


def _count(
    held: suites.Suite,
    chosen: list[kernels.Choice],
    seconds: float | None,
    results: list[suites.CaseResult],
    *,
    silent: bool,
) -> None:
    """Add the outcomes to `results`, as they come. Raises TimeLimitError."""
    begin = time.monotonic()
    with Progress(
        TextColumn("{task.description:<32}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=options.notes,
        transient=True,
        disable=silent or not options.notes.is_terminal,
    ) as progress:
        task = progress.add_task("", total=len(chosen) * len(held.cases))
        for choice in chosen:
            progress.update(task, description=str(choice))
            left = None if seconds is None else seconds - (time.monotonic() - begin)
            for outcome in suites.outcomes(held, choice, left):
                results.append(outcome)
                progress.advance(task)


def _print_some(label: str, lines: list[str]) -> None:
    for line in lines[:MAX_SHOWN]:
        print(f"{label} {line}")
    if len(lines) > MAX_SHOWN:
        print(f"{label} {len(lines) - MAX_SHOWN} more; --json lists all")
