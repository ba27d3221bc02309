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
include "stored_magics.pxi"
include "static_table.pxi"
include "magic_tables.pxi"
