"""Sliding-piece attack kernels under one legal move generator, compiled for each x86-64 level.

    sliders/      one file per algorithm: what a kernel is, and nothing else
    popcounts/    ways to count bits
    *.pxi         what all kernels share: board, reference (the oracle), geometry, generator, perft,
                  lookups (timed loops), checks, module (what Python sees)
    built/        the compiled modules, kernel x popcount x level
    catalogue     which kernels and levels there are
    features      what the CPU can run
    position      FEN

>>> from slidebench import kernels
>>> kernel = kernels.load("magic_fancy", "v1")
>>> kernel.perft("startpos", 4)
197281
>>> sorted(kernel.divide("8/8/8/8/8/1k6/8/K7 w - - 0 1", 2).items())
[('a1b1', 5)]
>>> hex(kernel.rook_attacks("a1", 0x0000000000010104))
'0x106'
"""

from __future__ import annotations

import importlib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.machinery import ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from operator import index
from pathlib import Path
from typing import Any, NamedTuple

from slidebench.kernels import catalogue, features
from slidebench.kernels.errors import DestructiveCollision, UnavailableError
from slidebench.kernels.position import MOST_CLOCK, Position, parse_fen, parse_square, square_name

__all__ = [
    "GENERATOR", "MOST_DEPTH", "MOST_HASH_MEBIBYTES", "PIECES", "Choice", "DestructiveCollision", "Kernel",
    "Mismatch", "Move", "PerftTime", "Position", "Statistics", "UnavailableError", "build_commit", "choices",
    "combinations", "default", "describe", "levels", "load", "load_choice", "load_copy", "names", "popcounts",
    "standard", "why_not", "why_not_level",
]  # fmt: skip

GENERATOR = "1"  # changes with the questions the generator asks: figures of two generators do not compare
PIECES = ("rook", "bishop", "queen")
MOST_DEPTH = 64
MOST_HASH_MEBIBYTES = 1 << 20  # a TiB
PROMOTIONS = ("", "n", "b", "r", "q")
_BUILT = Path(__file__).parent / "built"


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


@dataclass(frozen=True)
class Choice:
    """A kernel, level and popcount."""

    kernel: str
    level: str
    popcount: str

    def __str__(self) -> str:
        return f"{self.kernel} {self.level} {self.popcount}"


def names() -> tuple[str, ...]:
    """Every kernel, one for each file in sliders/."""
    return tuple(catalogue.sliders())


def levels() -> tuple[str, ...]:
    """The levels of this kind of machine, lowest first: v1 to v4, or `generic` alone."""
    if catalogue.GENERIC.name in _built_levels():
        return (catalogue.GENERIC.name,)
    return tuple(level.name for level in catalogue.LEVELS)


def popcounts() -> tuple[str, ...]:
    """Every popcount, one for each file in popcounts/."""
    return tuple(catalogue.popcounts())


def combinations() -> tuple[tuple[str, str], ...]:
    """The (kernel, popcount) pairs that can be built."""
    return tuple(catalogue.combinations())


def standard(choice: Choice) -> bool:
    """Whether a choice belongs to the standard set, which a run times unless told otherwise."""
    return catalogue.standard(choice.kernel, choice.popcount)


def describe(kernel: str) -> catalogue.Source:
    """The header of a kernel's file: title, author, year, source, needs, answers, text."""
    _require("kernel", kernel, names())
    return catalogue.sliders()[kernel]


def why_not(kernel: str, level: str, popcount: str = catalogue.BUILTIN) -> str | None:
    """One sentence on why this machine cannot run a kernel at a level; None if it can.

    Nothing is imported to find out. Raises UnavailableError for names that do not exist.
    """
    source = describe(kernel)
    _require("level", level, levels())
    _require("popcount", popcount, popcounts())
    if catalogue.too_low(kernel, level):
        return f"{kernel} needs level {source.lowest_level} or higher"
    if catalogue.module_name(kernel, popcount, level) not in _built_modules():
        reasons = _missing()
        reason = reasons.get(level) or reasons.get(catalogue.module_name(kernel, popcount, level))
        if reason:
            return f"not built: {reason}"
        if (kernel, popcount) in combinations():
            return "not built: `make install` builds every kernel"
        return f"not built with {popcount} popcount at {level}"
    for feature in (*catalogue.level_features(level), *source.extra_features):
        missing = features.detect().why_missing(feature)
        if missing:
            return missing
    return None


def why_not_level(level: str) -> str | None:
    """One sentence on why this machine cannot run a level at all; None if it can."""
    _require("level", level, levels())
    reason = _missing().get(level)
    if reason:
        return f"not built: {reason}"
    reasons = (features.detect().why_missing(feature) for feature in catalogue.level_features(level))
    return next((reason for reason in reasons if reason), None)


def choices(
    kernel: str | None = None, level: str | None = None, popcount: str | None = None
) -> Iterator[Choice]:
    """Everything this machine can run, by kernel, popcount and level, or the part with the given names.

    Raises UnavailableError for names that do not exist.
    """
    for chosen, kind, accepted in (
        (kernel, "kernel", names()),
        (level, "level", levels()),
        (popcount, "popcount", popcounts()),
    ):
        if chosen is not None:
            _require(kind, chosen, accepted)
    for each_kernel in (kernel,) if kernel else names():
        for each_popcount in (popcount,) if popcount else popcounts():
            for each_level in (level,) if level else levels():
                if why_not(each_kernel, each_level, each_popcount) is None:
                    yield Choice(each_kernel, each_level, each_popcount)


