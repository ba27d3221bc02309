# title: Kindergarten super SISSY bitboards
# author: Michael Sherwin
# year: 2022
# source: https://talkchess.com/forum3/viewtopic.php?t=81234
# needs: v1
# answers: one square
# contains: imul
#
# The kindergarten index with finished attacks for each square and line behind it: no mask, shift or fill
# after the lookup, for 128 KiB of tables.
#
#     attacks = table[line][square][six inner squares of the line]
#
#     . . . x . . . .      a rook on d4: two lookups, with the inner
#     . x x R x x x .      squares (x) of rank and file as indices
#     . . . x . . . .

include "occupancy.pxi"
include "lines.pxi"
include "line_indices.pxi"

cdef struct Diagonals:
    u64 diagonal
    u64 antidiagonal

cdef Diagonals[SQUARES] diagonals
cdef u64[LINES][SQUARES][64] line_table


cdef inline u64 line_index(int kind, int square, u64 occupied) noexcept nogil:
    if kind == LINE_RANK:
        return rank_index(square, occupied)
    if kind == LINE_FILE:
        return file_index(square, occupied)
    if kind == LINE_DIAGONAL:
        return diagonal_index(occupied & diagonals[square].diagonal)
    return diagonal_index(occupied & diagonals[square].antidiagonal)


cdef inline u64 line_attacks(int kind, int square, u64 occupied) noexcept nogil:
    return line_table[kind][square][line_index(kind, square, occupied)]


cdef int kernel_init() except -1:
    cdef int kind, square
    cdef u64 mask, subset, index
    for square in range(SQUARES):
        diagonals[square].diagonal = reference_line(LINE_DIAGONAL, square, 0)
        diagonals[square].antidiagonal = reference_line(LINE_ANTIDIAGONAL, square, 0)
        for kind in range(LINES):
            # The own square sets a bit of the index on ranks and files: entries with and without it.
            mask = reference_line(kind, square, 0) | bit(square)
            subset = 0
            while True:
                index = line_index(kind, square, subset)
                line_table[kind][square][index] = reference_line(kind, square, subset)
                subset = next_subset(subset, mask)
                if subset == 0:
                    break
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(diagonals) + sizeof(line_table)

include "line_queries.pxi"
