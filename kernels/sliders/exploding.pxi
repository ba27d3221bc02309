# title: Exploding bitboards
# author: Harald Lüßen
# year: 2006
# source: https://www.chessprogramming.org/Exploding_Bitboards
# needs: v1
# answers: one square
#
# Waves run outwards from the slider on all its rays at once. One shift and one multiplication move the front
# a square on in every direction; the mask drops what went astray, blockers stop their ray:
#
#     front = ((front >> 9) * 0x50005) & mask & ~attacks           0x50005: +0 +2 +16 +18, so -9 -7 +7 +9
#     attacks |= front;     front &= ~occupied
#
#     2 . . . 2 . . .      bishop on B: the front after the first
#     . 1 . 1 . . . .      step (1) and after the second (2)
#     . . B . . . . .
#     . 1 . 1 . . . .
#     2 . . . 2 . . .
#
# Where two moved squares meet they add up and carry to their neighbour. For a bishop that is never a square
# of its rays. A rook's four directions would disturb each other: its ranks and files explode separately.

include "occupancy.pxi"
include "lines.pxi"
include "line_masks.pxi"


cdef inline u64 explode(u64 first, u64 mask, u64 occupied, int shift, u64 factor) noexcept nogil:
    cdef u64 attacks = first
    cdef u64 front = first & ~occupied
    # Rays are short in games: six waves without a test are faster only on emptier boards.
    while front:
        front = ((front >> shift) * factor) & mask & ~attacks
        attacks |= front
        front &= ~occupied
    return attacks


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    cdef u64 rank = line_masks[square][LINE_RANK]
    cdef u64 file = line_masks[square][LINE_FILE]
    return (explode(first_steps[square].rank, rank, occupancy, 1, 0x5)
            | explode(first_steps[square].file, file, occupancy, 8, 0x10001))


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    cdef u64 diagonals = line_masks[square][LINE_DIAGONAL] | line_masks[square][LINE_ANTIDIAGONAL]
    return explode(first_steps[square].diagonals, diagonals, occupancy, 9, 0x50005)


cdef struct Steps:
    u64 rank
    u64 file
    u64 diagonals

cdef Steps[SQUARES] first_steps


cdef int kernel_init() except -1:
    cdef int square
    line_masks_init()
    for square in range(SQUARES):
        # Attacks between blockers on every other square.
        first_steps[square].rank = reference_line(LINE_RANK, square, ~<u64>0)
        first_steps[square].file = reference_line(LINE_FILE, square, ~<u64>0)
        first_steps[square].diagonals = reference_attacks(BISHOP, square, ~<u64>0)
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(line_masks) + sizeof(first_steps)

include "setwise.pxi"
