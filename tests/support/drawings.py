"""Bitboards drawn by hand."""


def board(drawing: str) -> int:
    """The bitboard of an eight-line drawing, the eighth rank first; x is a set square."""
    ranks = [line.replace(" ", "") for line in drawing.strip().splitlines()]
    assert [len(rank) for rank in ranks] == [8] * 8, drawing
    return sum(
        1 << (8 * (7 - down) + file)
        for down, rank in enumerate(ranks)
        for file, letter in enumerate(rank)
        if letter == "x"
    )
