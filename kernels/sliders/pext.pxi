# title: PEXT bitboards
# author: proposed by several after Intel published BMI2
# year: 2013
# source: https://www.chessprogramming.org/BMI2#PEXTBitboards
# needs: v3
# answers: one square
# contains: pext
#
# One instruction gathers the relevant occupied squares; there is no multiplication and no magic to find:
#
#     attacks = table[pext(occupied, mask)]
#
#     . . . x . . . .      relevant mask of a rook on d4 (x): ten squares,
#     . . . x . . . .      so an index of ten bits, a1-most square lowest
#     . x x R x x x .
#     . . . x . . . .
#
# PEXT takes 3 cycles on Intel since Haswell and AMD since Zen 3, and is microcoded on AMD before that.

include "occupancy.pxi"
include "hardware_extract.pxi"
include "static_table.pxi"
include "pext_tables.pxi"
include "setwise.pxi"
