# title: Fancy magic bitboards, masks with the edges
# author: Pradyumna Kannan, after Lasse Hansen and Gerd Isenberg; the mask is the naive one
# year: 2007
# source: https://www.chessprogramming.org/Magic_Bitboards#Fancy
# needs: v1
# answers: one square
# contains: imul
#
# What leaving the edge squares out of the masks is worth: the fancy magics with whole lines as masks. A piece
# on the edge blocks nothing that the board would not end, so up to four bits of each index are wasted:
#
#     attacks = table[((occupied & lines) * magic) >> shift]
#
#     . . . e . . . .      a rook on d4: 14 squares and 16,384 entries,
#     . . . x . . . .      in place of ten (x) and 1,024
#     . . . x . . . .
#     e x x R x x x e
#     . . . e . . . .
#
# 2^14 entries for each rook square, up to 2^13 for a bishop's: 8.6 MiB, larger than most second-level caches.

include "occupancy.pxi"
include "relevant.pxi"
include "edge_magics.pxi"

cdef enum:
    OCCUPANCIES = (1 << 20) + 71168     # of rooks and bishops
    ATTACK_SPACE_BYTES = 8 * OCCUPANCIES

cdef u64[OCCUPANCIES] attack_table


cdef u64* attack_space() except NULL:
    return attack_table


cdef u64 mask_of(int piece, int square) noexcept:
    return reference_attacks(piece, square, 0)


cdef u64 magic_of(int piece, int square) except? 0:
    return EDGE_MAGICS[piece][square]

include "magic_tables.pxi"
