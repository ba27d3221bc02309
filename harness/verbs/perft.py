"""slidebench perft: one count, one time."""

import click

from slidebench import kernels
from slidebench.harness.verbs import on_cluster, options
from slidebench.kernels.position import START


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="[FEN] DEPTH")
@options.kernel
@options.level
@options.popcount
@click.option("--divide", is_flag=True, help="Also count below each move.")
@click.option("--no-bulk", is_flag=True, help="Make the moves at the last ply too, instead of counting them.")
@options.as_json
@on_cluster.option
@options.example(f'slidebench perft 6\nslidebench perft "{START}" 5 --divide')
def perft(
    words: tuple[str, ...],
    kernel: str | None,
    level: str | None,
    popcount: str | None,
    divide: bool,
    no_bulk: bool,
    as_json: bool,
    cluster: str | None,
) -> None:
    """Count the leaves of a position at a depth.

    FEN is the start position if left out. Without --kernel, --level and --popcount the best of this CPU runs:
    PEXT at the highest level, or fancy magics where PEXT is slow or missing.
    """
    fen, depth = " ".join(words[:-1]) or START, words[-1]
    if not (depth.isascii() and depth.isdigit() and int(depth) <= kernels.MOST_DEPTH):
        raise click.BadParameter(f"depth {depth!r}; give a whole number from 0 to {kernels.MOST_DEPTH}")
    if cluster:
        wished = kernel, level, popcount
        on_cluster.perft(cluster, fen, int(depth), wished, bulk=not no_bulk, divide=divide, as_json=as_json)
        return
    chosen = kernels.load(kernel, level, popcount)
    timed = chosen.time_perft(fen, int(depth), bulk=not no_bulk)
    counts = chosen.divide(fen, int(depth)) if divide else None
    seconds = timed.cpu_nanoseconds / 1e9
    rate = timed.nodes / seconds if seconds > 0 else None
    if as_json:
        data = {
            "nodes": timed.nodes,
            "wall_seconds": timed.wall_nanoseconds / 1e9,
            "cpu_seconds": seconds,
            "nodes_per_second": rate,
            "kernel": chosen.choice.kernel,
            "level": chosen.choice.level,
            "popcount": chosen.choice.popcount,
            "bulk": not no_bulk,
        }
        options.print_json(data if counts is None else data | {"divide": counts})
        return
    if counts is not None:
        for move, nodes in counts.items():
            print(f"{move}: {nodes}")
        print()
    speed = f", {rate / 1e6:.1f} million nodes/s" if rate else ""
    print(f"{timed.nodes} nodes, {seconds * 1e3:.3f} ms of CPU time{speed} ({chosen.choice})")
