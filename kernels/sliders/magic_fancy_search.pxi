# title: Fancy magic bitboards, searched at start-up
# author: Pradyumna Kannan; search by Tord Romstad's method
# year: 2007
# source: https://www.chessprogramming.org/Looking_for_Magics
# needs: v1
# answers: one square
# contains: imul
#
# The fancy magics without stored factors: random sparse ones are tried for each square when the module is
# loaded, until one maps every two occupancies with different attacks to different indices.
#
#     attacks = table[((occupied & mask) * magic) >> shift]        magic = random & random & random
#
#     . . . x . . . .      about two million candidates for all 128
#     . . . x . . . .      squares; nearly all fail within a few
#     . x x R x x x .      occupancies
#     . . . x . . . .
#
# Lookups are those of magic_fancy: only other factors, and the time to import the module.

include "occupancy.pxi"
include "relevant.pxi"
include "magic_search.pxi"
include "static_table.pxi"

cdef MagicSearch search


cdef u64 mask_of(int piece, int square) noexcept:
    return relevant_mask(piece, square)


cdef u64 magic_of(int piece, int square) except? 0:
    search_square(&search, piece, square, MAGIC_MASKED)
    return search_magic(&search, popcount(relevant_mask(piece, square)), ~<u64>0 >> 1)

search_init(&search, 1)

include "magic_tables.pxi"
