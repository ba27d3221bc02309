# title: Rotated bitboards
# author: Robert Hyatt and Peter Gillgasch, independently
# year: 1995
# source: https://www.chessprogramming.org/Rotated_Bitboards
# needs: v1
# answers: one square
#
# Four copies of the occupancy, turned so that ranks, files, diagonals and anti-diagonals each lie in
# consecutive bits. A shift and a mask then give the six inner bits of a line, which index a small table:
#
#     attacks = table[line kind][square][(copy[line kind] >> shift[square]) & 63]
#
#     8 . . . x . . . .      file d in the copy with files laid out
#     7 . . . B . . . .      as ranks: bits 24 to 31, one shift away
#     ...
#
# The price is paid when a piece moves: all four copies are updated (occupancy_flip).

include "lines.pxi"

ctypedef struct Occupancy:
    u64 ranks
    u64 files
    u64 diagonals
    u64 antidiagonals

cdef uint8_t[LINES][SQUARES] turned_square  # where a square's bit lies in each copy
cdef uint8_t[LINES][SQUARES] line_shift     # first inner bit of the square's line in each copy
cdef u64[LINES][SQUARES][64] line_attacks   # by the six inner occupancy bits


cdef inline Occupancy occupancy_flip(Occupancy occupancy, int square, u64 square_bit) noexcept nogil:
    occupancy.ranks ^= square_bit
    occupancy.files ^= bit(turned_square[LINE_FILE][square])
    occupancy.diagonals ^= bit(turned_square[LINE_DIAGONAL][square])
    occupancy.antidiagonals ^= bit(turned_square[LINE_ANTIDIAGONAL][square])
    return occupancy


cdef inline Occupancy occupancy_of(u64 occupied) noexcept nogil:
    cdef Occupancy occupancy
    occupancy.ranks = occupancy.files = occupancy.diagonals = occupancy.antidiagonals = 0
    while occupied:
        occupancy = occupancy_flip(occupancy, lsb(occupied), occupied & (0 - occupied))
        occupied &= occupied - 1
    return occupancy


cdef inline u64 occupancy_bits(Occupancy occupancy) noexcept nogil:
    return occupancy.ranks


cdef inline u64 line_lookup(int line, int square, u64 turned) noexcept nogil:
    return line_attacks[line][square][(turned >> line_shift[line][square]) & 63]


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return (line_lookup(LINE_RANK, square, occupancy.ranks)
            | line_lookup(LINE_FILE, square, occupancy.files))


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return (line_lookup(LINE_DIAGONAL, square, occupancy.diagonals)
            | line_lookup(LINE_ANTIDIAGONAL, square, occupancy.antidiagonals))


cdef int kernel_init() except -1:
    cdef int line, square, file, rank, file_step, rank_step, place, start, at
    cdef u64 inner, occupied
    # Lay the lines of each kind one after the other: a line starts on a square with none before it.
    for line in range(LINES):
        # Steps go towards the higher bit of a copy.
        file_step = LINE_STEPS[line][0]
        rank_step = LINE_STEPS[line][1]
        place = 0
        for square in range(SQUARES):
            file = square & 7
            rank = square >> 3
            if on_board(file - file_step, rank - rank_step):
                continue
            start = place
            while on_board(file, rank):
                turned_square[line][8 * rank + file] = place
                # Inner bits start one above the line's first; a line of one square at the very end
                # of the copy has none, so any shift below 64 serves.
                line_shift[line][8 * rank + file] = min(start + 1, 63)
                place += 1
                file += file_step
                rank += rank_step
    for line in range(LINES):
        for square in range(SQUARES):
            for inner in range(64):
                occupied = 0
                for at in range(SQUARES):
                    # Bits of other lines within the window are dropped: they lie on no ray of this line.
                    place = turned_square[line][at] - line_shift[line][square]
                    if 0 <= place < 6 and (inner >> place) & 1:
                        occupied |= bit(at)
                line_attacks[line][square][inner] = reference_line(line, square, occupied)
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(turned_square) + sizeof(line_shift) + sizeof(line_attacks)

include "setwise.pxi"
