# title: Hyperbola quintessence
# author: Aleks Peshkov, Gerd Isenberg
# year: 2007
# source: https://www.chessprogramming.org/Hyperbola_Quintessence
# needs: v1
# answers: one square
# contains: bswap
#
# Subtracting twice the slider r from the occupancy o of a line borrows from the next blocker above: all
# squares between change, the blocker too. The same on the byte-swapped board gives the squares below:
#
#     attacks = ((o - 2r) ^ swap(swap(o) - 2 swap(r))) & line         o = occupied & line
#
#     . . . . . . . .      file d:   o       1 0 0 r 0 1 0 0    d8 to the right
#     . . . B . . . .                o - 2r  flips the squares above r up to B,
#     . . . x . . . .                the swapped one those below down to C
#     . . . R . . . .
#     . . . x . . . .
#     . . . C . . . .
#
# A byte swap mirrors files and diagonals, whose squares lie on eight ranks. Ranks take a table of 512 bytes.
# With the slider itself left out of the line, one r in place of 2r does.

include "occupancy.pxi"
include "lines.pxi"
include "rank_table.pxi"

cdef extern from * nogil:
    u64 __builtin_bswap64(u64)

cdef struct Masks:
    u64 file
    u64 diagonal
    u64 antidiagonal
    u64 square_bit

cdef Masks[SQUARES] masks


cdef inline u64 line_attacks(u64 occupied, u64 mask, u64 slider) noexcept nogil:
    cdef u64 on_line = occupied & mask
    cdef u64 below = __builtin_bswap64(__builtin_bswap64(on_line) - __builtin_bswap64(slider))
    return ((on_line - slider) ^ below) & mask


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return (line_attacks(occupancy, masks[square].file, masks[square].square_bit)
            | rank_attacks(square, occupancy))


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return (line_attacks(occupancy, masks[square].diagonal, masks[square].square_bit)
            | line_attacks(occupancy, masks[square].antidiagonal, masks[square].square_bit))


cdef int kernel_init() except -1:
    cdef int square
    rank_table_init()
    for square in range(SQUARES):
        masks[square].file = reference_line(LINE_FILE, square, 0)
        masks[square].diagonal = reference_line(LINE_DIAGONAL, square, 0)
        masks[square].antidiagonal = reference_line(LINE_ANTIDIAGONAL, square, 0)
        masks[square].square_bit = bit(square)
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(masks) + sizeof(first_rank)

include "setwise.pxi"
