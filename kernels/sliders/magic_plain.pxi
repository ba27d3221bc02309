# title: Plain magic bitboards
# author: Lasse Hansen
# year: 2006
# source: https://www.chessprogramming.org/Magic_Bitboards#Plain
# needs: v1
# answers: one square
#
# As fancy magics, but every square's part of the table has the same size, so that its address and the shift
# are constants:
#
#     attacks = table[square][((occupied & mask[square]) * magic[square]) >> (64 - 12)]      bishop: 64 - 9
#
#     . . . x . . . .      relevant mask of a rook on d4 (x); the corner
#     . . . x . . . .      squares need 12 bits, this one 10, all get 12
#     . x x R x x x .
#     . . . x . . . .
#
# 64 * 4096 rook and 64 * 512 bishop entries of 8 bytes: 2 MiB and 256 KiB, most of them never read.

include "occupancy.pxi"
include "relevant.pxi"
include "magics.pxi"

cdef enum:
    ROOK_BITS = 12
    BISHOP_BITS = 9

cdef u64[2][SQUARES] masks
cdef u64[SQUARES][1 << ROOK_BITS] rook_table
cdef u64[SQUARES][1 << BISHOP_BITS] bishop_table


cdef inline u64 magic_index(int piece, int square, u64 occupied) noexcept nogil:
    return (((occupied & masks[piece][square]) * MAGICS[piece][square])
            >> (64 - (BISHOP_BITS if piece == BISHOP else ROOK_BITS)))


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return rook_table[square][magic_index(ROOK, square, occupancy)]


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return bishop_table[square][magic_index(BISHOP, square, occupancy)]


cdef int kernel_init() except -1:
    cdef int piece, square
    cdef u64 subset
    cdef size_t index
    cdef u64* table
    for piece in range(2):
        for square in range(SQUARES):
            masks[piece][square] = relevant_mask(piece, square)
            table = &bishop_table[square][0] if piece == BISHOP else &rook_table[square][0]
            subset = 0
            while True:
                index = magic_index(piece, square, subset)
                fill_entry(&table[index], reference_attacks(piece, square, subset), piece, square, index)
                subset = next_subset(subset, masks[piece][square])
                if subset == 0:
                    break
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(masks) + sizeof(MAGICS) + sizeof(rook_table) + sizeof(bishop_table)

include "setwise.pxi"
