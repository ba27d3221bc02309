# title: Fancy magic bitboards in a huge page
# author: Pradyumna Kannan; huge pages are common practice
# year: 2007
# source: https://www.chessprogramming.org/Magic_Bitboards#Fancy
# needs: v1
# answers: one square
# contains: imul
#
# The fancy magics with their table in one page of 2 MiB in place of 211 of 4 KiB, so that one entry of the
# address translation buffer covers it all:
#
#     madvise(table, 2 MiB, MADV_HUGEPAGE)
#
#     . . . x . . . .      attacks = table[((occupied & mask) * magic) >> shift]
#     . . . x . . . .
#     . x x R x x x .      each relevant occupancy of R may lie in another
#     . . . x . . . .      small page: 8 KiB of table for this square
#
# Any difference from magic_fancy is what page walks cost.

include "occupancy.pxi"
include "relevant.pxi"
include "stored_magics.pxi"
include "huge_table.pxi"
include "magic_tables.pxi"
