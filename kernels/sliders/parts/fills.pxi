# Queries of kernels that flood the board from all sliders at once, from their
# `fill_attacks(sliders, empty, step, landing)`: the squares attacked in one direction. `step` is the distance
# between squares, `landing` the squares a step can end on (not the file it would wrap to): both constants.
#
# A target is attacked at most once from each direction, the next slider behind being blocked by the nearer:
# summed over directions, the set-wise counts are those of the single pieces.

cdef inline u64 shifted(u64 bits, int step) noexcept nogil:
    return bits << step if step > 0 else bits >> -step


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return orthogonal_union(bit(square), ~occupancy)


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return diagonal_union(bit(square), ~occupancy)


cdef inline u64 queen_attacks(int square, Occupancy occupancy) noexcept nogil:
    return orthogonal_union(bit(square), ~occupancy) | diagonal_union(bit(square), ~occupancy)


cdef inline u64 orthogonal_union(u64 sliders, u64 empty) noexcept nogil:
    return (fill_attacks(sliders, empty, 8, ~<u64>0) | fill_attacks(sliders, empty, -8, ~<u64>0)
            | fill_attacks(sliders, empty, 1, ~FILE_A) | fill_attacks(sliders, empty, -1, ~FILE_H))


cdef inline u64 diagonal_union(u64 sliders, u64 empty) noexcept nogil:
    return (fill_attacks(sliders, empty, 9, ~FILE_A) | fill_attacks(sliders, empty, 7, ~FILE_H)
            | fill_attacks(sliders, empty, -7, ~FILE_A) | fill_attacks(sliders, empty, -9, ~FILE_H))


cdef inline u64 attacked_by_sliders(u64 orthogonal, u64 diagonal, Occupancy occupancy) noexcept nogil:
    """All squares attacked by the sliders: `orthogonal` are rooks and queens, `diagonal` bishops and queens."""
    return ((orthogonal_union(orthogonal, ~occupancy) if orthogonal else 0)
            | (diagonal_union(diagonal, ~occupancy) if diagonal else 0))


cdef inline u64 count_slider_moves(u64 orthogonal, u64 diagonal, Occupancy occupancy, u64 targets) noexcept nogil:
    """How many (slider, target) pairs there are: the sliders' moves onto `targets`."""
    cdef u64 empty = ~occupancy
    cdef u64 count = 0
    if orthogonal:
        count += (popcount(fill_attacks(orthogonal, empty, 8, ~<u64>0) & targets)
                  + popcount(fill_attacks(orthogonal, empty, -8, ~<u64>0) & targets)
                  + popcount(fill_attacks(orthogonal, empty, 1, ~FILE_A) & targets)
                  + popcount(fill_attacks(orthogonal, empty, -1, ~FILE_H) & targets))
    if diagonal:
        count += (popcount(fill_attacks(diagonal, empty, 9, ~FILE_A) & targets)
                  + popcount(fill_attacks(diagonal, empty, 7, ~FILE_H) & targets)
                  + popcount(fill_attacks(diagonal, empty, -7, ~FILE_A) & targets)
                  + popcount(fill_attacks(diagonal, empty, -9, ~FILE_H) & targets))
    return count


cdef int kernel_init() except -1:
    return 0


cdef size_t table_bytes() noexcept:
    return 0
