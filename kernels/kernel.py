"""A compiled kernel: attack queries, legal moves, perft and timing, with every argument checked."""

from __future__ import annotations

from functools import cached_property
from operator import index
from typing import Any, NamedTuple

from slidebench.kernels.errors import UnavailableError
from slidebench.kernels.position import MAX_CLOCK, Position, parse_fen, parse_square, square_name
from slidebench.kernels.registry import Choice, require

PIECES = ("rook", "bishop", "queen")
MAX_DEPTH = 64
MAX_HASH_MEBIBYTES = 1 << 20  # a TiB
PROMOTIONS = ("", "n", "b", "r", "q")


class PerftTime(NamedTuple):
    """One timed perft: time of this thread on a CPU, and on the wall."""

    nodes: int
    cpu_nanoseconds: int
    wall_nanoseconds: int


class Statistics(NamedTuple):
    """Leaves by the kind of the last move, as the usual tables count them; a leaf may be of several kinds.

    `captures` include en passant, `checks` all kinds of check and mates. In a discovered check the only
    checker is a piece that did not move (a castled rook did); a double check is not counted as discovered.
    """

    nodes: int
    captures: int = 0
    en_passants: int = 0
    castles: int = 0
    promotions: int = 0
    checks: int = 0
    discovered_checks: int = 0
    double_checks: int = 0
    mates: int = 0


class Move(NamedTuple):
    """A legal move with the position after it. Castling has the rook's square as its target."""

    origin: int
    target: int
    promotion: str
    castles: bool
    after: Position

    def uci(self, *, chess960: bool = False) -> str:
        """UCI text; castling as the king's own two steps, or as king takes rook with `chess960`.

        Always king takes rook if either has another home square than in the usual start position: the king's
        own step could be a plain move too.
        """
        target = self.target
        if self.castles and not chess960 and self.origin % 8 == 4 and self.target % 8 in (0, 7):
            target = self.origin & 56 | (6 if self.target > self.origin else 2)
        return square_name(self.origin) + square_name(target) + self.promotion


class Mismatch(NamedTuple):
    """A query a kernel answers wrongly: `square` is -1 for a query about all sliders of a side."""

    query: str
    square: int
    occupied: int
    expected: int
    got: int


