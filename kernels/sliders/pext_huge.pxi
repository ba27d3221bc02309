# title: PEXT bitboards in a huge page
# author: unknown; huge pages are common practice
# year: 2013
# source: https://www.chessprogramming.org/BMI2#PEXTBitboards
# needs: v3
# answers: one square
# contains: pext
#
# The PEXT bitboards with their table in one page of 2 MiB in place of 211 of 4 KiB, so that one entry of the
# address translation buffer covers it all:
#
#     madvise(table, 2 MiB, MADV_HUGEPAGE)
#
#     . . . x . . . .      attacks = table[pext(occupied, mask)]
#     . . . x . . . .
#     . x x R x x x .      each relevant occupancy of R may lie in another
#     . . . x . . . .      small page: 8 KiB of table for this square
#
# Any difference from pext is what page walks cost.

include "occupancy.pxi"
include "hardware_extract.pxi"
include "huge_table.pxi"
include "pext_tables.pxi"
include "setwise.pxi"
