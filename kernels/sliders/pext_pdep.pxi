# title: PEXT bitboards, compressed by PDEP
# author: unknown
# year: unknown
# source: https://www.chessprogramming.org/BMI2#PEXTBitboards
# needs: v3
# answers: one square
# contains: pext, pdep
#
# A rook sees at most 14 squares of its lines and a bishop 13: 16 bits for an entry of the table, which PDEP
# spreads over the lines again. A quarter of the memory, for one more instruction of three cycles:
#
#     attacks = pdep(table[pext(occupied, mask)], lines)
#
#     . . . x . . . .      the lines of a rook on d4 (x): 14 squares,
#     . . . x . . . .      14 bits of a table entry, a1-most lowest
#     ...
#     x x x R x x x x
#     ...

include "occupancy.pxi"
include "hardware_extract.pxi"

cdef extern from "<immintrin.h>" nogil:
    u64 _pdep_u64(u64 value, u64 mask)

cdef struct Extract:
    u64 mask
    u64 lines
    const uint16_t* table

cdef Extract[SQUARES][2] entries
cdef uint16_t[RELEVANT_OCCUPANCIES] attack_table


cdef inline u64 extract_lookup(int piece, int square, u64 occupied) noexcept nogil:
    cdef const Extract* entry = &entries[square][piece]
    return _pdep_u64(entry.table[bit_extract(occupied, entry.mask)], entry.lines)


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return extract_lookup(ROOK, square, occupancy)


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return extract_lookup(BISHOP, square, occupancy)


cdef int kernel_init() except -1:
    cdef int piece, square
    cdef u64 subset
    cdef size_t start = 0, index
    for piece in range(2):
        for square in range(SQUARES):
            entries[square][piece].mask = relevant_mask(piece, square)
            entries[square][piece].lines = reference_attacks(piece, square, 0)
            entries[square][piece].table = &attack_table[start]
            subset = 0
            while True:
                index = start + bit_extract(subset, entries[square][piece].mask)
                attack_table[index] = bit_extract(
                    reference_attacks(piece, square, subset), entries[square][piece].lines)
                subset = next_subset(subset, entries[square][piece].mask)
                if subset == 0:
                    break
            start += <size_t>1 << popcount(entries[square][piece].mask)
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(entries) + sizeof(attack_table)

include "setwise.pxi"
