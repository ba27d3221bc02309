# The permanent oracle: attacks by walking each ray, square by square, on file and rank numbers.
# Slow and obvious. Kernels build their tables from it and are checked against it; no timed loop uses it.

cdef int[2][4][2] RAY_STEPS = [
    [[0, 1], [0, -1], [1, 0], [-1, 0]],     # rook: (file, rank) steps
    [[1, 1], [1, -1], [-1, 1], [-1, -1]],   # bishop
]


cdef bint on_board(int file, int rank) noexcept nogil:
    return 0 <= file < 8 and 0 <= rank < 8


cdef u64 ray(int square, int file_step, int rank_step, u64 occupied, bint to_edge) noexcept nogil:
    """Squares seen from `square` in one direction, up to and with the first blocker.

    Without `to_edge` the last square before the edge is left out: the relevant squares of a ray.
    """
    cdef int file = (square & 7) + file_step
    cdef int rank = (square >> 3) + rank_step
    cdef u64 seen = 0
    while on_board(file, rank) and (to_edge or on_board(file + file_step, rank + rank_step)):
        seen |= bit(8 * rank + file)
        if occupied & bit(8 * rank + file):
            break
        file += file_step
        rank += rank_step
    return seen


cdef u64 reference_attacks(int piece, int square, u64 occupied) noexcept nogil:
    """The oracle's answer for a ROOK or BISHOP. The square's own bit in `occupied` does not matter."""
    cdef u64 attacks = 0
    cdef int direction
    for direction in range(4):
        attacks |= ray(square, RAY_STEPS[piece][direction][0], RAY_STEPS[piece][direction][1], occupied, True)
    return attacks


cdef enum:
    RELEVANT_OCCUPANCIES = 102400 + 5248    # subsets of the relevant masks of rooks and bishops, all squares


cdef u64 relevant_mask(int piece, int square) noexcept nogil:
    """The squares whose occupancy can change the answer: the rays without their edge squares."""
    cdef u64 mask = 0
    cdef int direction
    for direction in range(4):
        mask |= ray(square, RAY_STEPS[piece][direction][0], RAY_STEPS[piece][direction][1], 0, False)
    return mask


cdef inline u64 next_subset(u64 subset, u64 mask) noexcept nogil:
    """The next subset of `mask` in counting order; 0 after the last (Carry-Rippler)."""
    return (subset - mask) & mask


cdef u64 reference_leaper_attacks(int square, int longer, int shorter) noexcept nogil:
    """Targets of a leaper that steps `longer` one way and `shorter` the other: knight 2, 1; king 1, 0 and 1, 1."""
    cdef u64 attacks = 0
    cdef int file, rank, file_distance, rank_distance
    for rank in range(8):
        for file in range(8):
            file_distance = abs(file - (square & 7))
            rank_distance = abs(rank - (square >> 3))
            if ((file_distance == longer and rank_distance == shorter)
                    or (file_distance == shorter and rank_distance == longer)):
                attacks |= bit(8 * rank + file)
    return attacks
