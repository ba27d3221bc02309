"""slidebench count: instructions, which carry no noise."""

from pathlib import Path

import click
from rich.progress import Progress
from rich.table import Table

from slidebench import kernels
from slidebench.harness import workloads
from slidebench.harness.run.streams import query_streams
from slidebench.harness.valgrind import baseline, counting
from slidebench.harness.verbs import options

POSITIONS = [position.name for position in workloads.CPW_POSITIONS]


@click.command()
@options.kernel
@options.level
@options.popcount
@click.option(
    "--position",
    type=click.Choice(POSITIONS),
    default="kiwipete",
    show_default=True,
    help="Position of the perft.",
)
@click.option(
    "--cache",
    type=click.Choice(counting.GEOMETRIES),
    help="Also simulate the caches of Haswell, Zen 2 or this CPU.",
)
@click.option(
    "--write",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Put the perft counts into this table, a JSON file.",
)
@options.as_json
@options.example("slidebench count --kernel magic_fancy --cache zen2")
def command(
    kernel: str | None,
    level: str | None,
    popcount: str | None,
    position: str,
    cache: str | None,
    write: Path | None,
    as_json: bool,
) -> None:
    """Count instructions per perft node and per attack query, by valgrind's callgrind.

    Counts are exact and repeat to the instruction, on any CPU and under any load; they are not times. Queries
    are of the game-like stream; with --cache of the random one, whose misses matter. Cache misses are
    simulated: two levels, no prefetching. v4 cannot be counted: valgrind has no AVX-512.
    """
    chosen = counting.countable(kernels.Selection(kernel, level, popcount))
    streams = query_streams()
    plan: list[workloads.Workload] = [
        each for each in workloads.perft_workloads() if each.position == position
    ]
    plan += [
        each
        for each in workloads.lookup_workloads(streams)
        if each.order == "throughput" and each.stream == ("random" if cache else "tree")
    ]
    with Progress(
        console=options.notes, transient=True, disable=as_json or not options.notes.is_terminal
    ) as progress:
        task = progress.add_task("counting", total=len(chosen))
        counts, uncounted = counting.count(
            chosen, plan, streams.values(), cache, lambda: progress.advance(task)
        )
    for each in uncounted:
        options.notes.print(f"not counted: {each.choice}: {each.reason}", highlight=False)
    if write:
        baseline.write_baseline(write, [each for each in counts if each.workload == plan[0].name])
    if as_json:
        options.print_json({"simulated_caches": cache, "counts": counts, "uncounted": uncounted})
    else:
        options.output.print(_count_table(counts, plan, cache))


def _count_table(counts: list[counting.Count], plan: list[workloads.Workload], cache: str | None) -> Table:
    """Instructions, or simulated misses of both cache levels, per node and query by kernel."""
    rows: dict[kernels.Choice, dict[str, str]] = {}
    for each in counts:
        misses = each.simulated_misses
        rows.setdefault(each.choice, {})[each.workload] = (
            f"{1000 * misses.level_1 / each.operations:.1f}/{1000 * misses.level_2 / each.operations:.1f}"
            if misses
            else f"{each.per_operation:.2f}"
        )
    where = "this CPU" if cache == "here" else cache
    what = f"Simulated data cache misses of {where}, level 1/level 2," if cache else "Instructions"
    per = "per 1000 nodes" if cache else "per node"
    own = "the stream's own misses" if cache else "the instructions of the loop around them"
    asked = [
        "node" if isinstance(workload, workloads.Perft) else f"{workload.piece} query" for workload in plan
    ]
    table = Table(
        "kernel", "level", "popcount", *asked,
        box=None, pad_edge=False, title_justify="left", caption_justify="left",
        title=f"{what} {per} of {plan[0].name}, bulk counted, and {'queries' if cache else 'per query'}",
        caption=f"Queries include {own}.",
    )  # fmt: skip
    for choice, row in rows.items():
        cells = [row.get(workload.name, "") for workload in plan]
        table.add_row(choice.kernel, choice.level, choice.popcount, *cells)
    return table
