# title: SBAMG, o^(o-3cbn)
# author: Syed Fahad, Gerd Isenberg
# year: unknown
# source: https://www.chessprogramming.org/SBAMG
# needs: v1
# answers: one square
#
# Subtraction based attack mask generation: three times the closest blocker on the negative side (cbn), taken
# from the occupancy of the line, clears that blocker and borrows through the slider from the next above:
#
#     attacks = (o ^ (o - 3 cbn)) & line             o = (occupied & line) | ends of the line
#
#     bit          7 6 5 4 3 2 1 0
#     o            . U . . . . L L     slider R on 4, not in o; cbn = 2^1
#     o - 3 cbn    . . 1 1 1 1 . 1
#     attacks      . x x R x x x .
#
# The ends are always set, so both searches find something: attacks do not depend on them. Where the slider is
# the lower end itself, the board's first square serves as cbn.

include "occupancy.pxi"
include "lines.pxi"
include "bitscan.pxi"

cdef struct Line:
    u64 mask
    u64 ends

cdef Line[SQUARES][LINES] line_ends


cdef inline u64 line_attacks(int kind, int square, u64 occupied) noexcept nogil:
    cdef const Line* line_end = &line_ends[square][kind]
    cdef u64 on_line = (occupied & line_end.mask) | line_end.ends
    cdef u64 closest_3 = <u64>3 << msb((on_line & (bit(square) - 1)) | 1)
    return (on_line ^ (on_line - closest_3)) & line_end.mask


cdef int kernel_init() except -1:
    cdef int square, kind
    cdef u64 others, whole
    for square in range(SQUARES):
        for kind in range(LINES):
            others = reference_line(kind, square, 0)
            whole = others | bit(square)
            line_ends[square][kind].mask = others
            line_ends[square][kind].ends = (bit(lsb(whole)) | bit(msb(whole))) & (others | 1)
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(line_ends)

include "line_queries.pxi"
