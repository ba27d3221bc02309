# title: Obstruction difference
# author: Michael Hoffmann
# year: unknown
# source: https://www.chessprogramming.org/Obstruction_Difference
# needs: v1
# answers: one square
#
# The nearest blocker on each side of the slider, and one subtraction for all squares between them:
#
#     attacks = (2 * lowest(line above & occupied) - highest(line below & occupied)) & line
#
#     bit     7 6 5 4 3 2 1 0
#     line    . U . R . . L .      2U - L = 2^7 - 2^1: bits 1 to 6,
#     attacks . x x . x x x .      R itself is not in the line
#
# Without a blocker below, the board's first square does as well; without one above, 2U is 0, which the
# subtraction takes for one beyond the last square.

include "occupancy.pxi"
include "lines.pxi"
include "bitscan.pxi"

cdef struct Line:
    u64 lower
    u64 upper

cdef Line[SQUARES][LINES] halves


cdef inline u64 line_attacks(int kind, int square, u64 occupied) noexcept nogil:
    cdef const Line* half = &halves[square][kind]
    cdef u64 above = occupied & half.upper
    cdef u64 lowest = above & (0 - above)
    cdef u64 minus_highest = ~<u64>0 << msb((occupied & half.lower) | 1)
    return (half.lower | half.upper) & (2 * lowest + minus_highest)


cdef int kernel_init() except -1:
    cdef int square, kind
    cdef u64 whole
    for square in range(SQUARES):
        for kind in range(LINES):
            whole = reference_line(kind, square, 0)
            halves[square][kind].lower = whole & (bit(square) - 1)
            halves[square][kind].upper = whole & ~(bit(square) - 1)
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(halves)

include "line_queries.pxi"
