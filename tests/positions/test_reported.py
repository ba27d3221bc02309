"""What public bug reports asked of other programs, beyond single counts."""

import json

import pytest
from command import slidebench

from slidebench import kernels
from slidebench.harness.positions.notation import play_moves
from slidebench.harness.positions.parallel_perft import total_of
from slidebench.harness.positions.uci import Session
from slidebench.harness.workloads import CPW_POSITIONS
from slidebench.kernels.position import START, parse_fen

KERNEL = kernels.load()
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("k6b/6pp/pp1P4/1R6/5pP1/8/K6P/7B b - g3 0 19", "a8a7 a8b8 f4f3"),
        ("2Nq4/2K5/1b6/8/7R/3k4/7P/8 w - - 0 1", "c7b7 c7b8 c7c6"),
        ("rnb1kbnr/ppp3p1/8/7p/8/8/PPPPqPPP/RNB1K2R w KQkq - 0 1", "e1e2"),
        ("8/2N3p1/5b2/k1B2P2/pP4R1/8/K1nn4/8 b - b3", "a4b3 c2b4"),
        (MATED, ""),
    ],
    ids=["uncovered check", "double check", "king takes the queen", "only en passant or a block", "mate"],
)  # fmt: skip
def test_these_are_all_the_moves(fen: str, moves: str) -> None:
    assert sorted(KERNEL.legal_moves(fen)) == moves.split()


