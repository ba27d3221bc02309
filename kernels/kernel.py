"""A compiled kernel: attack queries, legal moves, perft and timing, with every argument checked."""

from __future__ import annotations

from functools import cached_property
from operator import index
from typing import Any, NamedTuple

from slidebench.kernels.errors import UnavailableError
from slidebench.kernels.position import (
    MAX_CLOCK,
    Position,
    check_position,
    parse_fen,
    parse_square,
    square_name,
)
from slidebench.kernels.registry import Choice, require

PIECES = ("rook", "bishop", "queen")
MODES = ("throughput", "latency")
MAX_DEPTH = 64
MAX_HASH_MEBIBYTES = 1 << 20  # a TiB
PROMOTIONS = ("", "n", "b", "r", "q")
CACHE_LINE_BYTES = 64


class PerftTime(NamedTuple):
    """The leaves of one timed perft, with its thread CPU time and its wall time."""

    nodes: int
    cpu_nanoseconds: int
    wall_nanoseconds: int


class Statistics(NamedTuple):
    """Leaves by the kind of the last move, as in the usual perft tables; a leaf may be of several kinds.

    `captures` include en passant; `checks` include mates and all kinds of check. In a discovered check the
    only checker is a piece that did not move (a castled rook did). A double check is not a discovered one.
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
    """A legal move and the position after it. The target of castling is the rook's square."""

    origin: int
    target: int
    promotion: str
    castles: bool
    after: Position

    def uci(self, *, chess960: bool = False) -> str:
        """The move in UCI text: castling as the king's two steps, or with `chess960` as king takes rook.

        It is always king takes rook if king or rook do not start on their usual squares: the king's two steps
        could then be an ordinary move too.
        """
        target = self.target
        if self.castles and not chess960 and self.origin % 8 == 4 and self.target % 8 in (0, 7):
            target = self.origin & 56 | (6 if self.target > self.origin else 2)
        return square_name(self.origin) + square_name(target) + self.promotion


class Mismatch(NamedTuple):
    """A query with a wrong answer; `square` is -1 for a set-wise query, about all sliders of a side."""

    query: str
    square: int
    occupied: int
    expected: int
    got: int