def default(kernel: str | None = None, level: str | None = None, popcount: str | None = None) -> Choice:
    """What runs when nothing is named: the highest level, PEXT there unless it is slow, else fancy magics.

    PEXT is microcoded on AMD families 0x15 to 0x18 (Excavator to Zen 2, and Hygon). The part of the choice
    that is given stays.
    """
    popcount = popcount or catalogue.BUILTIN
    wished = (
        (kernel,) if kernel else ("magic_fancy",) if features.detect().slow_pext else ("pext", "magic_fancy")
    )
    for each_level in (level,) if level else reversed(levels()):
        for each_kernel in wished:
            if why_not(each_kernel, each_level, popcount) is None:
                return Choice(each_kernel, each_level, popcount)
    each_level = level or levels()[-1]
    raise UnavailableError(f"{wished[0]} at {each_level}: {why_not(wished[0], each_level, popcount)}")


def load(kernel: str | None = None, level: str | None = None, popcount: str | None = None) -> Kernel:
    """The compiled kernel, with what is not given chosen by `default`.

    Raises UnavailableError if it does not exist or this machine cannot run it, before anything is imported;
    DestructiveCollision if its tables cannot be built.
    """
    return load_choice(default(kernel, level, popcount))


@cache
def load_choice(choice: Choice) -> Kernel:
    """The compiled kernel of a Choice; raises as `load` does."""
    return Kernel(choice, importlib.import_module(_module_name(choice)))


def load_copy(choice: Choice) -> Kernel:
    """Another instance of a compiled kernel, code and tables elsewhere in memory; raises as `load` does.

    ImportError where the folder of temporary files may not hold code that runs.
    """
    name = _module_name(choice)
    original = find_spec(name)
    if original is None or original.origin is None:
        raise ImportError(f"{name} has no file")
    with tempfile.TemporaryDirectory() as folder:  # a file of its own: the loader knows files, not names
        copy = shutil.copy(original.origin, folder)
        loader = ExtensionFileLoader(name, copy)
        spec = spec_from_file_location(loader.name, copy, loader=loader)
        assert spec is not None
        module = module_from_spec(spec)
        loader.exec_module(module)
    return Kernel(choice, module)


def _module_name(choice: Choice) -> str:
    """Where the kernel is to be imported from, once it is sure that this machine can run it."""
    reason = why_not(choice.kernel, choice.level, choice.popcount)
    if reason:
        raise UnavailableError(f"{choice.kernel} at {choice.level}: {reason}")
    return f"{__name__}.built.{catalogue.module_name(choice.kernel, choice.popcount, choice.level)}"


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
        _require("piece", piece, PIECES)
        return int(self._module.attacks(piece, _square(square), _bitboard(occupied)))

    def rook_attacks(self, square: int | str, occupied: int) -> int:
        return self.attacks("rook", square, occupied)

    def bishop_attacks(self, square: int | str, occupied: int) -> int:
        return self.attacks("bishop", square, occupied)

    def queen_attacks(self, square: int | str, occupied: int) -> int:
        return self.attacks("queen", square, occupied)

    def leaper_attacks(self, piece: str, square: int | str) -> int:
        """Attacks of a "knight" or "king" from the generator's table."""
        _require("piece", piece, ("knight", "king"))
        return int(self._module.leaper_attacks(piece, _square(square)))

    def oracle(self, piece: str, square: int | str, occupied: int = 0) -> int:
        """The ray walk's answer, or a leaper's steps: the independent reference."""
        _require("piece", piece, (*PIECES, "knight", "king"))
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

        Raises UnavailableError if there is no such memory, ValueError beyond MOST_HASH_MEBIBYTES.
        """
        if not 1 <= mebibytes <= MOST_HASH_MEBIBYTES:
            raise ValueError(f"a hash table of {mebibytes} MiB; give 1 to {MOST_HASH_MEBIBYTES}")
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
        number = min(before.fullmove_number + (not before.white_to_move), MOST_CLOCK)
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
    return 0 if before.pawns >> origin & 1 or captures else min(before.halfmove_clock + 1, MOST_CLOCK)


@cache
def build_commit() -> tuple[str, bool]:
    """The git commit this package was built from ("unknown" outside a checkout), and whether it was dirty."""
    commit = (_BUILT / "commit.txt").read_text("utf-8").strip()
    return commit.removesuffix("-dirty"), commit.endswith("-dirty")


def _require(kind: str, name: str, accepted: tuple[str, ...]) -> None:
    if name not in accepted:
        raise UnavailableError(f"no {kind} is called {name!r}; there are {', '.join(accepted)}")


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
    if not 0 <= depth <= MOST_DEPTH:
        raise ValueError(f"depth {depth} cannot be searched; give 0 to {MOST_DEPTH}")
    return depth


@cache
def _built_modules() -> frozenset[str]:
    return frozenset(path.name.partition(".")[0] for path in _BUILT.glob("*.so"))


@cache
def _built_levels() -> frozenset[str]:
    return frozenset(name.rpartition("_")[2] for name in _built_modules())


@cache
def _missing() -> dict[str, str]:
    """Levels and modules the compiler could not build, with its reason."""
    path = _BUILT / "missing.txt"
    rows = path.read_text("utf-8").splitlines() if path.exists() else []
    return {name: reason for name, _, reason in (row.partition(": ") for row in rows) if reason}
