"""Bitboards as text."""


def board_lines(bits: int) -> list[str]:
    """Eight ranks, the eighth first, and a line of file letters: x is a set square, . an empty one."""
    ranks = [
        f"{rank + 1} " + " ".join("x" if bits >> (8 * rank + file) & 1 else "." for file in range(8))
        for rank in reversed(range(8))
    ]
    return [*ranks, "  a b c d e f g h"]


def bit_string(bits: int) -> str:
    """The squares as digits, rank by rank from a8 to h1, a blank after each rank."""
    return " ".join(
        "".join(str(bits >> (8 * rank + file) & 1) for file in range(8)) for rank in reversed(range(8))
    )


def side_by_side(boards: dict[str, int]) -> str:
    """Titled boards next to each other."""
    columns = [[title, *board_lines(bits)] for title, bits in boards.items()]
    return "\n".join("   ".join(f"{line:<17}" for line in row).rstrip() for row in zip(*columns, strict=True))
