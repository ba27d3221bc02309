"""Random legal positions of any material, by python-chess."""

import random

import chess

from slidebench import kernels

LOWEST = kernels.levels()[0]


def random_position(source: random.Random, chess960: bool) -> chess.Board:
    """A position after up to 120 random moves."""
    board = chess.Board.from_chess960_pos(source.randrange(960)) if chess960 else chess.Board()
    for _ in range(source.randrange(120)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(source.choice(moves))
    return board
