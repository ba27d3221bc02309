"""The generator counts what independent programs count: recorded suites, python-chess, bug reports."""

import random
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import PUBLISHED, TESTS
from random_positions import LOWEST, random_position

from slidebench import kernels
from slidebench.harness.positions.epd import EpdLine, read_epd
from slidebench.harness.workloads import CPW_POSITIONS
from slidebench.kernels.position import START, parse_fen

SUITES = TESTS / "perft"
MAX_NODES = 300_000  # per line; what is deeper is left to `slidebench suite`

RUNNABLE = kernels.Selection().runnable()


def lines(path: Path) -> Iterator[tuple[EpdLine, int, int]]:
    """(line, depth, leaves) of a suite, within the node limit."""
    for line in read_epd(path, lenient=True):
        assert isinstance(line, EpdLine), line
        for depth, leaves in line.depths.items():
            if leaves <= MAX_NODES:
                yield line, depth, leaves


class TestSuites:
    @pytest.mark.parametrize("suite", sorted(SUITES.glob("*.epd")), ids=lambda path: path.stem)
    def test_own_suite_is_counted_right(self, suite: Path) -> None:
        kernel = kernels.load()
        checked = 0
        for line, depth, leaves in lines(suite):
            assert kernel.perft(line.position, depth) == leaves, (line.fen, depth)
            checked += 1
        assert checked > 100

    @pytest.mark.parametrize(
        "name",
        ["cpw", "chess960", "deep", "deep_frc", "double_checks", "enpassant", "frc_tricky", "impossible",
         "perftsuite", "rampart", "random", "single_checks", "tricky"],
    )  # fmt: skip
    def test_published_suite_is_counted_right(self, name: str) -> None:
        path = PUBLISHED / f"{name}.epd"
        if not path.exists():
            pytest.skip(f"{path.name} is not here; set SLIDEBENCH_PUBLISHED_PERFT to its folder")
        kernel = kernels.load("magic_fancy", LOWEST)
        for line, depth, leaves in lines(path):
            assert kernel.perft(line.position, depth) == leaves, (line.fen, depth)

    @pytest.mark.parametrize("choice", RUNNABLE, ids=str)
    def test_every_kernel_counts_the_six_positions(self, choice: kernels.Choice) -> None:
        kernel = kernels.load_choice(choice)
        for position in CPW_POSITIONS:
            for depth, leaves in enumerate(position.leaves, start=1):
                if leaves < 5_000_000:
                    assert kernel.perft(position.fen, depth) == leaves, (position.name, depth)

    @pytest.mark.parametrize("choice", RUNNABLE, ids=str)
    def test_every_kernel_counts_random_games(self, choice: kernels.Choice) -> None:
        kernel = kernels.load_choice(choice)
        for line, depth, leaves in lines(SUITES / "gen_random_play.epd"):
            if depth <= 3:
                assert kernel.perft(line.position, depth) == leaves, (line.fen, depth)

    @pytest.mark.slow
    def test_the_default_kernel_counts_the_six_positions_to_the_end(self) -> None:
        kernel = kernels.load()
        for position in CPW_POSITIONS:
            for depth, leaves in enumerate(position.leaves, start=1):
                assert kernel.perft(position.fen, depth) == leaves, (position.name, depth)


