"""Moves and depths as text: writes SAN (PGN standard, Steven J. Edwards, 1994), reads UCI."""

import re
from collections.abc import Iterable

from slidebench.harness.errors import UserError
from slidebench.kernels import MAX_DEPTH, Kernel, Move
from slidebench.kernels.position import KINDS, Position, parse_fen, quoted, square_name

FILE_A = 0x0101010101010101
FILE_H = FILE_A << 7


class MoveError(UserError):
    """An illegal move; the message names it and the legal moves."""


class DepthError(UserError):
    """A text that is not a valid depth."""


def parse_depth(text: str) -> int:
    """The depth in plies. Raises DepthError if the text is not a whole number from 0 to MAX_DEPTH."""
    if not re.fullmatch("[0-9]{1,3}", text) or int(text) > MAX_DEPTH:
        raise DepthError(f"invalid depth {quoted(text)}: expected a whole number from 0 to {MAX_DEPTH}")
    return int(text)


def san_moves(kernel: Kernel, position: str | Position) -> list[tuple[Move, str]]:
    """The legal moves with their SAN, in the generator's order."""
    before = parse_fen(position) if isinstance(position, str) else position
    moves = kernel.moves(before)
    return [(move, _san(kernel, before, move, moves)) for move in moves]


def play_moves(kernel: Kernel, position: str | Position, moves: Iterable[str]) -> Position:
    """The position after a sequence of moves in UCI text.

    Castling may be the king's two steps or king takes rook. Raises MoveError at the first illegal move,
    FenError for an invalid FEN.
    """
    after = parse_fen(position) if isinstance(position, str) else position
    for text in moves:
        legal = kernel.moves(after)
        uci = text.lower()  # some programs write a7a8Q
        move = next((move for move in legal if uci in (move.uci(), move.uci(chess960=True))), None)
        if move is None:
            names = " ".join(sorted(move.uci() for move in legal))
            expected = f"expected one of {names}" if names else "there are no legal moves"
            raise MoveError(f"illegal move {quoted(text)} in {after.fen()}: {expected}")
        after = move.after
    return after


def in_check(kernel: Kernel, position: Position) -> bool:
    """Whether the side to move is in check."""
    own, enemy = position.white, position.black
    if not position.white_to_move:
        own, enemy = enemy, own
    kings, occupied = position.kings & own, own | enemy
    king = kings.bit_length() - 1
    ahead = kings << 8 if position.white_to_move else kings >> 8
    pawns = (ahead & ~FILE_A) >> 1 | (ahead & ~FILE_H) << 1
    return bool(
        enemy & position.knights & kernel.leaper_attacks("knight", king)
        | enemy & position.pawns & pawns
        | enemy & (position.rooks | position.queens) & kernel.rook_attacks(king, occupied)
        | enemy & (position.bishops | position.queens) & kernel.bishop_attacks(king, occupied)
    )


def _san(kernel: Kernel, before: Position, move: Move, moves: list[Move]) -> str:
    """The SAN of one of the legal `moves`, which decide how much of the origin has to be written."""
    check = ""
    if in_check(kernel, move.after):
        check = "+" if kernel.moves(move.after) else "#"
    if move.castles:
        return ("O-O" if move.target > move.origin else "O-O-O") + check
    kind = _kind(before, move.origin)
    origin, target = square_name(move.origin), square_name(move.target)
    if kind == "p":
        captures = move.target % 8 != move.origin % 8
        promotion = f"={move.promotion.upper()}" if move.promotion else ""
        return f"{f'{origin[0]}x' if captures else ''}{target}{promotion}{check}"
    captures = bool((before.white | before.black) >> move.target & 1)
    rivals = [
        square_name(other.origin)
        for other in moves
        if other.target == move.target
        and other.origin != move.origin
        and not other.castles
        and _kind(before, other.origin) == kind
    ]
    if not rivals:
        departure = ""
    elif all(rival[0] != origin[0] for rival in rivals):
        departure = origin[0]
    elif all(rival[1] != origin[1] for rival in rivals):
        departure = origin[1]
    else:
        departure = origin
    return f"{kind.upper()}{departure}{'x' if captures else ''}{target}{check}"


def _kind(position: Position, square: int) -> str:
    """The lower-case FEN letter of the piece on `square`."""
    return next(letter for letter, kind in KINDS.items() if getattr(position, kind) >> square & 1)
