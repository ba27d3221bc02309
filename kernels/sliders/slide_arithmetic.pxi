# title: Slide arithmetic
# author: Jakob Progsch, Daniel Inführ
# year: 2022
# source: github.com/Gigantua/Chess_Movegen (SlideArithm)
# needs: v3
# answers: one square
# contains: bzhi, lzcnt
#
# BMI instructions cut a line at the slider and fill each half up to its nearest blocker; the squares in which
# the two fills differ lie between the blockers:
#
#     lower   = bzhi(line & occupied, square)
#     attacks = (blsmsk(line & occupied & ~lower) ^ (all below the highest of lower)) & line
#
#     bit      7 6 5 4 3 2 1 0
#     line     . U . R . . L .
#     blsmsk   . 1 1 1 1 1 1 1     up to and with the blocker above
#     below    . . . . . . . 1     under the blocker below
#     attacks  . x x . x x x .
#
# Compilers know BLSMSK as x ^ (x - 1), and may merge its XOR with the next instead.

include "occupancy.pxi"
include "lines.pxi"
include "line_masks.pxi"

cdef extern from "<immintrin.h>" nogil:
    u64 _bzhi_u64(u64 value, unsigned int index)
    u64 _blsmsk_u64(u64 value)
    u64 _lzcnt_u64(u64 value)


cdef inline u64 line_attacks(int kind, int square, u64 occupied) noexcept nogil:
    cdef u64 mask = line_masks[square][kind]
    cdef u64 blockers = occupied & mask
    cdef u64 lower = _bzhi_u64(blockers, square)
    cdef u64 below = <u64>0x7FFFFFFFFFFFFFFF >> _lzcnt_u64(lower | 1)
    return (_blsmsk_u64(blockers ^ lower) ^ below) & mask


cdef int kernel_init() except -1:
    return line_masks_init()


cdef size_t table_bytes() noexcept:
    return sizeof(line_masks)

include "line_queries.pxi"
