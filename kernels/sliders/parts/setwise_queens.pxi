# Queries about all sliders of a side, for kernels that answer for a queen at less than the price of a rook
# and a bishop: one loop for each kind of piece.

cdef inline u64 attacks_union(u64 straight, u64 diagonal, Occupancy occupancy) noexcept nogil:
    """All squares attacked by the sliders: `straight` are rooks and queens, `diagonal` bishops and queens."""
    cdef u64 queens = straight & diagonal
    cdef u64 attacks = 0
    straight ^= queens
    diagonal ^= queens
    while straight:
        attacks |= rook_attacks(first_square(straight), occupancy)
        straight &= straight - 1
    while diagonal:
        attacks |= bishop_attacks(first_square(diagonal), occupancy)
        diagonal &= diagonal - 1
    while queens:
        attacks |= queen_attacks(first_square(queens), occupancy)
        queens &= queens - 1
    return attacks


cdef inline u64 targets_count(u64 straight, u64 diagonal, Occupancy occupancy, u64 targets) noexcept nogil:
    """How many (slider, target) pairs there are: the sliders' moves onto `targets`."""
    cdef u64 queens = straight & diagonal
    cdef u64 count = 0
    straight ^= queens
    diagonal ^= queens
    while straight:
        count += popcount(rook_attacks(first_square(straight), occupancy) & targets)
        straight &= straight - 1
    while diagonal:
        count += popcount(bishop_attacks(first_square(diagonal), occupancy) & targets)
        diagonal &= diagonal - 1
    while queens:
        count += popcount(queen_attacks(first_square(queens), occupancy) & targets)
        queens &= queens - 1
    return count
