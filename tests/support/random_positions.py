"""Random legal positions, by python-chess."""

import random

import chess

from slidebench import kernels

LOWEST = kernels.levels()[0]


def random_position(rng: random.Random, chess960: bool) -> chess.Board:
    """A position after up to 119 random moves from a start position."""
    board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
    for _ in range(rng.randrange(120)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(rng.choice(moves))
    return board