class Kernel:
    """A compiled kernel: attack queries, legal moves and perft.

    Squares are 0 to 63 or names such as "d4"; bitboards are integers with a1 as bit 0; positions are FEN
    text or a Position. Invalid values raise ValueError (FenError for a FEN), other types TypeError.
    """

    def __init__(self, choice: Choice, module: Any) -> None:
        self.choice = choice
        self._module = module

    def __repr__(self) -> str:
        return f"<slidebench kernel {self.choice}>"

    @property
    def module_path(self) -> str:
        """The file of the compiled module."""
        return str(self._module.__file__)

    @cached_property
    def compiler(self) -> str:
        """The compiler that built this kernel, with its version."""
        return str(self._module.build()["compiler"])

    @cached_property
    def flags(self) -> str:
        """All compiler flags of this kernel's build."""
        return str(self._module.build()["flags"])

    @cached_property
    def table_bytes(self) -> int:
        """The size of the slider's tables, as allocated."""
        return int(self._module.build()["table_bytes"])

    @property
    def init_nanoseconds(self) -> int:
        """Thread CPU time of initialisation at loading: filling tables, and searching magics if it does."""
        return int(self._module.build()["init_nanoseconds"])

    def attacks(self, piece: str, square: int | str, occupied: int) -> int:
        """The attacks of a "rook", "bishop" or "queen" as a bitboard."""
        require("piece", piece, PIECES)
        return int(self._module.attacks(piece, _square(square), _bitboard(occupied)))

    def rook_attacks(self, square: int | str, occupied: int) -> int:
        return self.attacks("rook", square, occupied)

    def bishop_attacks(self, square: int | str, occupied: int) -> int:
        return self.attacks("bishop", square, occupied)

    def queen_attacks(self, square: int | str, occupied: int) -> int:
        return self.attacks("queen", square, occupied)

    def leaper_attacks(self, piece: str, square: int | str) -> int:
        """The attacks of a "knight" or "king", from the generator's table."""
        require("piece", piece, ("knight", "king"))
        return int(self._module.leaper_attacks(piece, _square(square)))

    def oracle(self, piece: str, square: int | str, occupied: int = 0) -> int:
        """The reference answer: a ray walk for sliders, the steps of a "knight" or "king"."""
        require("piece", piece, (*PIECES, "knight", "king"))
        return int(self._module.oracle(piece, _square(square), _bitboard(occupied)))

    def between(self, square: int | str, other: int | str) -> int:
        """The squares strictly between two squares on a common line; 0 if they share none."""
        return int(self._module.line_tables(_square(square), _square(other))[0])

    def line(self, square: int | str, other: int | str) -> int:
        """The whole line through two squares; 0 if they share none."""
        return int(self._module.line_tables(_square(square), _square(other))[1])

    def perft(self, position: str | Position, depth: int) -> int:
        """The number of leaves at `depth`; 1 at depth 0."""
        return self.time_perft(position, depth).nodes

    def time_perft(
        self, position: str | Position, depth: int, *, bulk: bool = True, table: Any = None
    ) -> PerftTime:
        """Count and time a perft. Without `bulk`, moves at the last ply are made too, not just counted.

        `table`, from `hash_table`, keeps the counts of positions met before, so times no longer compare.
        Raises OverflowError if a table meets a position of more than 2^55 leaves.
        """
        return PerftTime(*self._module.perft_timed(_position(position), _depth(depth), bulk, table))

    def hash_table(self, mebibytes: int) -> Any:
        """A hash table for `time_perft`, which any number of threads may share.

        Its size is the largest power of two within `mebibytes`. Raises ValueError outside 1 to
        MAX_HASH_MEBIBYTES, UnavailableError if there is not enough memory.
        """
        mebibytes = index(mebibytes)
        if not 1 <= mebibytes <= MAX_HASH_MEBIBYTES:
            raise ValueError(f"invalid hash size {mebibytes} MiB: expected 1 to {MAX_HASH_MEBIBYTES}")
        try:
            return self._module.PerftTable(mebibytes)
        except MemoryError:
            raise UnavailableError(
                f"not enough memory for a hash table of {mebibytes} MiB: expected a smaller size"
            ) from None

    def descendants(self, position: str | Position, plies: int) -> list[Position]:
        """The positions after every sequence of `plies` moves, in the generator's order, repeats included."""
        positions = [_position(position)]
        for _ in range(_depth(plies)):
            positions = [move.after for before in positions for move in self._moves(before)]
        return positions

    def divide(self, position: str | Position, depth: int, *, chess960: bool = False) -> dict[str, int]:
        """The number of leaves below each legal move, by its UCI text; empty at depth 0."""
        depth = _depth(depth)
        return {
            move.uci(chess960=chess960): self._module.perft_timed(move.after, depth - 1, True, None)[0]
            for move in (self.moves(position) if depth else [])
        }

    def statistics(self, position: str | Position, depth: int) -> Statistics:
        """The leaves at `depth` by kind; at depth 0, one leaf of no kind."""
        depth = _depth(depth)
        if depth == 0:
            return Statistics(nodes=1)
        return Statistics(**self._module.statistics(_position(position), depth))

    def legal_moves(self, position: str | Position) -> list[str]:
        """The legal moves in UCI text, in the generator's order."""
        return [move.uci() for move in self.moves(position)]

    def moves(self, position: str | Position) -> list[Move]:
        """The legal moves and the positions after them, in the generator's order."""
        return self._moves(_position(position))

    def _moves(self, before: Position) -> list[Move]:
        number = min(before.fullmove_number + (not before.white_to_move), MAX_CLOCK)
        return [
            Move(origin, target, PROMOTIONS[promotion], castles, Position(*(*fields, clock, number)))
            for origin, target, promotion, castles, fields in self._module.children(before)
            for clock in [_halfmove_clock(before, origin, target, castles)]
        ]

    def relevant_mismatch(self) -> Mismatch | None:
        """The first wrong answer over all 107,648 relevant occupancies; None if all are right."""
        mismatch = self._module.relevant_mismatch()
        return Mismatch(*mismatch) if mismatch else None

    def random_mismatch(self, seed: int, boards: int) -> Mismatch | None:
        """The first wrong answer on random full-board occupancies, set-wise queries included; or None."""
        mismatch = self._module.random_mismatch(seed, _positive("number of boards", boards))
        return Mismatch(*mismatch) if mismatch else None

    def queries(self, squares: bytes, occupancies: bytes) -> Queries:
        """A stream of attack queries to be timed.

        `squares` has a byte for each, 0 to 63; `occupancies` a little-endian 64-bit word for each. Raises
        ValueError for an empty or malformed stream.
        """
        return Queries(self._module, squares, occupancies)