@pytest.mark.parametrize(
    ("fen", "legal", "illegal"),
    [
        ("1n2k2r/2p2p1p/2b2P2/1p4B1/1P2PP2/3P3N/6B1/1N1QK2R b Kk - 0 17", "e8g8", "e8h8"),
        ("8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1", "e4d3", ""),
        ("1nb1kbnr/r1p2pp1/3p1q2/pp2NP1p/7P/2PP4/PP2P1P1/R1BQKBNR b KQk h3 0 9", "a5a4", "a5h3 a5b4"),
        ("1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", ""),
        ("2r1k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "", "e1c1 e1a1"),
        ("4k3/8/8/8/8/8/8/Rn2K3 w Q - 0 1", "", "e1c1 e1a1"),
        ("4k1rr/1b1p3p/nn1p4/P3Np2/3P1bp1/6PP/P5R1/1B1K2N1 b k - 1 37", "", "e8g8 e8h8"),
        ("4k3/8/8/8/8/8/8/rR2K1N1 w Q - 0 1", "", "e1c1 e1b1"),
        ("qnbnr1kr/ppp1b1pp/4p3/3p1p2/8/2NPP3/PPP1BPPP/QNB1R1KR w HEhe - 1 9", "g1h1", ""),
    ],
)
def test_a_disputed_move_is_legal_or_not(fen: str, legal: str, illegal: str) -> None:
    found = set(KERNEL.legal_moves(fen))
    assert set(legal.split()) <= found
    assert not found & set(illegal.split())


@pytest.mark.parametrize(
    ("fen", "leaves"),
    [
        (CPW_POSITIONS[1].fen, (48, 2039, 97862, 4085603)),
        ("rnbqkbnr/pppp2pp/5p2/3Pp3/8/8/PPP1PPPP/RNBQKBNR w KQkq e6 0 1", (30, 746, 22205)),
        ("3rr1k1/3q2p1/R4p1p/1p2p3/nP6/P1P1Q1BP/K3NP2/2R5 w - - 0 33", (43, 1530, 57956)),
        ("8/3K4/2p5/p2b2r1/5k2/8/8/1q6 b - - 1 67", (50, 279, 13310)),
        ("8/2k5/1p6/p4p1p/P1Pb1P2/3N3P/5P2/3K4 w - - 2 44", (14, 259, 3254)),
        ("8/5kpp/8/8/1p3P2/6PP/r3KP2/1R1q4 w - -  0 1", (2, 68, 717, 23441)),
    ],
)
def test_a_repaired_position_has_its_counts(fen: str, leaves: tuple[int, ...]) -> None:
    assert tuple(KERNEL.perft(fen, depth) for depth in range(1, len(leaves) + 1)) == leaves


@pytest.mark.parametrize("letters", ["KQkq", "kqKQ", "qK", "-"])
def test_castling_letters_in_any_order_leave_20_moves(letters: str) -> None:
    assert KERNEL.perft(START.replace("KQkq", letters), 1) == 20


class TestSequences:
    def test_en_passant_takes_the_pawn_that_has_just_given_check(self) -> None:
        after = play_moves(KERNEL, "4r1k1/7p/p3pQp1/3p2P1/1p1P1RK1/2P5/7q/8 b - -", ["h7h5"])
        assert sorted(KERNEL.legal_moves(after)) == ["g4f3", "g5h6"]
        assert [KERNEL.perft(after, depth) for depth in (1, 2, 3, 4)] == [2, 52, 776, 14800]

    def test_a_right_outlives_a_rook_in_between(self) -> None:
        moves = ["g4g2", "g5g8", "g2g8", "c3d3", "g8g5", "d3e3"]
        assert "e8g8" in KERNEL.legal_moves(play_moves(KERNEL, "4k2r/8/8/6R1/6r1/2K5/8/8 b k - 0 1", moves))

    def test_a_rook_that_left_home_has_lost_its_right_wherever_it_stands(self) -> None:
        after = play_moves(KERNEL, START, ["a2a4", "e7e6", "a1a3", "d7d6", "a3h3", "c7c6", "h3a3"])
        assert after.fen().split()[2] == "Kkq"

    def test_a_count_leaves_nothing_behind_for_the_next(self) -> None:
        assert [KERNEL.perft(START, depth) for depth in (2, 3, 2, 1, 2)] == [400, 8902, 400, 20, 400]


class TestTotals:
    @pytest.mark.parametrize("bulk", [True, False])
    @pytest.mark.parametrize(("fen", "leaves"), [(START, (1, 20)), (MATED, (1, 0))], ids=["start", "mated"])
    def test_depths_0_and_1_are_right_however_they_are_counted(
        self, fen: str, leaves: tuple[int, int], bulk: bool
    ) -> None:
        assert tuple(KERNEL.time_perft(fen, depth, bulk=bulk).nodes for depth in (0, 1)) == leaves

    def test_the_parts_of_a_deep_endgame_add_up(self) -> None:
        assert sum(KERNEL.divide(CPW_POSITIONS[2].fen, 5).values()) == 674624

    def test_sums_beyond_64_bits_do_not_wrap(self, monkeypatch: pytest.MonkeyPatch) -> None:
        most = kernels.PerftTime(2**64 - 1, 1, 1)
        assert total_of([most] * 20).nodes == 20 * (2**64 - 1)
        monkeypatch.setattr(kernels.Kernel, "time_perft", lambda *_, **__: most)
        assert f"Nodes searched: {20 * (2**64 - 1)}" in list(Session(KERNEL).replies("go perft 30"))

    def test_numbers_are_plain_wherever_programs_read_them(self) -> None:
        text = slidebench("perft", "4").stdout
        assert text.startswith("197281 nodes, ")
        data = json.loads(slidebench("perft", "4", "--divide", "--json").stdout)
        assert data["nodes"] == sum(data["divide"].values()) == 197281


@pytest.mark.parametrize(
    ("fen", "first", "second"),
    [
        ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 218, 99),
        ("3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - -", 218, 20),
        ("kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1", 270, 0),
    ],
    ids=["218 moves", "218 moves, other end", "270 moves"],
)
@pytest.mark.parametrize("choice", kernels.Selection().runnable(), ids=str)
def test_the_most_moves_fit_every_kernel(choice: kernels.Choice, fen: str, first: int, second: int) -> None:
    kernel, position = kernels.load_choice(choice), parse_fen(fen, lenient=True)
    assert [len(kernel.moves(position)), kernel.perft(position, 1), kernel.perft(position, 2)] == [
        first,
        first,
        second,
    ]
