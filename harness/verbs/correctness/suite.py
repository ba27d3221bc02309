"""slidebench suite: EPD files over kernels."""

import sys
import time
from contextlib import suppress
from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from slidebench import kernels
from slidebench.harness.files import write_atomically
from slidebench.harness.positions import suites
from slidebench.harness.positions.workers import TimeLimitError
from slidebench.harness.verbs import options

MAX_SHOWN = 20
ALL = "all"


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--max-nodes", type=click.IntRange(1), default=suites.DEFAULT_NODES, show_default=True,
              help="Leave out counts above this.")  # fmt: skip
@click.option("--kernel", metavar="K|all", help="Kernel, or all.  [default: this CPU's best]")
@click.option("--level", metavar="L|all", help="Level, or all.  [default: this CPU's highest]")
@click.option("--popcount", metavar="P|all", help="Popcount, or all.  [default: builtin]")
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Also write JUnit XML.")
@options.time_limit
@options.memory_limit
@options.lenient
@options.as_json
@options.example("slidebench suite tests/perft/*.epd --kernel all --level v1")
def command(
    files: tuple[Path, ...],
    max_nodes: int,
    kernel: str | None,
    level: str | None,
    popcount: str | None,
    junit: Path | None,
    time_limit: float | None,
    lenient: bool,
    as_json: bool,
) -> None:
    """Check kernels on perft suites: EPD lines such as "FEN ;D1 20 ;D2 400".

    Exit status 1 if a count is wrong or a line is refused; the first wrong count is compared move by move
    with python-chess, if that is installed.
    """
    chosen = _choices(kernel, level, popcount)
    begin = time.monotonic()
    with options.notes.status("reading"):
        held = suites.read_suite(files, max_nodes, lenient=lenient, seconds=time_limit)
    if not (held.cases or held.faults):
        raise click.UsageError(
            f"nothing to check: {held.beyond_limit} counts are above {max_nodes} nodes; raise --max-nodes"
            if held.beyond_limit
            else "nothing to check: no line has counts such as ;D1 20"
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
    if held.faults or any(outcome.wrong for outcome in results):
        sys.exit(1)
    if missing:
        raise click.ClickException("the time limit is over; lower --max-nodes or give a longer --time-limit")
    if any(outcome.stopped for outcome in results):
        raise click.ClickException("some counts were not made: too many nodes; raise --max-nodes")


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


def _choices(kernel: str | None, level: str | None, popcount: str | None) -> list[kernels.Choice]:
    """The default choice, with each part that is "all" spread out as far as this machine can run it."""
    default = kernels.Selection(*(None if name == ALL else name for name in (kernel, level, popcount))).best()
    return kernels.Selection(
        None if kernel == ALL else default.kernel,
        None if level == ALL else default.level,
        None if popcount == ALL else default.popcount,
    ).runnable()


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
