"""Bitboards drawn as text."""


def board_lines(bits: int) -> list[str]:
    """The eight ranks from the top, x for a set bit and . for a clear one, then the file letters."""
    ranks = [
        f"{rank + 1} " + " ".join("x" if bits >> (8 * rank + file) & 1 else "." for file in range(8))
        for rank in reversed(range(8))
    ]
    return [*ranks, "  a b c d e f g h"]


def bit_string(bits: int) -> str:
    """The 64 bits as digits from a8 to h1, with a blank between ranks."""
    return " ".join(
        "".join(str(bits >> (8 * rank + file) & 1) for file in range(8)) for rank in reversed(range(8))
    )


def side_by_side(boards: dict[str, int]) -> str:
    """The boards next to each other, each under its title."""
    columns = [[title, *board_lines(bits)] for title, bits in boards.items()]
    return "\n".join("   ".join(f"{line:<17}" for line in row).rstrip() for row in zip(*columns, strict=True))
