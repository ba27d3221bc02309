"""Sliding-piece attack kernels under one legal move generator, compiled for each x86-64 level.

    sliders/      one file per algorithm: what a kernel is, and nothing else
    popcounts/    ways to count bits
    *.pxi         what all kernels share: board, reference (the oracle), geometry, generator, perft,
                  lookups (timed loops), checks, module (what Python sees)
    built/        the compiled modules, kernel x popcount x level
    catalogue     which kernels and levels there are
    features      what the CPU can run
    registry      which choices of kernel, level and popcount are built and can run here, and why not others
    loading       importing them
    kernel        a loaded kernel: its checked Python interface
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
    "Mismatch", "Move", "PerftTime", "Position", "Selection", "Statistics", "UnavailableError", "build_commit",
    "combinations", "describe", "levels", "load", "load_choice", "load_copy", "names", "popcounts",
    "standard", "why_not", "why_not_level",
]  # fmt: skip

# Raised whenever the generator asks kernels other queries: figures of two generators do not compare.
GENERATOR = "1"
