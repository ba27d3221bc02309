# One-square queries by the eight-direction fill.

cdef inline u64 queen_attacks(int square, Occupancy occupancy) noexcept nogil:
    return _mm512_reduce_or_epi64(fill_attacks(bit(square), bit(square), ~occupancy))


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return _mm512_reduce_or_epi64(fill_attacks(bit(square), 0, ~occupancy))


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return _mm512_reduce_or_epi64(fill_attacks(0, bit(square), ~occupancy))
