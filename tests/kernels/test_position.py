"""Positions are read strictly, rejected with a reason, and written back unchanged. Oracle: python-chess."""

import pickle
import re
from dataclasses import astuple, replace
from operator import itemgetter

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import ROOT

from slidebench.kernels.position import (
    FIELDS,
    START,
    FenError,
    Position,
    check_position,
    parse_fen,
    parse_square,
    quoted,
    square_name,
)

patient = settings(deadline=None)
DOCUMENTED = re.findall(
    r"^\| (.+) \| `(.+)` \| `(.+)` \|$",
    ROOT.joinpath("docs/input.md").read_text("utf-8").partition("## Perft suites")[0],
    re.MULTILINE,
)

# Positions from public bug reports: legal ones, and ones that cannot occur but whose moves are defined.
REPORTED = """\
r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1
k6b/6pp/pp1P4/1R6/5pP1/8/K6P/7B b - g3 0 19
1n2k2r/2p2p1p/2b2P2/1p4B1/1P2PP2/3P3N/6B1/1N1QK2R b Kk - 0 17
8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1
4r1k1/7p/p3pQp1/3p2P1/1p1P1RK1/2P5/7q/8 b - -
4r1k1/8/p3pQp1/3p2Pp/1p1P1RK1/2P5/7q/8 w - h6 0 2
1nb1kbnr/r1p2pp1/3p1q2/pp2NP1p/7P/2PP4/PP2P1P1/R1BQKBNR b KQk h3 0 9
8/8/8/K7/7k/8/8/8 w - - 0 1
4k3/8/8/7p/P7/8/8/4K3 w - - 0 1
7k/8/8/p6p/P6P/8/8/K7 w - - 0 1
N6N/8/8/3k4/8/3K4/8/n6n w - - 0 1
r2q1rk1/pp1bbppp/4p3/P1p1P3/4P3/1P4P1/1BpQ1PBP/R4RK1 b - - 0 14
1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1
2r1k3/8/8/8/8/8/8/R3K3 w Q - 0 1
4k3/8/8/8/8/8/8/Rn2K3 w Q - 0 1
4k1rr/1b1p3p/nn1p4/P3Np2/3P1bp1/6PP/P5R1/1B1K2N1 b k - 1 37
4k3/8/8/8/8/8/8/rR2K1N1 w Q - 0 1
qnbnr1kr/ppp1b1pp/4p3/3p1p2/8/2NPP3/PPP1BPPP/QNB1R1KR w HEhe - 1 9
4k2r/8/8/6R1/6r1/2K5/8/8 b k - 0 1
2Nq4/2K5/1b6/8/7R/3k4/7P/8 w - - 0 1
5R2/2P5/8/4k3/8/3rK2r/8/8 w - - 0 1
2N5/8/1B1R4/q7/1K6/8/3b4/5k2 w - - 0 1
rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3
8/8/4k3/8/8/4K3/8/8 w - - 0 1
8/8/4k3/8/8/4K3/4R3/8 w - - 99 80
8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1
3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - -
R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1
rnb1kbnr/ppp3p1/8/7p/8/8/PPPPqPPP/RNB1K2R w KQkq - 0 1
rnbqkbnr/pppp2pp/5p2/3Pp3/8/8/PPP1PPPP/RNBQKBNR w KQkq e6 0 1
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
8/8/N7/2k5/N7/8/8/3K4 b - - 0 1
8/2N3p1/5b2/k1B2P2/pP4R1/8/K1nn4/8 b - b3
3rr1k1/3q2p1/R4p1p/1p2p3/nP6/P1P1Q1BP/K3NP2/2R5 w - - 0 33
8/3K4/2p5/p2b2r1/5k2/8/8/1q6 b - - 1 67
8/2k5/1p6/p4p1p/P1Pb1P2/3N3P/5P2/3K4 w - - 2 44
8/5kpp/8/8/1p3P2/6PP/r3KP2/1R1q4 w - -  0 1""".splitlines()

