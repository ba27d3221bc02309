# title: Ray loop
# author: common practice
# year: 1970s
# source: the textbook method, here on squares and a step with a precomputed distance to the edge
# needs: v1
# answers: one square
#
# Walk each ray square by square until a blocker or the edge. No trick and the smallest tables: the number of
# steps to the edge in each direction. The base line everything else is compared with.
#
#     . . . x . . . .      rook on d4, blockers d6 and f4:
#     . . . x . . . .      each ray ends with the first
#     . . . B . . . .      blocker, which is a target too
#     ...

include "occupancy.pxi"

cdef int[2][4] RAY_LOOP_STEPS = [[8, -8, 1, -1], [9, 7, -9, -7]]
cdef uint8_t[2][4][SQUARES] steps_to_edge


cdef inline u64 walk_rays(int piece, int square, u64 occupied) noexcept nogil:
    cdef u64 attacks = 0
    cdef u64 target
    cdef int direction, step, at, left
    for direction in range(4):
        step = RAY_LOOP_STEPS[piece][direction]
        at = square
        left = steps_to_edge[piece][direction][square]
        while left:
            at += step
            left -= 1
            target = bit(at)
            attacks |= target
            if target & occupied:
                break
    return attacks


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return walk_rays(ROOK, square, occupancy)


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return walk_rays(BISHOP, square, occupancy)


cdef int kernel_init() except -1:
    cdef int piece, direction, square, at, file, step
    for piece in range(2):
        for direction in range(4):
            step = RAY_LOOP_STEPS[piece][direction]
            for square in range(SQUARES):
                at = square
                while True:
                    file = at & 7
                    at += step
                    if at < 0 or at > 63 or abs((at & 7) - file) > 1:
                        break
                    steps_to_edge[piece][direction][square] += 1
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(steps_to_edge)

include "setwise.pxi"
