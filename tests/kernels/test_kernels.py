"""Every kernel gives the ray walk's answers, and the ray walk gives those drawn by hand."""

import random

import pytest
from drawings import board
from toys import Toy

from slidebench import kernels

RUNNABLE = kernels.Selection().runnable()
ALL_SQUARES = (1 << 64) - 1

# (piece, square, blockers, attacks), drawn by hand.
DRAWN = [
    pytest.param(
        "rook", "d4",
        """
        . . . . . . . .
        . . . . . . . .
        . . . x . . . .
        . . . . . . . .
        . x . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        """,
        """
        . . . . . . . .
        . . . . . . . .
        . . . x . . . .
        . . . x . . . .
        . x x . x x x x
        . . . x . . . .
        . . . x . . . .
        . . . x . . . .
        """,
        id="rook with two blockers",
    ),
    pytest.param(
        "rook", "a1",
        """
        x . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . x . . . . . .
        . . . . . . . .
        . . . . . . . x
        """,
        """
        x . . . . . . .
        x . . . . . . .
        x . . . . . . .
        x . . . . . . .
        x . . . . . . .
        x . . . . . . .
        x . . . . . . .
        . x x x x x x x
        """,
        id="rook in the corner, edge squares occupied",
    ),
    pytest.param(
        "rook", "h8",
        """
        . . . . . . x x
        . . . . . . . x
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        """,
        """
        . . . . . . x .
        . . . . . . . x
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        """,
        id="rook shut in, own square occupied",
    ),
    pytest.param(
        "bishop", "c3",
        """
        . . . . . . . .
        . . . . . . . .
        . . . . . x . .
        . . . . . . . .
        . x . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        """,
        """
        . . . . . . . .
        . . . . . . . .
        . . . . . x . .
        . . . . x . . .
        . x . x . . . .
        . . . . . . . .
        . x . x . . . .
        x . . . x . . .
        """,
        id="bishop with two blockers",
    ),
    pytest.param(
        "bishop", "h4",
        """
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        x . . . . . . .
        . . . . . . . .
        x . . . . . . .
        . . . . . . . .
        . . . . . . . .
        """,
        """
        . . . x . . . .
        . . . . x . . .
        . . . . . x . .
        . . . . . . x .
        . . . . . . . .
        . . . . . . x .
        . . . . . x . .
        . . . . x . . .
        """,
        id="bishop does not wrap round the edge",
    ),
    pytest.param(
        "queen", "e5",
        """
        . . . . x . . .
        . . . . . . . .
        . . . x . . . .
        . . x . . . . .
        . . . . . x . .
        . . . . . . . .
        . . . . x . . .
        . . . . . . . .
        """,
        """
        . . . . x . . x
        . . . . x . x .
        . . . x x x . .
        . . x x . x x x
        . . . x x x . .
        . . x . x . . .
        . x . . x . . .
        x . . . . . . .
        """,
        id="queen among five blockers",
    ),
]  # fmt: skip


@pytest.mark.parametrize("choice", RUNNABLE, ids=str)
class TestEveryKernel:
    @pytest.mark.parametrize(("piece", "square", "blockers", "attacks"), DRAWN)
    def test_answers_as_drawn_by_hand(
        self, choice: kernels.Choice, piece: str, square: str, blockers: str, attacks: str
    ) -> None:
        assert kernels.load_choice(choice).attacks(piece, square, board(blockers)) == board(attacks)

    def test_equals_the_ray_walk_on_all_relevant_occupancies(self, choice: kernels.Choice) -> None:
        assert kernels.load_choice(choice).relevant_mismatch() is None

    def test_equals_the_ray_walk_on_random_boards_and_sets(self, choice: kernels.Choice) -> None:
        assert kernels.load_choice(choice).random_mismatch(seed=7, boards=3_000) is None

    def test_says_how_it_was_built(self, choice: kernels.Choice) -> None:
        kernel = kernels.load_choice(choice)
        assert kernel.compiler.startswith(("gcc ", "clang "))
        assert kernel.table_bytes >= 0
        if choice.level != "generic":
            assert "-march=x86-64" in kernel.flags


@pytest.mark.parametrize(("piece", "square", "blockers", "attacks"), DRAWN)
def test_the_ray_walk_answers_as_drawn_by_hand(piece: str, square: str, blockers: str, attacks: str) -> None:
    assert kernels.load().oracle(piece, square, board(blockers)) == board(attacks)


def test_the_ray_walk_agrees_with_a_walk_on_square_names() -> None:
    """A second oracle that shares nothing with the first: files and ranks as letters."""
    source = random.Random(5)
    kernel = kernels.load()
    steps = {
        "rook": [(0, 1), (0, -1), (1, 0), (-1, 0)],
        "bishop": [(1, 1), (1, -1), (-1, 1), (-1, -1)],
    }
    names = {f"{file}{rank}": 8 * (rank - 1) + i for i, file in enumerate("abcdefgh") for rank in range(1, 9)}
    for _ in range(2_000):
        occupied = source.getrandbits(64) & source.getrandbits(64)
        name = source.choice(list(names))
        piece = source.choice(["rook", "bishop"])
        expected = 0
        for file_step, rank_step in steps[piece]:
            at = name
            while True:
                at = f"{chr(ord(at[0]) + file_step)}{int(at[1:]) + rank_step}"
                if at not in names:
                    break
                expected |= 1 << names[at]
                if occupied >> names[at] & 1:
                    break
        assert kernel.oracle(piece, name, occupied) == expected


