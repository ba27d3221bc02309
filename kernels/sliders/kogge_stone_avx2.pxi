# title: Kogge-Stone fill, AVX2
# author: Gerd Isenberg (fills in SIMD registers), after Steffan Westcott
# year: 2013
# source: https://www.chessprogramming.org/AVX2, https://www.chessprogramming.org/Kogge-Stone_Algorithm
# needs: v3
# answers: one square, queen, set-wise
# contains: vpsllvq, vpsrlvq
#
# All sliders of a side at once, four directions in each of two registers: AVX2 shifts each lane by its own
# distance, but not to both sides, so one register moves up and the other down the board.
#
#     three rounds:  sliders |= free & (sliders << s);   free &= free << s;   s = 2s
#     attacks = (sliders << step) & landing                  free = empty & landing
#
#     lane    0  1  2  3         landing: the squares a step can end on,
#     up      N  E NE NW         not those it would wrap to
#     down    S  W SW SE
#
# Lanes 0 and 1 hold rooks and queens, lanes 2 and 3 bishops and queens. No lane attacks a target twice, so
# the lanes' popcounts add up to the moves of the single pieces.

include "occupancy.pxi"
include "avx2.pxi"
include "fill_avx2.pxi"


cdef inline u64 queen_attacks(int square, Occupancy occupancy) noexcept nogil:
    return fill_union(bit(square), bit(square), ~occupancy)


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return fill_union(bit(square), 0, ~occupancy)


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return fill_union(0, bit(square), ~occupancy)


cdef int kernel_init() except -1:
    return 0


cdef size_t table_bytes() noexcept:
    return 0
