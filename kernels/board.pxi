# Squares, bits and shifts that everything else shares (a1 = 0, h8 = 63, little-endian rank-file).

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t as u64

cdef extern from "inline.h" nogil:
    ctypedef u64 NOINLINE_U64
    void DO_NOT_OPTIMIZE(u64 value)
    void CLOBBER_MEMORY()

cdef extern from * nogil:
    int __builtin_ctzll(u64)
    int __builtin_clzll(u64)
    bint unlikely(bint)

cdef enum:
    BLACK = 0
    WHITE = 1

cdef enum:
    ROOK = 0
    BISHOP = 1

cdef enum:
    SQUARES = 64

# DEF-like constants: C macros, because a Cython module variable would be loaded from memory each time.
cdef extern from *:
    """
    #define FILE_A 0x0101010101010101ULL
    #define FILE_H 0x8080808080808080ULL
    #define RANK_1 0x00000000000000FFULL
    #define RANK_8 0xFF00000000000000ULL
    """
    const u64 FILE_A
    const u64 FILE_H
    const u64 RANK_1
    const u64 RANK_8


cdef inline u64 bit(int square) noexcept nogil:
    """The bitboard of one square."""
    return <u64>1 << square


cdef inline int lsb(u64 bits) noexcept nogil:
    """The index of the least significant bit, the lowest square; the bitboard may not be empty."""
    return __builtin_ctzll(bits)


cdef inline u64 forward(u64 bits, bint white) noexcept nogil:
    """One rank forward, in the colour's own direction."""
    return bits << 8 if white else bits >> 8


cdef inline u64 forward_left(u64 bits, bint white) noexcept nogil:
    """One rank forward and one file towards the a-file, for both colours."""
    return (bits & ~FILE_A) << 7 if white else (bits & ~FILE_A) >> 9


cdef inline u64 forward_right(u64 bits, bint white) noexcept nogil:
    """One rank forward and one file towards the h-file, for both colours."""
    return (bits & ~FILE_H) << 9 if white else (bits & ~FILE_H) >> 7