@pytest.mark.parametrize(
    ("piece", "square", "targets"),
    [
        ("knight", "a1", "b3 c2"),
        ("knight", "h8", "f7 g6"),
        ("knight", "d4", "b3 b5 c2 c6 e2 e6 f3 f5"),
        ("knight", "h4", "f3 f5 g2 g6"),
        ("king", "a1", "a2 b1 b2"),
        ("king", "h5", "g4 g5 g6 h4 h6"),
        ("king", "e4", "d3 d4 d5 e3 e5 f3 f4 f5"),
    ],
)
def test_knights_and_kings_do_not_wrap_round_the_edge(piece: str, square: str, targets: str) -> None:
    kernel = kernels.load()
    expected = sum(1 << (8 * (int(name[1]) - 1) + "abcdefgh".index(name[0])) for name in targets.split())
    assert kernel.leaper_attacks(piece, square) == kernel.oracle(piece, square) == expected


@pytest.mark.parametrize(
    ("square", "other", "between", "line"),
    [
        ("a1", "a4", "a2 a3", "a1 a2 a3 a4 a5 a6 a7 a8"),
        ("h1", "e4", "f3 g2", "a8 b7 c6 d5 e4 f3 g2 h1"),
        ("b2", "c2", "", "a2 b2 c2 d2 e2 f2 g2 h2"),
        ("a1", "b3", "", ""),
        ("d4", "d4", "", ""),
    ],
)
def test_between_and_line_are_as_drawn(square: str, other: str, between: str, line: str) -> None:
    def bits(names: str) -> int:
        return sum(1 << (8 * (int(name[1]) - 1) + "abcdefgh".index(name[0])) for name in names.split())

    kernel = kernels.load()
    assert kernel.between(square, other) == kernel.between(other, square) == bits(between)
    assert kernel.line(square, other) == kernel.line(other, square) == bits(line)


class TestChoosing:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"kernel": "nosuch"}, "no kernel is called 'nosuch'; there are .*magic_fancy.*pext"),
            ({"level": "v9"}, "no level is called 'v9'; there are "),
            ({"popcount": "fingers"}, "no popcount is called 'fingers'; there are .*builtin.*swar"),
        ],
    )
    def test_an_unknown_name_is_refused_with_those_there_are(self, arguments: dict, message: str) -> None:
        with pytest.raises(kernels.UnavailableError, match=message):
            kernels.load(**arguments)

    def test_a_level_below_what_a_kernel_needs_is_refused_with_the_reason(self) -> None:
        if "v1" not in kernels.levels():
            pytest.skip("this machine is not x86-64")
        with pytest.raises(kernels.UnavailableError, match="pext at v1: pext needs level v3 or higher"):
            kernels.load("pext", "v1")

    @pytest.mark.parametrize("square", [-1, 64, "i1", "a9", ""])
    def test_a_square_off_the_board_is_refused(self, square: int | str) -> None:
        with pytest.raises(ValueError, match="square"):
            kernels.load().rook_attacks(square, 0)

    @pytest.mark.parametrize("occupied", [-1, 1 << 64])
    def test_a_number_that_is_no_bitboard_is_refused(self, occupied: int) -> None:
        with pytest.raises(ValueError, match="bitboard"):
            kernels.load().rook_attacks("a1", occupied)

    def test_each_choice_is_loaded_once(self) -> None:
        assert kernels.load("magic_fancy", kernels.levels()[0]) is kernels.load(
            "magic_fancy", kernels.levels()[0]
        )

    def test_table_bytes_are_those_of_the_literature(self) -> None:
        lowest = kernels.levels()[0]
        fancy = kernels.load("magic_fancy", lowest).table_bytes
        plain = kernels.load("magic_plain", lowest).table_bytes
        assert fancy == (102_400 + 5_248) * 8 + 128 * 32
        assert plain == (2 << 20) + (256 << 10) + 2 * 128 * 8


class TestWrongKernels:
    def test_a_bad_magic_is_refused_with_square_and_index(self, toy: Toy) -> None:
        result = toy.run("perft", "3", "--kernel", "colliding", "--level", kernels.levels()[0])
        assert result.returncode == 1
        assert "rook on d4: occupancies with different attacks meet at index " in result.stderr
        assert "Traceback" not in result.stderr

    def test_a_wrong_answer_is_shown_on_three_boards(self, toy: Toy) -> None:
        result = toy.run("verify", "--kernel", "blind", "--level", kernels.levels()[0])
        assert result.returncode == 1
        assert "0 of 1 kernels are right" in result.stdout
        assert "wrong rook on " in result.stdout
        assert "blockers            right               kernel" in result.stdout
        assert result.stdout.count("a b c d e f g h") == 3
