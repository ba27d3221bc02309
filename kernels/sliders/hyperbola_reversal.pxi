# title: Hyperbola quintessence with bit reversal
# author: Gerd Isenberg, after Aleks Peshkov
# year: 2007
# source: https://www.chessprogramming.org/Hyperbola_Quintessence
# needs: v1
# answers: one square, queen
# contains: bswap
#
# The hyperbola for all four lines, ranks too, by reversing all 64 bits instead of the bytes:
#
#     attacks = ((o - r) ^ reverse(reverse(o) - reverse(r))) & line        o = occupied & line, without r
#
#     . . . f . . . .      rank and file of R share no other square: the lower
#     r r r R r r r r      parts of both are reversed back together, those of a
#     . . . f . . . .      queen's four lines likewise
#
# So a query costs two reversals: of the occupancy, and of the result. x86-64 has no scalar instruction for
# one (ARM has): a byte swap and three exchanges within the bytes.

include "occupancy.pxi"
include "lines.pxi"

cdef extern from * nogil:
    u64 __builtin_bswap64(u64)

cdef struct Masks:
    u64[LINES] lines
    u64[LINES] reversed_lines

cdef Masks[SQUARES] masks


cdef inline u64 bits_reversed(u64 bits) noexcept nogil:
    bits = __builtin_bswap64(bits)
    bits = ((bits >> 4) & <u64>0x0F0F0F0F0F0F0F0F) | ((bits & <u64>0x0F0F0F0F0F0F0F0F) << 4)
    bits = ((bits >> 2) & <u64>0x3333333333333333) | ((bits & <u64>0x3333333333333333) << 2)
    return ((bits >> 1) & <u64>0x5555555555555555) | ((bits & <u64>0x5555555555555555) << 1)


cdef inline u64 higher(int square, const u64* lines, int kind, u64 occupied) noexcept nogil:
    """Attacks on one line above the slider; of the reversed board, those below."""
    return ((occupied & lines[kind]) - bit(square)) & lines[kind]


cdef inline u64 line_pair(int square, const u64* lines, int kind, u64 occupied) noexcept nogil:
    return higher(square, lines, kind, occupied) | higher(square, lines, kind + 1, occupied)


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    cdef const Masks* own = &masks[square]
    return (line_pair(square, own.lines, LINE_RANK, occupancy)
            ^ bits_reversed(line_pair(63 - square, own.reversed_lines, LINE_RANK,
                                      bits_reversed(occupancy))))


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    cdef const Masks* own = &masks[square]
    return (line_pair(square, own.lines, LINE_DIAGONAL, occupancy)
            ^ bits_reversed(line_pair(63 - square, own.reversed_lines, LINE_DIAGONAL,
                                      bits_reversed(occupancy))))


cdef inline u64 queen_attacks(int square, Occupancy occupancy) noexcept nogil:
    cdef const Masks* own = &masks[square]
    cdef u64 mirrored = bits_reversed(occupancy)
    return ((line_pair(square, own.lines, LINE_RANK, occupancy)
             | line_pair(square, own.lines, LINE_DIAGONAL, occupancy))
            ^ bits_reversed(line_pair(63 - square, own.reversed_lines, LINE_RANK, mirrored)
                            | line_pair(63 - square, own.reversed_lines, LINE_DIAGONAL, mirrored)))


cdef int kernel_init() except -1:
    cdef int square, kind
    for square in range(SQUARES):
        for kind in range(LINES):
            masks[square].lines[kind] = reference_line(kind, square, 0)
            masks[square].reversed_lines[kind] = bits_reversed(masks[square].lines[kind])
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(masks)

include "setwise_queens.pxi"