class Kernel:
    """A compiled kernel: attack queries, legal moves and perft.

    Squares are 0 to 63 or names such as "d4"; bitboards are integers with a1 as bit 0; positions are FEN
    text or a Position. Bad ones raise ValueError (FenError for a FEN), other types TypeError.
    """

    def __init__(self, choice: Choice, module: Any) -> None:
        self.choice = choice
        self._module = module

    def __repr__(self) -> str:
        return f"<slidebench kernel {self.choice}>"

    @property
    def module_path(self) -> str:
        """The compiled module's file."""
        return str(self._module.__file__)

    @cached_property
    def compiler(self) -> str:
        """Compiler and version that built this kernel."""
        return str(self._module.build()["compiler"])

    @cached_property
    def flags(self) -> str:
        """All compiler flags of this kernel's build."""
        return str(self._module.build()["flags"])

    @cached_property
    def table_bytes(self) -> int:
        """Bytes of the slider's tables, as allocated."""
        return int(self._module.build()["table_bytes"])

    @property
    def init_nanoseconds(self) -> int:
        """Thread CPU time of filling the tables when it was loaded, and of searching magics if it does."""
        return int(self._module.build()["init_nanoseconds"])

    def attacks(self, piece: str, square: int | str, occupied: int) -> int:
        """Attacks of a "rook", "bishop" or "queen"."""
        require("piece", piece, PIECES)
        return int(self._module.attacks(piece, _square(square), _bitboard(occupied)))

    def rook_attacks(self, square: int | str, occupied: int) -> int:
        return self.attacks("rook", square, occupied)

    def bishop_attacks(self, square: int | str, occupied: int) -> int:
        return self.attacks("bishop", square, occupied)

    def queen_attacks(self, square: int | str, occupied: int) -> int:
        return self.attacks("queen", square, occupied)

    def leaper_attacks(self, piece: str, square: int | str) -> int:
        """Attacks of a "knight" or "king" from the generator's table."""
        require("piece", piece, ("knight", "king"))
        return int(self._module.leaper_attacks(piece, _square(square)))

    def oracle(self, piece: str, square: int | str, occupied: int = 0) -> int:
        """The ray walk's answer, or a leaper's steps: the independent reference."""
        require("piece", piece, (*PIECES, "knight", "king"))
        return int(self._module.oracle(piece, _square(square), _bitboard(occupied)))

    def between(self, square: int | str, other: int | str) -> int:
        """Squares strictly between two on a common line, else 0."""
        return int(self._module.line_tables(_square(square), _square(other))[0])

    def line(self, square: int | str, other: int | str) -> int:
        """The whole line through two squares, else 0."""
        return int(self._module.line_tables(_square(square), _square(other))[1])

    def perft(self, position: str | Position, depth: int) -> int:
        """Leaves at `depth` by legal moves; 1 at depth 0."""
        return self.time_perft(position, depth).nodes

    def time_perft(
        self, position: str | Position, depth: int, *, bulk: bool = True, table: Any = None
    ) -> PerftTime:
        """Count and time a perft. Without `bulk`, moves at the last ply are made too, not only counted.

        `table`, from `hash_table`, keeps counts of positions met before: another count is then not measured.
        """
        return PerftTime(*self._module.perft_timed(_position(position), _depth(depth), bulk, table))

    def hash_table(self, mebibytes: int) -> Any:
        """A table for `time_perft` of at most so many MiB (the next power of two below), for any threads.

        Raises UnavailableError if there is no such memory, ValueError beyond MAX_HASH_MEBIBYTES.
        """
        if not 1 <= mebibytes <= MAX_HASH_MEBIBYTES:
            raise ValueError(f"a hash table of {mebibytes} MiB; give 1 to {MAX_HASH_MEBIBYTES}")
        try:
            return self._module.PerftTable(mebibytes)
        except MemoryError:
            raise UnavailableError(f"no memory for a hash table of {mebibytes} MiB; give less") from None

    def descendants(self, position: str | Position, plies: int) -> list[Position]:
        """Every position `plies` moves below, as often as moves lead to it, in the generator's order."""
        level = [_position(position)]
        for _ in range(plies):
            level = [move.after for each in level for move in self.moves(each)]
        return level

    def divide(self, position: str | Position, depth: int, *, chess960: bool = False) -> dict[str, int]:
        """Leaves below each legal move (`Move.uci`); empty at depth 0."""
        if _depth(depth) == 0:
            return {}
        moves = self.moves(position)
        return {move.uci(chess960=chess960): self.perft(move.after, depth - 1) for move in moves}

    def statistics(self, position: str | Position, depth: int) -> Statistics:
        """The kinds of the leaves at `depth`; at depth 0 one leaf without a move."""
        if _depth(depth) == 0:
            return Statistics(nodes=1)
        return Statistics(**self._module.statistics(_position(position), depth))

    def legal_moves(self, position: str | Position) -> list[str]:
        """Legal moves as UCI text, in the generator's order."""
        return [move.uci() for move in self.moves(position)]

    def moves(self, position: str | Position) -> list[Move]:
        """Legal moves with the positions after them, in the generator's order."""
        before = _position(position)
        number = min(before.fullmove_number + (not before.white_to_move), MAX_CLOCK)
        return [
            Move(origin, target, PROMOTIONS[promotion], castles, Position(*(*fields, clock, number)))
            for origin, target, promotion, castles, fields in self._module.children(before)
            for clock in [_halfmove_clock(before, origin, target, castles)]
        ]

    def relevant_mismatch(self) -> Mismatch | None:
        """The first wrong answer over all 107,648 relevant occupancies; None if there is none."""
        found = self._module.relevant_mismatch()
        return Mismatch(*found) if found else None

    def random_mismatch(self, seed: int, boards: int) -> Mismatch | None:
        """The first wrong answer on random full-board occupancies, set-wise queries included."""
        found = self._module.random_mismatch(seed, boards)
        return Mismatch(*found) if found else None

    def queries(self, squares: bytes, occupancies: bytes) -> Any:
        """A stream for timing: squares one byte each, occupancies as little-endian 64-bit words.

        Its `time(piece, order, passes)` returns CPU nanoseconds; order is "throughput" or "latency".
        """
        return self._module.Queries(squares, occupancies)


def _halfmove_clock(before: Position, origin: int, target: int, castles: bool) -> int:
    """The clock after a move: 0 after a pawn move or a capture. Castling onto the own rook is none."""
    captures = not castles and (before.white | before.black) >> target & 1
    return 0 if before.pawns >> origin & 1 or captures else min(before.halfmove_clock + 1, MAX_CLOCK)


def _square(square: int | str) -> int:
    if isinstance(square, str):
        return parse_square(square)
    square = index(square)
    if not 0 <= square < 64:
        raise ValueError(f"square {square} is not on the board; give 0 (a1) to 63 (h8), or a name such as d4")
    return square


def _bitboard(bits: int) -> int:
    bits = index(bits)
    if not 0 <= bits < 1 << 64:
        raise ValueError(f"{bits} is not a bitboard; give 0 to 2**64 - 1, bit 0 for a1")
    return bits


def _position(position: str | Position) -> Position:
    if not isinstance(position, str | Position):
        raise TypeError(f"{position!r} is no position; give FEN text or a Position")
    return parse_fen(position) if isinstance(position, str) else position


def _depth(depth: int) -> int:
    depth = index(depth)
    if not 0 <= depth <= MAX_DEPTH:
        raise ValueError(f"depth {depth} cannot be searched; give 0 to {MAX_DEPTH}")
    return depth
