# Queries about all sliders of a side, for kernels that answer for a queen at less than the price of a rook
# and a bishop: one loop for each kind of piece.

cdef inline u64 attacked_by_sliders(u64 orthogonal, u64 diagonal, Occupancy occupancy) noexcept nogil:
    """All squares attacked by the sliders: `orthogonal` are rooks and queens, `diagonal` bishops and queens."""
    cdef u64 queens = orthogonal & diagonal
    cdef u64 attacks = 0
    orthogonal ^= queens
    diagonal ^= queens
    while orthogonal:
        attacks |= rook_attacks(lsb(orthogonal), occupancy)
        orthogonal &= orthogonal - 1
    while diagonal:
        attacks |= bishop_attacks(lsb(diagonal), occupancy)
        diagonal &= diagonal - 1
    while queens:
        attacks |= queen_attacks(lsb(queens), occupancy)
        queens &= queens - 1
    return attacks


cdef inline u64 count_slider_moves(u64 orthogonal, u64 diagonal, Occupancy occupancy, u64 targets) noexcept nogil:
    """How many (slider, target) pairs there are: the sliders' moves onto `targets`."""
    cdef u64 queens = orthogonal & diagonal
    cdef u64 count = 0
    orthogonal ^= queens
    diagonal ^= queens
    while orthogonal:
        count += popcount(rook_attacks(lsb(orthogonal), occupancy) & targets)
        orthogonal &= orthogonal - 1
    while diagonal:
        count += popcount(bishop_attacks(lsb(diagonal), occupancy) & targets)
        diagonal &= diagonal - 1
    while queens:
        count += popcount(queen_attacks(lsb(queens), occupancy) & targets)
        queens &= queens - 1
    return count