# FEN, invalid field, text at the caret, part of the reason: from public bug reports and variations of them.
REFUSED = [
    ("kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1", "board", "kBQ", "28 white pieces"),
    ("rnbqkbnr/pppp2pp/5p2/3Pp3/8/8/PPP1PPPP/RNBQKBNR w KQkq e5 0 1", "en passant", "e5", "rank 6"),
    ("8/8/2K5/8/6P1/2k5/8/8 w - g3 0 1", "en passant", "g3", "rank 6"),
    ("8/8/2K5/6p1/6P1/2k5/8/8 b - g6 0 1", "en passant", "g6", "rank 3"),
    ("8/8/2K5/8/8/2k5/8/8 w - g6 0 1", "en passant", "g6", "no black pawn on g5"),
    ("8/8/2K3N1/6p1/8/2k5/8/8 w - g6 0 1", "en passant", "g6", "g6 is occupied"),
    ("8/8/2K3N1/6p1/6P1/2k3n1/8/8 b - g3 0 1", "en passant", "g3", "g3 is occupied"),
    ("8/8/2K5/8/6p1/2k5/8/8 w - g3 0 1", "en passant", "g3", "rank 6"),
    ("8/8/2K5/6P1/8/2k5/8/8 b - g6 0 1", "en passant", "g6", "rank 3"),
    ("8/8/2K5/8/6P1/2k5/6N1/8 b - g3 0 1", "en passant", "g3", "g2, where the pawn came from, is occupied"),
    ("8/8/2K5/6P1/8/2k5/8/8 w - g6 0 1", "en passant", "g6", "no black pawn on g5"),
    ("3qk1nb/1p3p2/p1r1p1p1/3p4/3P4/2N1BP2/PPPQ1P2/R3K3 w Qk - 0 15", "castling", "k -", "h-file side"),
    ("2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQk - 0 14", "castling", "k -", "h-file side"),
    ("2b1kbnQ/rpq1pp1p/2n3p1/8/8/2P5/PP3PPP/RN2KBNR b KQk - 0 9", "castling", "k -", "h-file side"),
    ("2r5/5p1k/p4b2/2Rp1pr1/1Pn1q3/2P3PP/P4P2/2RQ2K1 b KQkq - 0 1", "castling", "KQkq", "h-file side"),
    ("8/P7/8/k7/8/K7/8/8 w KQkq - 0 1", "castling", "KQkq", "without the white king on rank 1"),
    ("7r/4k3/8/8/8/8/8/4K2R w Kk - 0 1", "castling", "k", "without the black king on rank 8"),
    ("4k3/8/8/8/8/8/8/4K2R w q - 0 1", "castling", "q", "without a black rook on the a-file side"),
    ("4k3/8/8/8/8/8/8/R3K2R w AG - 0 1", "castling", "G", "without a white rook on g1"),
    ("4k3/8/8/8/8/8/8/R3K2R w E - 0 1", "castling", "E", "without a white rook on e1"),
    ("4k2R/8/8/8/8/8/8/4K3 b h - 0 1", "castling", "h", "without a black rook on h8"),
    (START.replace("KQkq", "KKqq"), "castling", "Kqq", "second right"),
    (START.replace("KQkq", "KHkq"), "castling", "Hkq", "second right"),
    ("4k3/8/8/8/8/8/8/4KR1R w FH - 0 1", "castling", "H", "second right"),
    (START.replace("KQkq", "KQkq-"), "castling", "- -", "'-'"),
    (START.replace("KQkq", "\u0131"), "castling", "\u0131", r"'\u0131': expected -, KQkq"),
    ("r1bqkb1r/ppp2ppp/2np4/3P2N1/2BQ4/7P/PPP3P1/RNB4q w KQkq - 0 12", "board", "r1b", "no white king"),
    ("8/8/8/8/8/8/8/8 w - - 0 1", "board", "8/8", "no kings"),
    ("rnb1k1nr/1pp2ppp/8/3p4/5B2/5P2/6P1/4p3 w kq e6 0 1", "board", "rnb", "no white king"),
    ("8/pppppppp/8/8/8/8/PPPPPPPP/8", "board", "8/p", "no kings"),
    ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "board", "kk", "2 black kings"),
    ("4k2p/8/8/8/8/8/8/4K3 w - - 0 1", "board", "p/8", "pawn on h8"),
    ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "board", "P3K3", "pawn on a1"),
    ("1n6/8/2Q5/1rK5/8/8/8/5k2 b - - 0 1", "board", "K5/8", "c5 can be captured from b5"),
    ("rnbqkbnr/2pp1ppp/p7/1p2Q3/4P3/5N2/PPPP1PPP/RNB1KB1R w - - 0 1", "board", "kbnr", "e8 can be"),
    ("r1bqkbnr/pp1p1ppp/4p3/2p1n3/2K1P3/2N5/PPPP1PPP/R1BQ1BNR b kq - 0 9", "board", "K1P3", "from e5"),
    ("8/8/8/8/8/8/5kK1/8 w - - 0 1", "board", "kK1", "f2 can be captured from g2"),
    ("8/8/8/8/8/6k1/6p1/6K1 w -", "en passant", "", "missing"),
    ("3rr1k1/3q2p1/R4p1p/1p2p3/nP6/P1P1Q1BP/K3NP2/2R5", "side to move", "", "missing"),
    (f"{START.split()[0]} w", "castling", "", "missing"),
    (f"{START.split()[0]} W KQkq - 0 1", "side to move", "W", "expected w or b"),
    (f"{START.split()[0]} w KQkq e", "en passant", "e", "'e'"),
    (f"{START.split()[0]} w KQkq e9", "en passant", "e9", "'e9'"),
    (f"{START.split()[0]} w KQkq i3", "en passant", "i3", "'i3'"),
    (f"{START.split()[0]} w KQkq 33", "en passant", "33", "'33'"),
    (f"{START.split()[0]} w KQkq e6", "en passant", "e6", "no black pawn on e5"),
    (f"{START.split()[0]} w KQkq ", "en passant", " ", "missing"),
    ("8/3K4/2p5/p2b2r1/5k2/8/8/1q6 b - 1 67", "en passant", "1 67", "'1'"),
    ("8/2k5/1p6/p4p1p/P1Pb1P2/3N3P/5P2/3K4 w - -2 44", "en passant", "-2 44", "'-2'"),
    ("8/2k5/1p6/p4p1p/P1Pb1P2/3N3P/5P2/3K4 w - - -2 44", "halfmove clock", "-2 44", "'-2'"),
    (f"{START.split()[0]} w KQkq - 0", "fullmove number", "", "missing"),
    (f"{START} ;D1", "end", ";D1", "seventh field"),
    ("", "board", "", "missing"),
    (" \t\r\n", "board", " \t", "missing"),
    ("inf", "board", "inf", "'i'"),
    ("1e+234", "board", "e+234", "'e'"),
    ("Startpos", "board", "Startpos", "'S'"),
    ("rnbqkbnr/ppp\0pppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board", "\0", r"'\x00'"),
    ("4\u212a3/8/8/8/8/8/8/4k3 w - - 0 1", "board", "\u212a", r"'\u212a' on rank 8"),
    ("4k3/8/8/8/8/8/8/4K3\u00a0w - - 0 1", "board", "\u00a0", r"'\xa0' on rank 1"),
    ("4k3/8/8/8/8/8/8/4K\u0663 w - - 0 1", "board", "\u0663", r"'\u0663' on rank 1"),
    ("4k3/8/8/8/8/8/8/4K2 w - - 0 1", "board", " w", "rank 1 has 7 squares"),
    ("4k3/8/8//8/8/8/4K3 w - - 0 1", "board", "/8/8/8/4K3", "rank 5 has 0 squares"),
    ("4k3/9/8/8/8/8/8/4K3 w - - 0 1", "board", "9", "'9' on rank 7"),
    ("4k3/0/8/8/8/8/8/4K3 w - - 0 1", "board", "0", "'0' on rank 7"),
    ("4k4/8/8/8/8/8/8/4K3 w - - 0 1", "board", "4/8", "rank 8 has more than 8"),
    ("4k3/71/8/8/8/8/8/4K3 w - - 0 1", "board", "1/8", "consecutive numbers on rank 7"),
    ("4k3/8/8/8/8/8/8/4K3/ w - - 0 1", "board", "/ w", "more than 8 ranks"),
    ("4k3/8/4K3 w - - 0 1", "board", " w", "only 3 ranks"),
]


