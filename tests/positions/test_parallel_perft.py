"""Perft with several threads: the right total, and each count below its own move."""

from threading import Event

import chess
import pytest

from slidebench import kernels
from slidebench.harness.positions.parallel_perft import PerftRunner
from slidebench.harness.workloads import CPW_POSITIONS
from slidebench.kernels.position import parse_fen

KIWIPETE = CPW_POSITIONS[1]
KERNEL = kernels.load()


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("depth", range(6))
def test_any_number_of_threads_counts_the_same(threads: int, depth: int) -> None:
    counted = PerftRunner(KERNEL, threads=threads).perft(parse_fen(KIWIPETE.fen), depth)
    assert counted.nodes == (1, *KIWIPETE.leaves)[depth]


@pytest.mark.parametrize("threads", [1, 4])
def test_each_count_is_that_of_its_own_move_whichever_is_done_first(
    monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    board = chess.Board(KIWIPETE.fen)
    expected = {}
    for move in board.legal_moves:
        board.push(move)
        expected[move.uci()] = sum(1 for _ in board.legal_moves)
        board.pop()
    late = KERNEL.moves(KIWIPETE.fen)[0].after
    others = Event()  # one of which is done
    at_once = kernels.Kernel.time_perft

    def time_perft(self: kernels.Kernel, position: kernels.Position, *rest: int, **how: object) -> object:
        if position == late and threads > 1:
            others.wait(60)
        counted = at_once(self, position, *rest, **how)
        if position != late:
            others.set()
        return counted

    monkeypatch.setattr(kernels.Kernel, "time_perft", time_perft)
    below = [
        (move.uci(), part.nodes)
        for move, part in PerftRunner(KERNEL, threads=threads).divide(parse_fen(KIWIPETE.fen), 2)
    ]
    assert dict(below) == expected
    if threads == 1:
        assert below == [(move.uci(), expected[move.uci()]) for move in KERNEL.moves(KIWIPETE.fen)]
