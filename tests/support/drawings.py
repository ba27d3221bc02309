"""Bitboards drawn by hand."""


def board(drawing: str) -> int:
    """The bitboard of an eight-line drawing from rank 8 down to rank 1; x is a set bit."""
    ranks = [line.replace(" ", "") for line in drawing.strip().splitlines()]
    assert [len(rank) for rank in ranks] == [8] * 8, drawing
    return sum(
        1 << (8 * rank_number + file)
        for rank_number, rank in zip(reversed(range(8)), ranks, strict=True)
        for file, letter in enumerate(rank)
        if letter == "x"
    )
