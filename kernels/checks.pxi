# Equivalence of the kernel with the ray walk: the first query on which they differ, if any.

cdef struct Mismatch:
    const char* query
    int square
    u64 occupied
    u64 expected
    u64 got


cdef bint differs(Mismatch* found, const char* query, int square, u64 occupied, u64 expected, u64 got) noexcept nogil:
    found.query = query
    found.square = square
    found.occupied = occupied
    found.expected = expected
    found.got = got
    return expected != got


cdef bint square_differs(Mismatch* found, int square, u64 occupied) noexcept nogil:
    """Whether a one-square query is wrong, asked with and without the piece's own square occupied."""
    cdef u64 rook = reference_attacks(ROOK, square, occupied)
    cdef u64 bishop = reference_attacks(BISHOP, square, occupied)
    cdef Occupancy occupancy
    cdef int own
    for own in range(2):
        occupied ^= bit(square)
        occupancy = occupancy_of(occupied)
        if (differs(found, b"rook", square, occupied, rook, rook_attacks(square, occupancy))
                or differs(found, b"bishop", square, occupied, bishop, bishop_attacks(square, occupancy))
                or differs(found, b"queen", square, occupied, rook | bishop, queen_attacks(square, occupancy))):
            return True
    return False


cdef bint relevant_differs(Mismatch* found) noexcept nogil:
    """Check all 107,648 occupancies of the relevant masks."""
    cdef int piece, square
    cdef u64 mask, subset
    for piece in range(2):
        for square in range(SQUARES):
            mask = relevant_mask(piece, square)
            subset = 0
            while True:
                if square_differs(found, square, subset):
                    return True
                subset = next_subset(subset, mask)
                if subset == 0:
                    break
    return False


cdef u64 random_board(u64* state) noexcept nogil:
    """Full-board occupancies of all densities, a quarter of them sparse and a quarter dense."""
    cdef u64 first = next_random(state)
    cdef u64 second = next_random(state)
    cdef int kind = next_random(state) & 3
    if kind == 0:
        return first & second
    if kind == 1:
        return first | second
    if kind == 2:
        return first & second & next_random(state)
    return first


cdef bint sets_differ(Mismatch* found, u64 orthogonal, u64 diagonal, u64 occupied, u64 targets) noexcept nogil:
    """Whether a set-wise query differs from the sum over the single squares; `square` is then -1."""
    cdef Occupancy occupancy = occupancy_of(occupied)
    cdef u64 union_expected = 0
    cdef u64 count_expected = 0
    cdef u64 attacks
    cdef int piece, square
    for piece in range(2):
        for square in range(SQUARES):
            if (diagonal if piece == BISHOP else orthogonal) & bit(square):
                attacks = reference_attacks(piece, square, occupied)
                union_expected |= attacks
                attacks &= targets
                while attacks:
                    count_expected += 1
                    attacks &= attacks - 1
    return (differs(found, b"attacked_by_sliders", -1, occupied, union_expected,
                    attacked_by_sliders(orthogonal, diagonal, occupancy))
            or differs(found, b"count_slider_moves", -1, occupied, count_expected,
                       count_slider_moves(orthogonal, diagonal, occupancy, targets)))


cdef bint random_differs(Mismatch* found, u64 seed, Py_ssize_t boards) noexcept nogil:
    """Check all squares, and three slider sets, on `boards` random full-board occupancies."""
    cdef u64 state = seed
    cdef u64 occupied, sliders, targets
    cdef Py_ssize_t i
    cdef int square
    for i in range(boards):
        occupied = random_board(&state)
        targets = next_random(&state)
        for square in range(SQUARES):
            if square_differs(found, square, occupied):
                return True
        # No sliders, a usual handful, and more than a game ever sees.
        sliders = occupied & next_random(&state)
        if (sets_differ(found, 0, 0, occupied, targets)
                or sets_differ(found, sliders & next_random(&state) & next_random(&state),
                               sliders & next_random(&state) & next_random(&state), occupied, targets)
                or sets_differ(found, sliders, sliders, occupied, targets)):
            return True
    return False