# (case, FEN, leaves at depth 1, 2, ...): counts by python-chess and Stockfish 15.1 for public bug reports.
REPORTED = [
    ("double push uncovers a check", "k6b/6pp/pp1P4/1R6/5pP1/8/K6P/7B b - g3 0 19", (3, 79, 665, 15946)),
    ("castling given as king takes rook",
     "1n2k2r/2p2p1p/2b2P2/1p4B1/1P2PP2/3P3N/6B1/1N1QK2R b Kk - 0 17", (15, 437, 7230, 221774)),
    ("en passant blocks a slider's check", "8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1", (6, 121, 711)),
    ("en passant takes the checking pawn",
     "4r1k1/8/p3pQp1/3p2Pp/1p1P1RK1/2P5/7q/8 w - h6 0 2", (2, 52, 776, 14800)),
    ("en passant does not wrap round the edge",
     "1nb1kbnr/r1p2pp1/3p1q2/pp2NP1p/7P/2PP4/PP2P1P1/R1BQKBNR b KQk h3 0 9", (35, 1119, 39691)),
    ("king does not wrap round the edge", "8/8/8/K7/7k/8/8/8 w - - 0 1", (5, 25, 170, 1156)),
    ("pawn does not wrap round the edge", "4k3/8/8/7p/P7/8/8/4K3 w - - 0 1", (6, 36, 269, 2019)),
    ("pawns on both edges", "7k/8/8/p6p/P6P/8/8/K7 w - - 0 1", (3, 9, 54, 324)),
    ("knights in the corners", "N6N/8/8/3k4/8/3K4/8/n6n w - - 0 1", (8, 68, 719, 7297)),
    ("captures that promote, four ways",
     "r2q1rk1/pp1bbppp/4p3/P1p1P3/4P3/1P4P1/1BpQ1PBP/R4RK1 b - - 0 14", (33, 1386, 48234)),
    ("castling past an attacked b1", "1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", (16, 226, 3602, 57729)),
    ("no castling through c1", "2r1k3/8/8/8/8/8/8/R3K3 w Q - 0 1", (15, 213, 3415, 54421)),
    ("no castling over b1", "4k3/8/8/8/8/8/8/Rn2K3 w Q - 0 1", (12, 85, 1342, 11777)),
    ("a second rook beside the castling one",
     "4k1rr/1b1p3p/nn1p4/P3Np2/3P1bp1/6PP/P5R1/1B1K2N1 b k - 1 37", (35, 995, 34604)),
    ("Chess960: castling rook pinned", "4k3/8/8/8/8/8/8/rR2K1N1 w Q - 0 1", (11, 136, 2219, 34391)),
    ("Chess960: the king does not move",
     "qnbnr1kr/ppp1b1pp/4p3/3p1p2/8/2NPP3/PPP1BPPP/QNB1R1KR w HEhe - 1 9", (29, 899, 26578)),
    ("unreachable double check 1", "2Nq4/2K5/1b6/8/7R/3k4/7P/8 w - - 0 1", (3, 81, 1217)),
    ("unreachable double check 2", "5R2/2P5/8/4k3/8/3rK2r/8/8 w - - 0 1", (2, 56, 1030)),
    ("unreachable double check 3", "2N5/8/1B1R4/q7/1K6/8/3b4/5k2 w - - 0 1", (2, 56, 1056)),
    ("mated", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", (0, 0, 0)),
    ("bare kings go on", "8/8/4k3/8/8/4K3/8/8 w - - 0 1", (8, 57, 428, 3234)),
    ("the clock does not end perft", "8/8/4k3/8/8/4K3/4R3/8 w - - 99 80", (15, 97, 1909, 11508)),
    ("218 moves", "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", (218, 99)),
    ("218 moves, other end", "3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - -", (218, 20)),
    ("king takes the checking queen", "rnb1kbnr/ppp3p1/8/7p/8/8/PPPPqPPP/RNB1K2R w KQkq - 0 1", (1, 31, 779)),
    ("en passant field behind the pawn",
     "rnbqkbnr/pppp2pp/5p2/3Pp3/8/8/PPP1PPPP/RNBQKBNR w KQkq e6 0 1", (30, 746, 22205)),
    ("en passant square nobody can use",
     "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", (20, 600, 13160, 405385)),
    ("the same without it",
     "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", (20, 600, 13160, 405385)),
    ("double check by two knights", "8/8/N7/2k5/N7/8/8/3K4 b - - 0 1", (6, 78, 391)),
    ("black pawn may take en passant only", "8/2N3p1/5b2/k1B2P2/pP4R1/8/K1nn4/8 b - b3", (2, 3, 42)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("fen", "leaves"), [pytest.param(fen, leaves, id=case) for case, fen, leaves in REPORTED]
)
@pytest.mark.parametrize("bulk", [True, False], ids=["bulk", "no-bulk"])
def test_reported_position_is_counted_right(fen: str, leaves: tuple[int, ...], bulk: bool) -> None:
    kernel = kernels.load()
    for depth, expected in enumerate(leaves, start=1):
        assert kernel.time_perft(fen, depth, bulk=bulk).nodes == expected


def test_more_than_256_moves_are_listed_without_overrun() -> None:
    position = parse_fen("kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1", lenient=True)
    assert len(kernels.load().moves(position)) == 270
    assert kernels.load().perft(position, 2) == 0


@pytest.mark.parametrize(
    ("moves", "leaves"),
    [
        ("4k2r/8/8/6R1/6r1/2K5/8/8 b k - 0 1 g4g2 g5g8 g2g8 c3d3 g8g5 d3e3", (29, 202, 5946, 33786)),
        (f"{START} a2a4 e7e6 a1a3 d7d6 a3h3 c7c6 h3a3", (30, 804, 24379)),
    ],
    ids=["a right outlives a rook in between", "a rook that left home has lost its right"],
)
def test_castling_rights_follow_the_moves_played(moves: str, leaves: tuple[int, ...]) -> None:
    kernel = kernels.load()
    words = moves.split()
    position = parse_fen(" ".join(words[:6]))
    for wanted in words[6:]:
        position = next(move.after for move in kernel.moves(position) if move.uci() == wanted)
    for depth, expected in enumerate(leaves, start=1):
        assert kernel.perft(position, depth) == expected


@pytest.mark.parametrize("turn", ["w", "b"])
def test_full_clocks_stay_full_so_that_what_is_written_can_be_read(turn: str) -> None:
    moves = kernels.load().moves(f"4k3/8/8/8/8/8/8/4K3 {turn} - - 9999 9999")
    assert len(moves) == 5
    for move in moves:
        assert move.after.fen().endswith(" - - 9999 9999")
        assert parse_fen(move.after.fen()) == move.after


@pytest.mark.parametrize("fen", [START, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"], ids=["start", "mated"])
def test_depth_0_is_one_leaf_and_divides_into_nothing(fen: str) -> None:
    assert kernels.load().perft(fen, 0) == 1
    assert kernels.load().divide(fen, 0) == {}


def test_a_mated_side_has_no_leaf() -> None:
    assert kernels.load().perft("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 1) == 0


def test_divide_lists_what_python_chess_lists() -> None:
    fen = CPW_POSITIONS[1].fen
    board = chess.Board(fen)
    expected = {}
    for move in board.legal_moves:
        board.push(move)
        expected[move.uci()] = board.legal_moves.count()
        board.pop()
    assert kernels.load().divide(fen, 2) == expected


@pytest.mark.parametrize(
    ("fen", "castling", "chess960"),
    [
        ("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1", "e1g1", "e1h1"),
        ("r3k3/8/8/8/8/8/8/4K2R b Kq - 0 1", "e8c8", "e8a8"),
        ("4k3/8/8/8/8/8/8/5K1R w K - 0 1", "f1h1", "f1h1"),
        ("4k3/8/8/8/8/8/8/R1K5 w Q - 0 1", "c1a1", "c1a1"),
        ("4k3/8/8/8/8/8/8/4KR2 w K - 0 1", "e1f1", "e1f1"),
    ],
)
def test_castling_is_two_steps_of_the_king_only_where_no_plain_move_reads_the_same(
    fen: str, castling: str, chess960: str
) -> None:
    moves = kernels.load().moves(fen)
    assert [move.uci() for move in moves if move.castles] == [castling]
    assert [move.uci(chess960=True) for move in moves if move.castles] == [chess960]
    assert len(kernels.load().divide(fen, 1)) == len(moves)


class TestAgainstPythonChess:
    @settings(deadline=None, max_examples=150)
    @given(seed=st.integers(0, 2**32), chess960=st.booleans())
    def test_legal_moves_and_the_positions_after_them_agree(self, seed: int, chess960: bool) -> None:
        board = random_position(random.Random(seed), chess960)
        kernel = kernels.load("magic_fancy", LOWEST)
        expected = {}
        for move in board.legal_moves:
            board.push(move)
            expected[move.uci()] = board.fen(en_passant="fen")
            board.pop()
        position = parse_fen(board.fen(en_passant="fen"))
        found = {move.uci(chess960=chess960): move.after.fen() for move in kernel.moves(position)}
        assert found.keys() == expected.keys()
        for uci, fen in found.items():
            ours, theirs = fen.split(), expected[uci].split()
            # The generator keeps an en passant square only where a pawn stands ready to take.
            assert ours[:2] + ours[4:] == theirs[:2] + theirs[4:]
            assert parse_fen(fen).castling_rooks == parse_fen(expected[uci]).castling_rooks
            assert ours[3] in (theirs[3], "-")

    @settings(deadline=None, max_examples=60)
    @given(seed=st.integers(0, 2**32), chess960=st.booleans())
    def test_every_kernel_counts_the_same(self, seed: int, chess960: bool) -> None:
        board = random_position(random.Random(seed), chess960)
        fen = board.fen(en_passant="fen")
        expected = 0
        for move in board.legal_moves:
            board.push(move)
            expected += board.legal_moves.count()
            board.pop()
        for choice in RUNNABLE:
            kernel = kernels.load_choice(choice)
            assert kernel.perft(fen, 2) == expected
            assert kernel.time_perft(fen, 2, bulk=False).nodes == expected

    @settings(deadline=None, max_examples=60)
    @given(seed=st.integers(0, 2**32), chess960=st.booleans(), choice=st.sampled_from(RUNNABLE))
    def test_moves_made_and_unmade_leave_nothing_behind(
        self, seed: int, chess960: bool, choice: kernels.Choice
    ) -> None:
        """A count from one board equals those from boards set up anew after each move."""
        position = parse_fen(random_position(random.Random(seed), chess960).fen(en_passant="fen"))
        kernel = kernels.load_choice(choice)
        parts = sum(kernel.perft(move.after.fen(), 2) for move in kernel.moves(position))
        assert kernel.perft(position, 3) == kernel.time_perft(position, 3, bulk=False).nodes == parts
        assert kernel.statistics(position, 3).nodes == parts

    @settings(deadline=None, max_examples=60)
    @given(seed=st.integers(0, 2**32))
    def test_the_mirrored_position_counts_the_same(self, seed: int) -> None:
        board = random_position(random.Random(seed), chess960=False)
        kernel = kernels.load()
        fen, mirrored = board.fen(en_passant="fen"), board.mirror().fen(en_passant="fen")
        assert kernel.perft(fen, 3) == kernel.perft(mirrored, 3)
