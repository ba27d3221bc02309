"""slidebench attacks: the attacks of a piece on a square."""

import sys

import click

from slidebench import kernels
from slidebench.harness.positions.boards import bit_string, side_by_side
from slidebench.harness.verbs import options
from slidebench.kernels.position import parse_square


@click.command()
@click.argument("piece", type=click.Choice([*kernels.PIECES, "knight", "king"]))
@click.argument("square")
@click.option("--occupied", default="", metavar="SQUARES", help="Occupied squares, such as d6,b4.")
@options.kernel
@options.level
@options.as_json
@options.example("slidebench attacks rook d4 --occupied d6,b4,f4")
def command(
    piece: str, square: str, occupied: str, kernel: str | None, level: str | None, as_json: bool
) -> None:
    """Show the blockers, the oracle's answer and the kernel's; exit status 1 if they differ."""
    chosen = kernels.load(kernel, level)
    try:
        origin = parse_square(square)
        blockers = sum({1 << parse_square(name.strip()) for name in occupied.split(",") if name.strip()})
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    right = chosen.oracle(piece, origin, blockers)
    got = (
        chosen.attacks(piece, origin, blockers)
        if piece in kernels.PIECES
        else chosen.leaper_attacks(piece, origin)
    )
    if as_json:
        options.print_json(
            {
                "piece": piece, "square": square, "occupied": blockers, "kernel": chosen.choice.kernel,
                "level": chosen.choice.level, "oracle": right, "answer": got,
                "oracle_bits": bit_string(right), "answer_bits": bit_string(got),
            }
        )  # fmt: skip
    else:
        print(side_by_side({"blockers": blockers, "oracle": right, str(chosen.choice.kernel): got}))
        print(f"\noracle  {bit_string(right)}\nkernel  {bit_string(got)}")
    sys.exit(0 if right == got else 1)
