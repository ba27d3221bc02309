# title: Kogge-Stone fill, AVX-512 with VPOPCNTQ
# author: this project, after Steffan Westcott's fill and Gerd Isenberg's SIMD proposals
# year: 2026
# source: https://www.chessprogramming.org/AVX-512, https://www.chessprogramming.org/Kogge-Stone_Algorithm
# needs: v4 avx512_vpopcntdq
# answers: one square, queen, set-wise
# contains: vprolvq, vpternlogq, vpopcntq
#
# The fill of kogge_stone_avx512 in eight lanes, whose bits one instruction counts (Ice Lake, Zen 4 and later)
# where plain v4 needs eight:
#
#     count = sum over lanes of vpopcntq(attacks & targets)
#
#     lane    0  1  2  3   4  5  6  7
#     step    N  E  S  W  NE NW SW SE        rooks and queens left, bishops and queens right

include "occupancy.pxi"
include "avx512.pxi"


cdef inline u64 bits_in_lanes(__m512i bits) noexcept nogil:
    """How many bits are set in the register."""
    return _mm512_reduce_add_epi64(_mm512_popcnt_epi64(bits))

include "fill_avx512.pxi"
include "fill_avx512_squares.pxi"
