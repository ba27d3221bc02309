"""Moves as text agree with python-chess: SAN with its marks, UCI read back."""

import random

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_positions import LOWEST, random_position

from slidebench import kernels
from slidebench.harness.positions.notation import MoveError, in_check, play_moves, san_moves
from slidebench.kernels.position import START, parse_fen

KERNEL = kernels.load("magic_fancy", LOWEST)


def expected(board: chess.Board) -> dict[str, str]:
    """SAN by UCI as python-chess writes them."""
    return {move.uci(): board.san(move) for move in board.legal_moves}


def san_by_uci(fen: str, chess960: bool = False) -> dict[str, str]:
    return {move.uci(chess960=chess960): san for move, san in san_moves(KERNEL, fen)}


@pytest.mark.parametrize(
    ("fen", "uci", "san"),
    [
        (START, "g1f3", "Nf3"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O"),
        ("3k4/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "O-O-O+"),
        ("5k2/5P2/5K2/8/8/8/8/7R w - - 0 1", "h1h8", "Rh8#"),
        ("3r3k/2P5/8/8/8/8/8/K7 w - - 0 1", "c7d8n", "cxd8=N"),
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8q", "a8=Q+"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
        ("k7/8/8/8/8/8/8/1K1R3R w - - 0 1", "d1f1", "Rdf1"),
        ("R7/6k1/8/8/8/8/8/R3K3 w - - 0 1", "a1a4", "R1a4"),
        ("Q5Q1/8/8/8/8/7k/8/4K3 w - - 0 1", "a8d5", "Qad5"),
        ("6k1/8/8/7Q/8/8/8/K3Q3 w - - 0 1", "h5e5", "Qhe5"),
        ("6k1/8/8/Q3Q3/8/8/8/K3Q3 w - - 0 1", "e5c3", "Qe5c3"),
        ("4r2k/8/8/8/8/4N3/8/4K1N1 w - - 0 1", "g1e2", "Ne2"),
    ],
)
def test_san_is_as_the_pgn_standard_writes_it(fen: str, uci: str, san: str) -> None:
    assert san_by_uci(fen)[uci] == san


@settings(deadline=None, max_examples=150)
@given(seed=st.integers(0, 2**32), chess960=st.booleans())
def test_san_agrees_with_python_chess(seed: int, chess960: bool) -> None:
    board = random_position(random.Random(seed), chess960)
    assert san_by_uci(board.fen(en_passant="fen"), chess960) == expected(board)


@pytest.mark.parametrize(
    "fen",
    [
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        "8/7k/QQ6/QQ6/QQ6/QQ6/Q7/K7 w - - 0 1",
        "N1N3k1/1N3N2/N1N5/8/4N3/8/2N3N1/K7 w - - 0 1",
        "2r1n1r1/PPPPPP1P/8/8/5k2/8/8/K7 w - - 0 1",
    ],
    ids=["218 moves", "nine queens", "eight knights", "promotions"],
)
def test_crowded_boards_are_disambiguated_as_python_chess_does(fen: str) -> None:
    assert san_by_uci(fen) == expected(chess.Board(fen))


@settings(deadline=None, max_examples=150)
@given(seed=st.integers(0, 2**32))
def test_check_is_seen_as_python_chess_sees_it(seed: int) -> None:
    board = random_position(random.Random(seed), chess960=False)
    for move in [None, *board.legal_moves]:
        if move:
            board.push(move)
        assert in_check(KERNEL, parse_fen(board.fen())) == board.is_check()
        if move:
            board.pop()


@pytest.mark.parametrize("fen", ["8/8/8/8/8/8/p7/K6k w - - 0 1", "k7/P7/K7/8/8/8/8/8 b - - 0 1"])
def test_a_pawn_on_the_kings_file_or_the_last_rank_gives_no_check(fen: str) -> None:
    assert not in_check(KERNEL, parse_fen(fen))


class TestPlayMoves:
    @pytest.mark.parametrize(
        ("fen", "moves", "after"),
        [
            (START, "", START),
            (START, "e2e4 e7e5 g1f3", "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
            ("4k3/8/8/8/8/8/8/5K1R w K - 0 1", "f1g1", "4k3/8/8/8/8/8/8/6KR b - - 1 1"),
            ("4k3/8/8/8/8/8/8/5K1R w K - 0 1", "f1h1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
            ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8Q", "Q6k/8/8/8/8/8/8/K7 b - - 0 1"),
        ],
    )
    def test_moves_are_played_in_either_spelling(self, fen: str, moves: str, after: str) -> None:
        assert play_moves(KERNEL, fen, moves.split()).fen() == after

    @pytest.mark.parametrize("move", ["e2e5", "e2", "e1g1", "e7e5", "Nf3", "0000", "a7a8q", "e2e4\0", "é"])
    def test_an_illegal_move_is_named_with_the_legal_ones(self, move: str) -> None:
        with pytest.raises(MoveError, match=r"^illegal move .* in rnbqkbnr/.*: .* a2a3 a2a4 b1a3"):
            play_moves(KERNEL, START, [move])

    def test_a_move_after_mate_is_named_too(self) -> None:
        mated = "rnb1kbnr/pppp1ppp/4p3/8/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
        with pytest.raises(MoveError, match=r"^illegal move 'e1e2' in .*: there are no legal moves$"):
            play_moves(KERNEL, mated, ["e1e2"])
