# title: Fancy magic bitboards in separate arrays
# author: Pradyumna Kannan, after Lasse Hansen and Gerd Isenberg
# year: 2007
# source: https://www.chessprogramming.org/Magic_Bitboards#Fancy
# needs: v1
# answers: one square
# contains: imul
#
# The fancy magics with mask, factor, shift and table each in an array of its own, as many programs keep them,
# in place of one 32-byte struct for each square: four cache lines for a query instead of one.
#
#     attacks = table[square][((occupied & mask[square]) * magic[square]) >> shift[square]]
#
#     . . . x . . . .      d4 and e4 share cache lines here,
#     . . . x . . . .      in magic_fancy d4's four values do
#     . x x R x x x .
#     . . . x . . . .

include "occupancy.pxi"
include "relevant.pxi"
include "stored_magics.pxi"
include "static_table.pxi"

cdef u64[2][SQUARES] masks
cdef u64[2][SQUARES] factors
ctypedef u64* Table

cdef Table[2][SQUARES] tables
cdef uint8_t[2][SQUARES] shifts


cdef inline size_t magic_index(int piece, int square, u64 occupied) noexcept nogil:
    return ((occupied & masks[piece][square]) * factors[piece][square]) >> shifts[piece][square]


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return tables[ROOK][square][magic_index(ROOK, square, occupancy)]


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return tables[BISHOP][square][magic_index(BISHOP, square, occupancy)]


cdef int kernel_init() except -1:
    cdef int piece, square
    cdef u64 subset
    cdef size_t index
    cdef u64* table = attack_space()
    for piece in range(2):
        for square in range(SQUARES):
            masks[piece][square] = mask_of(piece, square)
            factors[piece][square] = magic_of(piece, square)
            tables[piece][square] = table
            shifts[piece][square] = 64 - popcount(masks[piece][square])
            subset = 0
            while True:
                index = magic_index(piece, square, subset)
                fill_entry(&table[index], reference_attacks(piece, square, subset), piece, square, index)
                subset = next_subset(subset, masks[piece][square])
                if subset == 0:
                    break
            table += <size_t>1 << popcount(masks[piece][square])
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(masks) + sizeof(factors) + sizeof(tables) + sizeof(shifts) + ATTACK_SPACE_BYTES

include "setwise.pxi"