class Queries:
    """A stream of (square, occupancy) pairs, one query each, in the kernel's own form.

    Compiled code trusts its arguments, so they are checked here: once for the stream, once for each sample.
    """

    def __init__(self, module: Any, squares: bytes, occupancies: bytes) -> None:
        for name, stream in (("squares", squares), ("occupancies", occupancies)):
            if not isinstance(stream, bytes):
                raise TypeError(f"invalid {name} of type {type(stream).__name__}: expected bytes")
        if not squares:
            raise ValueError("empty stream: expected one or more squares")
        if max(squares) >= 64:
            raise ValueError(f"invalid square {max(squares)} in a stream: expected 0 (a1) to 63 (h8)")
        if len(occupancies) != 8 * len(squares):
            raise ValueError(
                f"{len(occupancies)} bytes of occupancies for {len(squares)} squares: expected 8 per square"
            )
        self._compiled = module.Queries(squares, occupancies)

    def time(self, piece: str, mode: str, iterations: int) -> int:
        """Thread CPU nanoseconds of `iterations` over the stream, for a "rook", "bishop" or "queen".

        In "throughput" mode queries are independent; in "latency" mode each waits for the one before.
        """
        require("piece", piece, PIECES)
        require("mode", mode, MODES)
        return int(self._compiled.time(piece, mode, _positive("number of iterations", iterations)))

    def time_beside(self, data: bytearray, iterations: int) -> int:
        """Thread CPU nanoseconds that queen queries add to reading lines of `data` before each of them.

        The size of `data` is a power of two, at least a cache line. The result may be negative: it is a
        difference of two times.
        """
        size = _working_set(data)
        if size & (size - 1) or size < CACHE_LINE_BYTES:
            raise ValueError(
                f"working set of {size} bytes: expected a power of two, at least {CACHE_LINE_BYTES}"
            )
        return int(self._compiled.time_beside(data, _positive("number of iterations", iterations)))

    def time_cold(self, data: bytearray, iterations: int) -> int:
        """Wall nanoseconds of queen queries on a cold cache: `data` is read before every 256 of them."""
        _working_set(data)
        return int(self._compiled.time_cold(data, _positive("number of iterations", iterations)))


def _halfmove_clock(before: Position, origin: int, target: int, castles: bool) -> int:
    """The clock after a move: 0 after a pawn move or a capture, which castling (king takes rook) is not."""
    captures = not castles and (before.white | before.black) >> target & 1
    return 0 if before.pawns >> origin & 1 or captures else min(before.halfmove_clock + 1, MAX_CLOCK)


def _square(square: int | str) -> int:
    if isinstance(square, str):
        return parse_square(square)
    square = index(square)
    if not 0 <= square < 64:
        raise ValueError(f"invalid square {square}: expected 0 (a1) to 63 (h8), or a name such as d4")
    return square


def _bitboard(bits: int) -> int:
    bits = index(bits)
    if not 0 <= bits < 1 << 64:
        raise ValueError(f"invalid bitboard {bits:#x}: expected 0 to 2**64 - 1, with a1 as bit 0")
    return bits


def _position(position: str | Position) -> Position:
    if isinstance(position, str):
        return parse_fen(position)
    if not isinstance(position, Position):
        raise TypeError(
            f"invalid position of type {type(position).__name__}: expected FEN text or a Position"
        )
    check_position(position)
    return position


def _depth(depth: int) -> int:
    depth = index(depth)
    if not 0 <= depth <= MAX_DEPTH:
        raise ValueError(f"invalid depth {depth}: expected 0 to {MAX_DEPTH}")
    return depth


def _positive(what: str, number: int) -> int:
    number = index(number)
    if number < 1:
        raise ValueError(f"invalid {what} {number}: expected 1 or more")
    return number


def _working_set(data: bytearray) -> int:
    """The size of a working set in bytes."""
    if not isinstance(data, bytearray):
        raise TypeError(f"invalid working set of type {type(data).__name__}: expected a bytearray")
    if not data:
        raise ValueError("empty working set: expected one or more bytes")
    return len(data)
