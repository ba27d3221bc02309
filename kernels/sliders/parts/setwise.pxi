# Queries about all sliders of a side, for kernels that answer one square at a time.

cdef inline u64 queen_attacks(int square, Occupancy occupancy) noexcept nogil:
    """Rook and bishop attacks from one square."""
    return rook_attacks(square, occupancy) | bishop_attacks(square, occupancy)


cdef inline u64 attacks_union(u64 straight, u64 diagonal, Occupancy occupancy) noexcept nogil:
    """All squares attacked by the sliders: `straight` are rooks and queens, `diagonal` bishops and queens."""
    cdef u64 attacks = 0
    while straight:
        attacks |= rook_attacks(first_square(straight), occupancy)
        straight &= straight - 1
    while diagonal:
        attacks |= bishop_attacks(first_square(diagonal), occupancy)
        diagonal &= diagonal - 1
    return attacks


cdef inline u64 targets_count(u64 straight, u64 diagonal, Occupancy occupancy, u64 targets) noexcept nogil:
    """How many (slider, target) pairs there are: the sliders' moves onto `targets`."""
    cdef u64 count = 0
    while straight:
        count += popcount(rook_attacks(first_square(straight), occupancy) & targets)
        straight &= straight - 1
    while diagonal:
        count += popcount(bishop_attacks(first_square(diagonal), occupancy) & targets)
        diagonal &= diagonal - 1
    return count
