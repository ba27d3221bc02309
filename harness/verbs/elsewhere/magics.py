"""slidebench magics: factors for magic kernels."""

import time
from typing import Literal

import click

from slidebench.harness.errors import UserError
from slidebench.harness.verbs import options
from slidebench.kernels.magic_search import Finder, relevant_bits
from slidebench.kernels.position import parse_square, square_name

CANDIDATES = 20_000  # a step: a hundredth of a second at most, so that time limits and Ctrl-C act
KINDS = {"fancy": "masked", "black": "black"}


@click.group()
@options.example("slidebench magics find --piece rook --seed 7")
def command() -> None:
    """Search for the factors that magic kernels multiply by."""


@command.command()
@click.option("--piece", type=click.Choice(["rook", "bishop"]), help="Only this piece.  [default: both]")
@click.option("--square", metavar="SQUARE", help="Only this square.")
@click.option(
    "--kind",
    type=click.Choice(list(KINDS)),
    default="fancy",
    show_default=True,
    help="fancy masks the occupancy with AND, black fills what is not relevant with OR.",
)
@click.option(
    "--bits",
    type=click.IntRange(1, 12),
    help="Index bits: more, as for plain magics, or fewer (dense).  [default: one for each relevant square]",
)
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=1, show_default=True)
@click.option("--time-limit", type=options.Duration(), default="60s", show_default=True, metavar="TIME",
              help="Stop after this time.")  # fmt: skip
@options.as_json
@options.example("slidebench magics find --piece bishop --bits 9")
def find(
    piece: Literal["rook", "bishop"] | None,
    square: str | None,
    kind: str,
    bits: int | None,
    seed: int,
    time_limit: float,
    as_json: bool,
) -> None:
    """Find factors without destructive collisions; equal seeds find equal ones."""
    try:
        squares = [parse_square(square)] if square else list(range(64))
    except ValueError as error:
        raise UserError(str(error)) from None
    finder = Finder(seed)
    begin, cpu = time.monotonic(), time.thread_time()
    found = []
    for each in (piece,) if piece else ("rook", "bishop"):
        for place in squares:
            wanted = bits or relevant_bits(each, place)
            while (magic := finder.find(each, place, wanted, KINDS[kind], CANDIDATES)) is None:
                if options.notes.is_terminal:
                    options.notes.print(
                        f"{each} {square_name(place)}: {finder.candidates} candidates", end="\r"
                    )
                if time.monotonic() - begin > time_limit:
                    raise UserError(
                        f"no magic of {wanted} bits for a {each} on {square_name(place)} "
                        f"within {time_limit:g} s: expected a longer --time-limit or more --bits"
                    )
            factor, used = magic
            found.append(
                {"piece": each, "square": square_name(place), "magic": factor, "bits": wanted, "used": used}
            )
            if not as_json:
                print(f"{each:6} {square_name(place)}  {factor:#018x}  {wanted} bits, {used} indices used")
    spent = time.thread_time() - cpu
    rate = finder.candidates / spent if spent > 0 else None
    if as_json:
        options.print_json({"candidates": finder.candidates, "cpu_seconds": spent, "magics": found})
    else:
        speed = f", {rate / 1e6:.1f} million candidates/s" if rate else ""
        print(f"{finder.candidates} candidates, {spent * 1e3:.1f} ms of CPU time{speed}")
