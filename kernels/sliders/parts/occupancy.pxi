# The occupancy of every kernel that needs no more than the plain bitboard (all but the rotated one).

ctypedef u64 Occupancy


cdef inline Occupancy occupancy_of(u64 occupied) noexcept nogil:
    """The kernel's own form of an occupied set."""
    return occupied


cdef inline u64 occupancy_bits(Occupancy occupancy) noexcept nogil:
    """The occupied set as a plain bitboard."""
    return occupancy


cdef inline Occupancy occupancy_flip(Occupancy occupancy, int square, u64 square_bit) noexcept nogil:
    """The occupancy with one square filled or emptied; `square_bit` is bit(square)."""
    return occupancy ^ square_bit
