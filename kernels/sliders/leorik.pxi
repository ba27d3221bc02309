# title: Leorik
# author: Thomas Jahn
# year: 2022
# source: github.com/lithander/Leorik, github.com/Gigantua/Chess_Movegen (Leorik)
# needs: v1
# answers: one square
#
# From the engine of the same name, written for C#: fills on both sides of the slider as in slide arithmetic,
# on ranks and files made by shifts and diagonals from a table of 1 KiB.
#
#     attacks = (low_mask(blockers above) ^ high_mask(blockers below)) & line
#     low_mask(x) = x ^ (x - 1)               up to and with the lowest of x; all if x is empty
#     high_mask(x) = all under the highest of x
#
#     bit     7 6 5 4 3 2 1 0
#     line    . U . R . . L .
#     low     . 1 1 1 1 1 1 1
#     high    . . . . . . . 1
#     attacks . x x . x x x .

include "occupancy.pxi"
include "lines.pxi"

cdef struct Diagonals:
    u64 diagonal
    u64 antidiagonal

cdef Diagonals[SQUARES] diagonals


cdef inline u64 low_mask(u64 blockers) noexcept nogil:
    return blockers ^ (blockers - 1)


cdef inline u64 high_mask(u64 blockers) noexcept nogil:
    return <u64>0x7FFFFFFFFFFFFFFF >> __builtin_clzll(blockers | 1)


cdef inline u64 mask_attacks(int square, u64 occupied, u64 mask) noexcept nogil:
    cdef u64 blockers = occupied & mask
    cdef u64 below = bit(square) - 1
    return (low_mask(blockers & ~below) ^ high_mask(blockers & below)) & mask


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    cdef u64 others = ~bit(square)
    return (mask_attacks(square, occupancy, (RANK_1 << (square & 56)) & others)
            | mask_attacks(square, occupancy, (FILE_A << (square & 7)) & others))


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return (mask_attacks(square, occupancy, diagonals[square].diagonal)
            | mask_attacks(square, occupancy, diagonals[square].antidiagonal))


cdef int kernel_init() except -1:
    cdef int square
    for square in range(SQUARES):
        diagonals[square].diagonal = reference_line(LINE_DIAGONAL, square, 0)
        diagonals[square].antidiagonal = reference_line(LINE_ANTIDIAGONAL, square, 0)
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(diagonals)

include "setwise.pxi"
