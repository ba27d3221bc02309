# title: Kogge-Stone fill, AVX-512
# author: this project, after Steffan Westcott's fill and Gerd Isenberg's SIMD proposals
# year: 2026
# source: https://www.chessprogramming.org/AVX-512, https://www.chessprogramming.org/Kogge-Stone_Algorithm
# needs: v4
# answers: one square, queen, set-wise
# contains: vprolvq, vpternlogq
#
# All eight directions of all sliders of a side at once, one direction in each 64-bit lane. A rotation by the
# lane's own distance serves both signs (64 - 9 is south-west), and the squares a step cannot land on, behind
# every edge, keep the rotation from wrapping:
#
#     three rounds:  sliders |= free & rol(sliders, s);   free &= rol(free, s);   s = 2s
#     attacks = rol(sliders, step) & landing                  free = empty & landing
#
#     lane    0  1  2  3   4  5  6  7
#     step    N  E  S  W  NE NW SW SE        rooks and queens left, bishops and queens right
#
# An OR or a sum over the lanes answers for the whole side: the cost does not depend on the number of sliders.
# No lane attacks a target twice, so the lanes' popcounts add up to the moves of the single pieces.

include "occupancy.pxi"
include "avx512.pxi"
include "bits_avx512.pxi"
include "fill_avx512.pxi"
include "fill_avx512_squares.pxi"