def oracle(board: chess.Board) -> tuple[object, ...]:
    """The fields of Position, in order, as python-chess sees them."""
    kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    sides = (board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK], board.turn == chess.WHITE)
    state = (board.clean_castling_rights(), board.ep_square, board.halfmove_clock, board.fullmove_number)
    return kinds + sides + state


@st.composite
def played_boards(draw: st.DrawFn) -> chess.Board:
    """A board after up to 80 random legal moves from any Chess960 start position (518 is the usual one)."""
    board = chess.Board.from_chess960_pos(draw(st.just(518) | st.integers(0, 959)))
    for choice in draw(st.lists(st.integers(0, 2**16), max_size=80)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(moves[choice % len(moves)])
    return board


@st.composite
def scattered_fens(draw: st.DrawFn) -> str:
    """A well-formed FEN of a few pieces anywhere, whose castling and en passant fields fit it at times."""
    corners = st.sampled_from([chess.A1, chess.H1, chess.A8, chess.H8])
    squares = draw(st.lists(corners, max_size=4)) + draw(st.lists(st.integers(0, 63), max_size=4))
    pieces = {square: draw(st.sampled_from("RrRrPpNnBbQq")) for square in squares}
    side, en_passant = draw(st.sampled_from("wb")), "-"
    if draw(st.booleans()):
        passed = draw(st.integers(0, 7)) + (chess.A6 if side == "w" else chess.A3)
        en_passant = chess.square_name(passed ^ draw(st.sampled_from([0, 0, 0, 8, 56])))
        pieces[passed + (-8 if side == "w" else 8)] = draw(st.sampled_from("ppPn" if side == "w" else "PPpN"))
    for letter, home in (("k", chess.E8), ("K", chess.E1)):
        pieces[draw(st.sampled_from([home, home, home + 2]) | st.integers(0, 63))] = letter
    board = chess.BaseBoard.empty()
    board.set_piece_map({square: chess.Piece.from_symbol(letter) for square, letter in pieces.items()})
    castling = draw(st.sampled_from(["-", "-", "K", "Q", "k", "q", "KQ", "kq", "Kq", "KQkq"]))
    return f"{board.board_fen()} {side} {castling} {en_passant} 3 5"


def test_a_small_position_reads_as_the_bitboards_drawn_by_hand() -> None:
    assert parse_fen("4k2r/8/8/1pP5/8/8/8/R3K3 w Qk b6 7 31") == Position(
        pawns=chess.BB_B5 | chess.BB_C5,
        knights=0,
        bishops=0,
        rooks=chess.BB_A1 | chess.BB_H8,
        queens=0,
        kings=chess.BB_E1 | chess.BB_E8,
        white=chess.BB_A1 | chess.BB_E1 | chess.BB_C5,
        black=chess.BB_E8 | chess.BB_H8 | chess.BB_B5,
        white_to_move=True,
        castling_rooks=chess.BB_A1 | chess.BB_H8,
        en_passant=chess.B6,
        halfmove_clock=7,
        fullmove_number=31,
    )


@pytest.mark.parametrize("fen", [START, *REPORTED])
def test_a_reported_position_reads_as_python_chess_reads_it(fen: str) -> None:
    assert astuple(parse_fen(fen)) == oracle(chess.Board(" ".join(fen.split()), chess960=True))


@pytest.mark.parametrize(("fen", "field", "at", "reason"), REFUSED)
def test_a_faulty_position_is_rejected_with_its_field_column_and_reason(
    fen: str, field: str, at: str, reason: str
) -> None:
    with pytest.raises(FenError) as caught:
        parse_fen(fen)
    error = caught.value
    assert (error.field, error.text) == (field, fen)
    assert fen[error.column :].startswith(at) if at else error.column == len(fen)
    assert str(error).startswith(f"{field}: ")
    assert reason in str(error)
    assert str(error).isprintable() and str(error).isascii()


@pytest.mark.parametrize(
    "clock", ["-2", "+2", "1_0", "2.0", "1e2", "0x1", "\u0662", "10000", "9" * 5000, "x"]
)
@pytest.mark.parametrize("field", FIELDS[4:])
def test_a_clock_is_a_plain_number_of_at_most_four_digits(field: str, clock: str) -> None:
    clocks = [clock if name == field else "7" for name in FIELDS[4:]]
    with pytest.raises(FenError, match=f"^{field}: .*expected 0 to 9999"):
        parse_fen(f"4k3/8/8/8/8/8/8/4K3 w - - {' '.join(clocks)}")


def test_clocks_hold_the_longest_games() -> None:
    position = parse_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 9999")
    assert (position.halfmove_clock, position.fullmove_number) == (0, 9999)


def test_start_is_the_usual_start_position() -> None:
    assert START == chess.STARTING_FEN


def test_equal_positions_are_one_in_a_set() -> None:
    assert len({parse_fen(START), parse_fen("startpos"), parse_fen(REPORTED[0])}) == 2


def test_the_four_field_form_starts_the_clocks_at_0_and_1() -> None:
    assert parse_fen(START.removesuffix(" 0 1")) == parse_fen(START)


@pytest.mark.parametrize("text", ["startpos", " startpos\n", f"  {START}\r\n", START.replace(" ", " \t ")])
def test_startpos_and_blanks_around_fields_change_nothing(text: str) -> None:
    assert parse_fen(text).fen() == START


@pytest.mark.parametrize("letters", ["QKqk", "kqKQ", "qkQK", "HAha", "AHah", "hKQa"])
def test_castling_letters_stand_in_any_order_and_spelling(letters: str) -> None:
    assert parse_fen(START.replace("KQkq", letters)) == parse_fen(START)


@pytest.mark.parametrize("letters", ["qK", "K", "q", "-"])
def test_castling_letters_may_be_some_of_four(letters: str) -> None:
    board = chess.Board()
    board.set_castling_fen(letters[::-1])
    assert parse_fen(START.replace("KQkq", letters)).castling_rooks == board.castling_rights


@pytest.mark.parametrize(
    ("fen", "rooks"),
    [
        ("4k3/8/8/8/8/8/8/rR2K1N1 w Q - 0 1", chess.BB_B1),
        ("4k3/8/8/8/8/8/8/1R1RKR1R w KQ - 0 1", chess.BB_B1 | chess.BB_H1),
        ("4k3/8/8/8/8/8/8/1R1RKR1R w FD - 0 1", chess.BB_D1 | chess.BB_F1),
        ("1r1rkr1r/8/8/8/8/8/8/4K3 w fb - 0 1", chess.BB_B8 | chess.BB_F8),
        ("r1k1r2q/8/8/8/8/8/8/7K w kq - 0 1", chess.BB_A8 | chess.BB_E8),
    ],
)
def test_castling_letters_name_the_outermost_rook_or_a_file(fen: str, rooks: int) -> None:
    assert parse_fen(fen).castling_rooks == rooks


def test_rights_are_written_as_files_only_where_an_outer_rook_stands_in_the_way() -> None:
    position = parse_fen("1r1rkr1r/8/8/8/8/8/8/1R1RKR1R w FBdh - 0 1")
    assert position.fen().split()[2] == "FQkd"
    assert position.fen(chess960=True).split()[2] == "FBhd"


def test_an_en_passant_square_that_no_pawn_can_use_is_kept() -> None:
    fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
    assert parse_fen(fen).en_passant == chess.E3
    assert parse_fen(fen).fen() == fen


def test_more_than_16_pieces_a_side_are_read_only_when_lenient() -> None:
    fen = "kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1"
    assert astuple(parse_fen(fen, lenient=True)) == oracle(chess.Board(fen))
    full = "krqnnnnn/nnnnnnnn/nnnnnnnn/nnnnnnnn/NNNNNNNN/NNNNNNNN/NNNNNNNN/KNNNNNNN b - - 0 1"
    assert parse_fen(full, lenient=True).fen() == full


@pytest.mark.parametrize(("fault", "text", "message"), DOCUMENTED)
def test_a_documented_fault_has_the_documented_message(fault: str, text: str, message: str) -> None:
    with pytest.raises(FenError) as caught:
        parse_fen(text)
    assert str(caught.value) == message, fault


def test_the_caret_stands_under_the_fault() -> None:
    with pytest.raises(FenError) as caught:
        parse_fen("4k3/8/8/8/8/8/8/4K3 w K\t- 0 1")
    assert caught.value.marked() == "4k3/8/8/8/8/8/8/4K3 w K?- 0 1\n                      ^"


@patient
@given(st.text(max_size=300) | st.text("rnbqkpRNBQKP12345678/ wKQ-abcdefgh0\0\n", max_size=300))
def test_arbitrary_text_raises_nothing_but_an_error_that_fits_on_two_lines(text: str) -> None:
    with pytest.raises(FenError) as caught:
        parse_fen(text)
    column = caught.value.column
    shown, caret = caught.value.marked().split("\n")
    assert shown.isascii() and len(shown) <= 120
    assert caret.strip(" ") == "^"
    if column < len(text) and " " <= text[column] <= "~":
        assert shown[len(caret) - 1] == text[column]


def test_an_error_survives_pickling() -> None:
    with pytest.raises(FenError) as caught:
        parse_fen("8/8")
    assert pickle.loads(pickle.dumps(caught.value)).marked() == caught.value.marked() == "8/8\n   ^"


def test_every_chess960_start_position_comes_back_unchanged() -> None:
    for board in map(chess.Board.from_chess960_pos, range(960)):
        position = parse_fen(board.fen())
        assert astuple(position) == oracle(board)
        assert position.fen() == board.fen()
        assert position.fen(chess960=True) == board.shredder_fen()
        assert parse_fen(board.shredder_fen()) == position


@patient
@given(played_boards())
def test_a_played_position_comes_back_unchanged(board: chess.Board) -> None:
    position = parse_fen(board.fen(en_passant="fen"))
    assert astuple(position) == oracle(board)
    for fen in (position.fen(), position.fen(chess960=True)):
        assert parse_fen(fen) == position
        assert oracle(chess.Board(fen, chess960=True)) == oracle(board)


@patient
@given(scattered_fens())
def test_a_position_is_accepted_exactly_when_python_chess_finds_no_fault(fen: str) -> None:
    board = chess.Board(fen, chess960=True)
    unreachable = chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK
    unreachable |= chess.STATUS_TOO_MANY_WHITE_PAWNS | chess.STATUS_TOO_MANY_BLACK_PAWNS
    rights = fen.split()[2].replace("-", "")
    if board.status() & ~unreachable or chess.popcount(board.clean_castling_rights()) != len(rights):
        with pytest.raises(FenError):
            parse_fen(fen)
    else:
        assert astuple(parse_fen(fen)) == oracle(board)


@patient
@given(played_boards(), st.data())
def test_a_damaged_fen_is_refused_or_read_as_written(board: chess.Board, data: st.DataObject) -> None:
    fen = board.fen(en_passant="fen")
    at = data.draw(st.integers(0, len(fen)))
    damage = data.draw(st.text(max_size=2) | st.text("kKpP18/ -wbQa36", max_size=2))
    damaged = fen[:at] + damage + fen[at + 1 :]
    try:
        position = parse_fen(damaged)
    except FenError as error:
        assert 0 <= error.column <= len(damaged)
    else:
        board_side_en_passant = itemgetter(0, 1, 3)
        assert board_side_en_passant(position.fen().split()) == board_side_en_passant(damaged.split())


def test_square_names_are_those_of_python_chess() -> None:
    assert [square_name(square) for square in range(64)] == chess.SQUARE_NAMES
    assert [parse_square(name) for name in chess.SQUARE_NAMES] == list(range(64))


@pytest.mark.parametrize("name", ["", "e", "e9", "i3", "33", "E4", "e4\n", " e4", "e44", "e٤"])
def test_a_name_that_is_not_a_square_is_rejected(name: str) -> None:
    with pytest.raises(ValueError, match="expected a file a to h and a rank 1 to 8"):
        parse_square(name)


@pytest.mark.parametrize("square", [-1, 64])
def test_a_number_that_is_not_a_square_is_rejected(square: int) -> None:
    with pytest.raises(ValueError, match=r"expected 0 \(a1\) to 63 \(h8\)"):
        square_name(square)


def test_a_quoted_text_is_short_plain_and_on_one_line() -> None:
    assert quoted("a\nb") == r"'a\nb'"
    assert quoted("é") == r"'\xe9'"
    assert quoted("x" * 21) == f"'{'x' * 20}...'"


@pytest.mark.parametrize("fen", [START, *REPORTED])
def test_a_position_that_was_read_passes_the_check(fen: str) -> None:
    check_position(parse_fen(fen))


@pytest.mark.parametrize(
    "changes",
    [
        {"kings": 0},
        {"kings": chess.BB_E1},
        {"kings": chess.BB_E1 | chess.BB_E8 | chess.BB_E4},
        {"white": 0},
        {"white": chess.BB_ALL, "black": chess.BB_ALL},
        {"pawns": chess.BB_A1},
        {"pawns": -1},
        {"queens": 1 << 64},
        {"rooks": chess.BB_E4},
        {"castling_rooks": chess.BB_D1},
        {"castling_rooks": -1},
        {"en_passant": 64},
        {"en_passant": chess.E6},
        {"halfmove_clock": -1},
        {"fullmove_number": 10**4},
        {"white_to_move": 2},
    ],
    ids=str,
)
def test_a_position_that_cannot_be_read_fails_the_check(changes: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="expected"):
        check_position(replace(parse_fen(START), **changes))
