# title: PEXT and set-wise Kogge-Stone
# author: this project: the two parts are PEXT bitboards and Gerd Isenberg's fills in SIMD registers
# year: 2026
# source: the kernels pext and kogge_stone_avx2
# needs: v3
# answers: one square, set-wise
# contains: pext, vpsllvq, vpsrlvq
#
# Each query by what answers it best: a piece whose moves are to be made has its attacks looked up, and the
# questions about a whole side (which squares are attacked, how many moves there are) go to the AVX2 fill,
# which takes all sliders at once and never mispredicts the end of a loop over them.
#
#     one square:  table[pext(occupied, mask)]
#     set-wise:    fills of all sliders in eight directions
#
#     R x x B . . . .      one fill eastwards answers for both rooks,
#     . . R x x x x x      one table entry for each of them
#     . . . . . . . .

include "occupancy.pxi"
include "hardware_extract.pxi"
include "static_table.pxi"
include "pext_tables.pxi"
include "avx2.pxi"
include "fill_avx2.pxi"


cdef inline u64 queen_attacks(int square, Occupancy occupancy) noexcept nogil:
    return rook_attacks(square, occupancy) | bishop_attacks(square, occupancy)
