# title: Kindergarten bitboards
# author: Gerd Isenberg, Urban Koistinen
# year: 2006
# source: https://www.chessprogramming.org/Kindergarten_Bitboards
# needs: v1
# answers: one square
# contains: imul
#
# One multiplication gathers the six inner squares of a line in the top bits, which index the attacks of a
# rank. Filled up all files of the board, one table serves every rank and diagonal; files have their own:
#
#     index    = ((occupied & line) * b-file) >> 58
#     attacks  = filled[file of the square][index] & line
#
#     x x . x x x . .      filled attacks of a slider on c, blockers
#     x x . x x x . .      a and f, on every rank: the line cuts
#     x x . x x x . .      out what it needs
#     ...

include "occupancy.pxi"
include "lines.pxi"
include "line_indices.pxi"

cdef struct Diagonals:
    u64 diagonal
    u64 antidiagonal

cdef Diagonals[SQUARES] diagonals
cdef u64[8][64] filled          # by file and index: the attacks of a rank, on all ranks
cdef u64[8][64] file_a          # by rank and index: the attacks on the a-file


cdef inline u64 diagonal_attacks(int square, u64 occupied, u64 mask) noexcept nogil:
    return filled[square & 7][diagonal_index(occupied & mask)] & mask


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return ((filled[square & 7][rank_index(square, occupancy)] & (RANK_1 << (square & 56)))
            | (file_a[square >> 3][file_index(square, occupancy)] << (square & 7)))


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return (diagonal_attacks(square, occupancy, diagonals[square].diagonal)
            | diagonal_attacks(square, occupancy, diagonals[square].antidiagonal))


cdef int kernel_init() except -1:
    cdef int square
    cdef u64 inner, subset
    for square in range(SQUARES):
        diagonals[square].diagonal = reference_line(LINE_DIAGONAL, square, 0)
        diagonals[square].antidiagonal = reference_line(LINE_ANTIDIAGONAL, square, 0)
    for square in range(8):
        for inner in range(64):
            filled[square][inner] = reference_line(LINE_RANK, square, inner << 1) * FILE_A
        subset = 0
        while True:
            file_a[square][file_index(8 * square, subset)] = reference_line(LINE_FILE, 8 * square, subset)
            subset = next_subset(subset, FILE_A)
            if subset == 0:
                break
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(diagonals) + sizeof(filled) + sizeof(file_a)

include "setwise.pxi"
