"""slidebench perft: one count, one time."""

import sys
import time

import click

from slidebench import kernels
from slidebench.harness.positions.notation import DepthError, MoveError, parse_depth, play_moves
from slidebench.harness.positions.parallel_perft import PerftRunner, total_of
from slidebench.harness.positions.workers import TimeLimitError, in_threads
from slidebench.harness.verbs import on_cluster, options
from slidebench.kernels.position import START, parse_fen

MAX_THREADS = 4096


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="[FEN] DEPTH")
@click.option("--moves", default="", metavar="MOVES", help='Play these first, such as "e2e4 e7e5".')
@options.kernel
@options.level
@options.popcount
@click.option("--divide", is_flag=True, help="Count below each move, in the form perftree reads.")
@click.option(
    "--statistics", is_flag=True, help="Also count captures, checks, mates and so on at each depth."
)
@options.chess960
@options.lenient
@click.option("--no-bulk", is_flag=True, help="Make the moves at the last ply too, instead of counting them.")
@click.option(
    "--threads",
    type=click.IntRange(1, MAX_THREADS),
    default=1,
    show_default=True,
    help="Count with so many threads.",
)
@click.option(
    "--hash",
    "mebibytes",
    type=click.IntRange(1, kernels.MAX_HASH_MEBIBYTES),
    metavar="MIB",
    help="Keep counts in a table of so many MiB.",
)
@click.option("--check-hash", is_flag=True, help="With --hash: count without it too, and compare.")
@options.time_limit
@options.memory_limit
@options.as_json
@on_cluster.option
@options.example(f'slidebench perft 6\nslidebench perft "{START}" 5 --divide')
def command(
    words: tuple[str, ...],
    moves: str,
    kernel: str | None,
    level: str | None,
    popcount: str | None,
    divide: bool,
    statistics: bool,
    chess960: bool,
    lenient: bool,
    no_bulk: bool,
    threads: int,
    mebibytes: int | None,
    check_hash: bool,
    time_limit: float | None,
    as_json: bool,
    cluster: str | None,
) -> None:
    """Count the leaves of a position at a depth.

    FEN is the start position if left out. Without --kernel, --level and --popcount the best of this CPU runs:
    PEXT at the highest level, or fancy magics where PEXT is slow or missing.
    """
    if divide and statistics:
        raise click.UsageError("--divide and --statistics; give one of them")
    if statistics and (threads > 1 or mebibytes or no_bulk):
        raise click.UsageError("--statistics looks at every leaf; leave --threads, --hash and --no-bulk out")
    if check_hash and not mebibytes:
        raise click.UsageError("--check-hash without --hash; give the table's size too, such as --hash 64")
    fen, bulk = options.fen(words[:-1]), not no_bulk
    if cluster:
        if statistics or moves or lenient or time_limit or threads > 1 or mebibytes:
            raise click.UsageError("--cluster counts leaves and --divide only; leave the other options out")
        selection = kernels.Selection(kernel, level, popcount)
        depth = parse_depth(words[-1])
        on_cluster.perft(
            cluster, fen, depth, selection, bulk=bulk, divide=divide, chess960=chess960, as_json=as_json
        )
        return
    chosen = kernels.load(kernel, level, popcount)
    try:
        depth = parse_depth(words[-1])
        position = play_moves(chosen, parse_fen(fen, lenient=lenient), moves.split())
        table = chosen.hash_table(mebibytes) if mebibytes else None
        # Counted in a thread, so that Ctrl-C and the time limit act.
        if statistics:
            rows = in_threads(
                lambda each: chosen.statistics(position, each), range(depth + 1), seconds=time_limit
            )
            _print_statistics(list(rows), chosen.choice, as_json)
            return
        begin = time.monotonic_ns()
        counter = PerftRunner(chosen, bulk, table, threads, time_limit)
        counted = None
        if divide:
            below = list(counter.divide(position, depth))
            counted = {move.uci(chess960=chess960): part for move, part in below}
            total = total_of(counted.values()) if depth else kernels.PerftTime(1, 0, 0)
            if threads > 1:
                total = total._replace(wall_nanoseconds=time.monotonic_ns() - begin)
        else:
            total = counter.perft(position, depth)
        plain = None
        if check_hash:
            left = time_limit and time_limit - (time.monotonic_ns() - begin) / 1e9
            plain = counter._replace(table=None, seconds=left).perft(position, depth).nodes
        _print_count(
            total, chosen.choice, bulk, as_json, counted, threads=threads, mebibytes=mebibytes, plain=plain
        )
        sys.exit(0 if plain in (None, total.nodes) else 1)
    except (DepthError, MoveError) as error:
        raise click.BadParameter(str(error)) from None
    except TimeLimitError as error:
        raise click.ClickException(f"{error}; give a lower depth or a longer --time-limit") from None


def _print_count(
    timed: kernels.PerftTime,
    choice: kernels.Choice,
    bulk: bool,
    as_json: bool,
    divide: dict[str, kernels.PerftTime] | None = None,
    *,
    threads: int = 1,
    mebibytes: int | None = None,
    plain: int | None = None,
) -> None:
    # Several threads are judged by the clock on the wall, one by its own CPU time.
    seconds = (timed.cpu_nanoseconds if threads == 1 else timed.wall_nanoseconds) / 1e9
    # What a table remembers is not counted: then leaves by the second say nothing of a kernel.
    rate = timed.nodes / seconds if seconds > 0 and not mebibytes else None
    counts = None if divide is None else {move: divide[move].nodes for move in sorted(divide)}
    if as_json:
        data = {
            "nodes": timed.nodes,
            "wall_seconds": timed.wall_nanoseconds / 1e9,
            "cpu_seconds": timed.cpu_nanoseconds / 1e9,
            "nodes_per_second": rate,
            **vars(choice),
            "bulk": bulk,
            "threads": threads,
            "hash_mebibytes": mebibytes,
            "nodes_without_hash": plain,
        }
        options.print_json(data if counts is None else data | {"divide": counts})
        return
    speed = f", {rate / 1e6:.1f} million nodes/s" if rate else ""
    clock = "CPU time" if threads == 1 else f"wall time with {threads} threads"
    extras = f", {mebibytes} MiB hash table" if mebibytes else ""
    summary = f"{timed.nodes} nodes, {seconds * 1e3:.3f} ms of {clock}{speed} ({choice}{extras})"
    if plain is not None:
        same = "the same count" if plain == timed.nodes else f"MISMATCH: {plain} nodes"
        summary += f"\n{same} without the hash table"
    options.print_count(timed.nodes, summary, counts)


def _print_statistics(rows: list[kernels.Statistics], choice: kernels.Choice, as_json: bool) -> None:
    if as_json:
        kinds = [{"depth": depth, **row._asdict()} for depth, row in enumerate(rows)]
        options.print_json({**vars(choice), "statistics": kinds})
        return
    names = [field.replace("_", " ") for field in kernels.Statistics._fields]
    widths = [max(len(name), *(len(str(row[i])) for row in rows)) for i, name in enumerate(names)]
    print("depth  " + "  ".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True)))
    for depth, row in enumerate(rows):
        print(f"{depth:>5}  " + "  ".join(f"{n:>{width}}" for n, width in zip(row, widths, strict=True)))
