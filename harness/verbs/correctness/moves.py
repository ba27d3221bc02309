"""slidebench moves: what is legal."""

import sys

import click

from slidebench import kernels
from slidebench.harness.positions.notation import in_check, san_moves
from slidebench.harness.verbs import options
from slidebench.kernels.position import parse_fen


@click.command()
@click.argument("words", nargs=-1, metavar="[FEN]")
@options.kernel
@options.level
@options.chess960
@options.lenient
@options.as_json
@options.example('slidebench moves "7k/P7/8/8/8/8/8/R3K3 w Q - 0 1"')
def command(
    words: tuple[str, ...],
    kernel: str | None,
    level: str | None,
    chess960: bool,
    lenient: bool,
    as_json: bool,
) -> None:
    """List the legal moves of a position in UCI and SAN, by UCI; FEN is the start position if left out."""
    chosen = kernels.load(kernel, level)
    position = parse_fen(options.fen(words), lenient=lenient)
    rows = sorted((move.uci(chess960=chess960), san) for move, san in san_moves(chosen, position))
    if as_json:
        options.print_json([{"uci": uci, "san": san} for uci, san in rows])
        return
    for uci, san in rows:
        print(f"{uci:<5}  {san}")
    if not rows:
        print("none:", "checkmate" if in_check(chosen, position) else "stalemate", file=sys.stderr)
