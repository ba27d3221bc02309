# title: Fancy magic bitboards
# author: Pradyumna Kannan, after Lasse Hansen and Gerd Isenberg
# year: 2007
# source: https://www.chessprogramming.org/Magic_Bitboards#Fancy
# needs: v1
# answers: one square
#
# A multiplication gathers the relevant occupied squares in the top bits of the product, which index a table:
#
#     attacks = table[((occupied & mask) * magic) >> shift]
#
#     . . . x . . . .      relevant mask of a rook on d4 (x): the rays without
#     . . . x . . . .      the edge squares, whose occupancy changes nothing
#     . x x R x x x .
#     . . . x . . . .
#
# Every square has a part of one table as large as its mask needs: 102,400 rook and 5,248 bishop entries of
# 8 bytes. Mask, magic, address and shift lie together in one 32-byte struct, half a cache line.

include "occupancy.pxi"
include "relevant.pxi"
include "magics.pxi"

cdef struct Magic:
    u64 mask
    u64 magic
    u64* table
    u64 shift

cdef Magic[2][SQUARES] entries
cdef u64[102400 + 5248] attack_table


cdef inline u64 magic_lookup(int piece, int square, u64 occupied) noexcept nogil:
    cdef const Magic* entry = &entries[piece][square]
    return entry.table[((occupied & entry.mask) * entry.magic) >> entry.shift]


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return magic_lookup(ROOK, square, occupancy)


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return magic_lookup(BISHOP, square, occupancy)


cdef int kernel_init() except -1:
    cdef int piece, square
    cdef u64 subset
    cdef size_t index
    cdef u64* table = attack_table
    cdef Magic* entry
    for piece in range(2):
        for square in range(SQUARES):
            entry = &entries[piece][square]
            entry.mask = relevant_mask(piece, square)
            entry.magic = MAGICS[piece][square]
            entry.table = table
            entry.shift = 64 - popcount(entry.mask)
            subset = 0
            while True:
                index = (subset * entry.magic) >> entry.shift
                fill_entry(&table[index], reference_attacks(piece, square, subset), piece, square, index)
                subset = next_subset(subset, entry.mask)
                if subset == 0:
                    break
            table += 1 << popcount(entry.mask)
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(entries) + sizeof(attack_table)

include "setwise.pxi"
