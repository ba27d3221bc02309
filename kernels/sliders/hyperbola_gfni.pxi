# title: Hyperbola quintessence, GFNI
# author: this project, after Gerd Isenberg's SIMD form; bit reversal by GF2P8AFFINEQB is common knowledge
# year: 2026
# source: https://www.chessprogramming.org/Hyperbola_Quintessence
# needs: v3 gfni
# answers: one square, queen
# contains: vgf2p8affineqb, vpsubq
#
# With a true reversal of all 64 bits the hyperbola covers ranks too: all four lines in one register, no table
# but the masks. A byte shuffle and a multiplication of each byte by the mirrored unit matrix reverse a lane:
#
#     attacks = ((o - r) ^ reverse(reverse(o) - reverse(r))) & line        o = occupied & line, without r
#
#     lane   0         1             2     3
#     line   diagonal  antidiagonal  file  rank        bishop: lanes 0 and 1; rook: lanes 2 and 3
#
#     x . . f . . x .      a queen on d5: four lanes,
#     . x . f . x . .      one subtraction each way
#     . . x f x . . .
#     r r r Q r r r r
#     . . x f x . . .
#
# The occupancy is reversed before the slider is known: once for all the sliders of a side.

include "occupancy.pxi"
include "lines.pxi"
include "avx2.pxi"

cdef extern from "<immintrin.h>" nogil:
    __m256i _mm256_gf2p8affine_epi64_epi8(__m256i, __m256i, int)

cdef struct Masks:
    u64[4] lines
    u64[4] reversed_lines

cdef struct Bits:
    u64 square
    u64 reversed_square

cdef Masks[SQUARES] masks
cdef Bits[SQUARES] bits


cdef inline __m256i bits_reversed(__m256i lanes) noexcept nogil:
    return _mm256_gf2p8affine_epi64_epi8(
        _mm256_shuffle_epi8(lanes, _mm256_set_epi8(
            8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7,
            8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7)),
        _mm256_set1_epi64x(<u64>0x8040201008040201), 0)


cdef inline __m256i line_attacks(int square, u64 occupied) noexcept nogil:
    cdef __m256i occupied_lanes = _mm256_set1_epi64x(occupied)
    cdef __m256i lines = _mm256_loadu_si256(<const __m256i*>masks[square].lines)
    cdef __m256i reversed_lines = _mm256_loadu_si256(<const __m256i*>masks[square].reversed_lines)
    cdef __m256i higher = _mm256_sub_epi64(
        _mm256_and_si256(occupied_lanes, lines), _mm256_set1_epi64x(bits[square].square))
    cdef __m256i lower = _mm256_sub_epi64(
        _mm256_and_si256(bits_reversed(occupied_lanes), reversed_lines),
        _mm256_set1_epi64x(bits[square].reversed_square))
    return _mm256_and_si256(lines, _mm256_xor_si256(higher, bits_reversed(lower)))


cdef inline u64 halves_or(__m128i attacks) noexcept nogil:
    return _mm_cvtsi128_si64(_mm_or_si128(attacks, _mm_unpackhi_epi64(attacks, attacks)))


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return halves_or(_mm256_extracti128_si256(line_attacks(square, occupancy), 1))


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return halves_or(_mm256_castsi256_si128(line_attacks(square, occupancy)))


cdef inline u64 queen_attacks(int square, Occupancy occupancy) noexcept nogil:
    return lanes_or(line_attacks(square, occupancy))


cdef u64 reversed_bits(u64 board) noexcept:
    cdef u64 mirrored = 0
    cdef int square
    for square in range(SQUARES):
        if board & bit(square):
            mirrored |= bit(63 - square)
    return mirrored


cdef int[4] LANE_LINES = [LINE_DIAGONAL, LINE_ANTIDIAGONAL, LINE_FILE, LINE_RANK]


cdef int kernel_init() except -1:
    cdef int square, lane
    for square in range(SQUARES):
        bits[square].square = bit(square)
        bits[square].reversed_square = bit(63 - square)
        for lane in range(4):
            masks[square].lines[lane] = reference_line(LANE_LINES[lane], square, 0)
            masks[square].reversed_lines[lane] = reversed_bits(masks[square].lines[lane])
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(masks) + sizeof(bits)

include "setwise_queens.pxi"
