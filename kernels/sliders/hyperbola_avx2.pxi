# title: Hyperbola quintessence, AVX2
# author: Gerd Isenberg (SIMD form), Timothy Herchen (three lines and a rank table in Stockfish)
# year: 2026
# source: https://www.chessprogramming.org/Hyperbola_Quintessence, Stockfish pull request 6845
# needs: v3
# answers: one square, queen
# contains: vpshufb, vpsubq
#
# The hyperbola of both diagonals and the file, each in a 64-bit lane, with one byte shuffle as the swap of
# all lanes. Rook and bishop come out of the same subtraction; the rook's rank is looked up in 512 bytes.
#
#     attacks = ((o - r) ^ swap(swap(o) - swap(r))) & line            o = occupied & line, without r
#
#     lane   0         1             2     3
#     line   diagonal  antidiagonal  file  none        bishop: lanes 0 and 1; rook: lane 2 and the table
#
#     x . . f . . x .
#     . x . f . x . .      a queen on d5: three lanes, and
#     . . x f x . . .      the rank (r) from the table
#     r r r Q r r r r
#     . . x f x . . .

include "occupancy.pxi"
include "lines.pxi"
include "rank_table.pxi"
include "avx2.pxi"

cdef struct Masks:
    u64[4] lines
    u64 square_bit
    u64 swapped_bit
    u64[2] unused           # 64 bytes, so that a square has a cache line to itself

cdef Masks[SQUARES] masks


cdef inline __m256i bytes_swapped(__m256i lanes) noexcept nogil:
    return _mm256_shuffle_epi8(lanes, _mm256_set_epi8(
        8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7,
        8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7))


cdef inline __m256i line_attacks(int square, u64 occupied) noexcept nogil:
    cdef __m256i lines = _mm256_loadu_si256(<const __m256i*>masks[square].lines)
    cdef __m256i on_line = _mm256_and_si256(lines, _mm256_set1_epi64x(occupied))
    cdef __m256i higher = _mm256_sub_epi64(on_line, _mm256_set1_epi64x(masks[square].square_bit))
    cdef __m256i lower = bytes_swapped(
        _mm256_sub_epi64(bytes_swapped(on_line), _mm256_set1_epi64x(masks[square].swapped_bit)))
    return _mm256_and_si256(lines, _mm256_xor_si256(higher, lower))


cdef inline u64 diagonal_lanes(__m256i attacks) noexcept nogil:
    cdef __m128i both = _mm256_castsi256_si128(attacks)
    return _mm_cvtsi128_si64(_mm_or_si128(both, _mm_unpackhi_epi64(both, both)))


cdef inline u64 file_lane(__m256i attacks) noexcept nogil:
    return _mm_cvtsi128_si64(_mm256_extracti128_si256(attacks, 1))


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return file_lane(line_attacks(square, occupancy)) | rank_attacks(square, occupancy)


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return diagonal_lanes(line_attacks(square, occupancy))


cdef inline u64 queen_attacks(int square, Occupancy occupancy) noexcept nogil:
    return lanes_or(line_attacks(square, occupancy)) | rank_attacks(square, occupancy)


cdef int kernel_init() except -1:
    cdef int square
    rank_table_init()
    for square in range(SQUARES):
        masks[square].lines[0] = reference_line(LINE_DIAGONAL, square, 0)
        masks[square].lines[1] = reference_line(LINE_ANTIDIAGONAL, square, 0)
        masks[square].lines[2] = reference_line(LINE_FILE, square, 0)
        masks[square].square_bit = bit(square)
        masks[square].swapped_bit = bit(square ^ 56)
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(masks) + sizeof(first_rank)

include "setwise_queens.pxi"
