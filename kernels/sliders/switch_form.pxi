# title: Switch form
# author: Daniel Inführ
# year: 2019
# source: github.com/Gigantua/Chess_Movegen (Switch)
# needs: v1
# answers: one square
#
# No tables of data: a jump to the square's own code, in which every mask is a constant. One test for each
# square of a ray beyond the first: it is attacked if nothing stands in between.
#
#     case d4:  attacks = c4 | e4 | d3 | d5
#               if not occupied & e4:            attacks |= f4
#               if not occupied & (e4 | f4):     attacks |= g4
#               ...
#
#     . . . x . . . .      a rook on d4: ten tests,
#     . . . 1 . . . .      four squares without one (1)
#     . x 1 R 1 x x .
#     . . . 1 . . . .
#
# The code of all squares is larger than an instruction cache's usual 32 KiB; it is not inlined.

include "occupancy.pxi"

cdef extern from *:
    """
    /* Targets at distance n on one ray: each step adds to the path, then tests it. */
    #define STEP(n) \\
        if (room >= (n)) { \\
            if (!(occupied & path)) attacks |= PLACE(n); \\
            path |= PLACE(n); \\
        }
    #define PLACE(n) (1ULL << ((square + (n) * step) & 63))

    static CYTHON_INLINE uint64_t tested_ray(int square, int step, int room, uint64_t occupied) {
        uint64_t attacks = 0, path = 0;
        STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)
        return attacks;
    }

    #define LESSER(a, b) ((a) < (b) ? (a) : (b))
    #define WEST (square & 7)
    #define EAST (7 - WEST)
    #define SOUTH (square >> 3)
    #define NORTH (7 - SOUTH)

    static CYTHON_INLINE uint64_t tested_rook(int square, uint64_t occupied) {
        return tested_ray(square, 8, NORTH, occupied) | tested_ray(square, -8, SOUTH, occupied)
             | tested_ray(square, 1, EAST, occupied) | tested_ray(square, -1, WEST, occupied);
    }

    static CYTHON_INLINE uint64_t tested_bishop(int square, uint64_t occupied) {
        return tested_ray(square, 9, LESSER(NORTH, EAST), occupied)
             | tested_ray(square, 7, LESSER(NORTH, WEST), occupied)
             | tested_ray(square, -7, LESSER(SOUTH, EAST), occupied)
             | tested_ray(square, -9, LESSER(SOUTH, WEST), occupied);
    }

    #define CASE(square) case square: return ANSWER(square, occupied);
    #define HALF(n) CASE(n) CASE(n + 1) CASE(n + 2) CASE(n + 3)
    #define RANK(n) HALF(n) HALF(n + 4)
    #define BOARD RANK(0) RANK(8) RANK(16) RANK(24) RANK(32) RANK(40) RANK(48) RANK(56)

    static NOINLINE_U64 switch_rook(int square, uint64_t occupied) {
    #define ANSWER tested_rook
        switch (square) { BOARD }
    #undef ANSWER
        __builtin_unreachable();
    }

    static NOINLINE_U64 switch_bishop(int square, uint64_t occupied) {
    #define ANSWER tested_bishop
        switch (square) { BOARD }
    #undef ANSWER
        __builtin_unreachable();
    }
    """
    u64 switch_rook(int square, u64 occupied) noexcept nogil
    u64 switch_bishop(int square, u64 occupied) noexcept nogil


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return switch_rook(square, occupancy)


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return switch_bishop(square, occupancy)


cdef int kernel_init() except -1:
    return 0


cdef size_t table_bytes() noexcept:
    return 0

include "setwise.pxi"
