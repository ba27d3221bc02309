"""Sliding-piece attack kernels under one legal move generator, compiled for each x86-64 level.

    sliders/      one file per algorithm: what a kernel is, and nothing else
    popcounts/    ways to count bits
    *.pxi         the code that all kernels share: board, reference (the oracle), geometry, generator, perft,
                  lookups (timed loops), checks, module (the Python interface)
    built/        the compiled modules, kernel x popcount x level
    catalogue     the kernels and levels that exist
    features      the instruction sets that this CPU has
    registry      the choices of kernel, level and popcount that this machine can run, and why not the others
    loading       loading compiled kernels
    kernel        a loaded kernel, with every argument checked
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

from slidebench.kernels.errors import DestructiveCollision, UnavailableError
from slidebench.kernels.kernel import (
    MAX_DEPTH,
    MAX_HASH_MEBIBYTES,
    PIECES,
    Kernel,
    Mismatch,
    Move,
    PerftTime,
    Queries,
    Statistics,
)
from slidebench.kernels.loading import load, load_choice, load_copy
from slidebench.kernels.position import Position
from slidebench.kernels.registry import (
    Choice,
    Selection,
    build_commit,
    combinations,
    describe,
    levels,
    names,
    popcounts,
    standard,
    why_not,
    why_not_level,
)

__all__ = [
    "GENERATOR", "MAX_DEPTH", "MAX_HASH_MEBIBYTES", "PIECES", "Choice", "DestructiveCollision", "Kernel",
    "Mismatch", "Move", "PerftTime", "Position", "Queries", "Selection", "Statistics", "UnavailableError",
    "build_commit", "combinations", "describe", "levels", "load", "load_choice", "load_copy", "names",
    "popcounts", "standard", "why_not", "why_not_level",
]  # fmt: skip

# Increased whenever the generator makes different queries: rates of two generators do not compare.
GENERATOR = "1"
