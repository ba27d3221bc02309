"""Bitboards are printed as they are drawn by hand."""

from drawings import board

from slidebench.harness.positions.boards import bit_string, board_lines, side_by_side


def test_a_board_is_drawn_with_the_eighth_rank_first() -> None:
    a1_b2_h8 = 1 | 1 << 9 | 1 << 63
    assert board_lines(a1_b2_h8) == [
        "8 . . . . . . . x",
        "7 . . . . . . . .",
        "6 . . . . . . . .",
        "5 . . . . . . . .",
        "4 . . . . . . . .",
        "3 . . . . . . . .",
        "2 . x . . . . . .",
        "1 x . . . . . . .",
        "  a b c d e f g h",
    ]


def test_the_bit_string_starts_with_a8_and_ends_with_h1() -> None:
    a8_c1_h1 = 1 << 56 | 1 << 2 | 1 << 7
    assert bit_string(a8_c1_h1) == "10000000 00000000 00000000 00000000 00000000 00000000 00000000 00100001"


def test_boards_stand_side_by_side_under_their_titles() -> None:
    lines = side_by_side({"left": 0, "right": 1 << 63}).splitlines()
    assert lines[0] == "left                right"
    assert lines[1] == "8 . . . . . . . .   8 . . . . . . . x"
    assert len(lines) == 10


def test_the_tests_own_drawings_are_read_as_they_look() -> None:
    assert board(
        """
        x . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . x
        """
    ) == (1 << 56 | 1 << 7)
