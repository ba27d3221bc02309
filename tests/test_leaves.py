"""Leaves counted with several threads: the right total, and each count below its own move."""

import time

import chess
import pytest

from slidebench import kernels
from slidebench.harness import leaves
from slidebench.harness.workloads import CPW_POSITIONS
from slidebench.kernels.position import parse_fen

KIWIPETE = CPW_POSITIONS[1]
KERNEL = kernels.load()


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("depth", range(6))
def test_any_number_of_threads_counts_the_same(threads: int, depth: int) -> None:
    counted = leaves.perft(KERNEL, parse_fen(KIWIPETE.fen), depth, threads=threads)
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
    at_once = kernels.Kernel.time_perft

    def time_perft(self: kernels.Kernel, position: kernels.Position, *rest: int, **how: object) -> object:
        time.sleep(0.2 if position == late else 0)
        return at_once(self, position, *rest, **how)

    monkeypatch.setattr(kernels.Kernel, "time_perft", time_perft)
    below = list(leaves.divide(KERNEL, parse_fen(KIWIPETE.fen), 2, threads=threads))
    assert {move.uci(): part.nodes for move, part in below} == expected
    assert (below[0][0].after == late) == (threads == 1)
