# title: Classical rays
# author: Robert Hyatt and Michael Sherwin (the form without branches)
# year: unknown
# source: https://www.chessprogramming.org/Classical_Approach
# needs: v1
# answers: one square
#
# A precomputed ray for each direction and square. A bit scan finds the first blocker, whose own ray is what
# the blocker hides. A guard on the board's last square stands in for a missing blocker: no ray leaves it.
#
#     blocker = lowest(ray[direction][square] & occupied | h8)      upwards; downwards highest(... | a1)
#     attacks ^= ray[direction][square] ^ ray[direction][blocker]
#
#     . . . h . . . .      north of R: the ray of R (x, B, h)
#     . . . h . . . .      without the ray of the blocker B (h)
#     . . . B . . . .
#     . . . x . . . .
#     . . . R . . . .

include "occupancy.pxi"
include "bitscan.pxi"

cdef int[2][4][2] RAY_DIRECTIONS = [        # (file, rank) steps; the first two towards higher squares
    [[0, 1], [1, 0], [0, -1], [-1, 0]],     # rook
    [[-1, 1], [1, 1], [1, -1], [-1, -1]],   # bishop
]

cdef struct Rays:       # of one square: half a cache line
    u64 higher_0
    u64 higher_1
    u64 lower_0
    u64 lower_1

cdef Rays[2][SQUARES] rays


cdef inline u64 ray_lookup(int piece, int square, u64 occupied) noexcept nogil:
    cdef const Rays* own = &rays[piece][square]
    return ((own.higher_0 ^ rays[piece][lsb((own.higher_0 & occupied) | <u64>1 << 63)].higher_0)
            | (own.higher_1 ^ rays[piece][lsb((own.higher_1 & occupied) | <u64>1 << 63)].higher_1)
            | (own.lower_0 ^ rays[piece][msb((own.lower_0 & occupied) | 1)].lower_0)
            | (own.lower_1 ^ rays[piece][msb((own.lower_1 & occupied) | 1)].lower_1))


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return ray_lookup(ROOK, square, occupancy)


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return ray_lookup(BISHOP, square, occupancy)


cdef u64 empty_ray(int piece, int direction, int square) noexcept:
    return ray(square, RAY_DIRECTIONS[piece][direction][0], RAY_DIRECTIONS[piece][direction][1], 0, True)


cdef int kernel_init() except -1:
    cdef int piece, square
    for piece in range(2):
        for square in range(SQUARES):
            rays[piece][square].higher_0 = empty_ray(piece, 0, square)
            rays[piece][square].higher_1 = empty_ray(piece, 1, square)
            rays[piece][square].lower_0 = empty_ray(piece, 2, square)
            rays[piece][square].lower_1 = empty_ray(piece, 3, square)
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(rays)

include "setwise.pxi"
