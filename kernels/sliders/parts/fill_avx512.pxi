# Kogge-Stone fill in all eight directions at once, for kernels that count the bits of a register with
# `bits_in_lanes`.


cdef inline __m512i fill_attacks(u64 orthogonal, u64 diagonal, u64 empty) noexcept nogil:
    """The squares attacked in each direction: N E S W by `orthogonal`, NE NW SW SE by `diagonal`."""
    cdef __m512i step = _mm512_setr_epi64(8, 1, 56, 63, 9, 7, 55, 57)
    cdef __m512i step_2 = _mm512_setr_epi64(16, 2, 48, 62, 18, 14, 46, 50)
    cdef __m512i step_4 = _mm512_setr_epi64(32, 4, 32, 60, 36, 28, 28, 36)
    cdef __m512i landing = _mm512_setr_epi64(
        ~RANK_1, ~FILE_A, ~RANK_8, ~FILE_H,
        ~(RANK_1 | FILE_A), ~(RANK_1 | FILE_H), ~(RANK_8 | FILE_H), ~(RANK_8 | FILE_A))
    cdef __m512i sliders = _mm512_mask_set1_epi64(_mm512_set1_epi64(orthogonal), 0xF0, diagonal)
    cdef __m512i free = _mm512_and_si512(_mm512_set1_epi64(empty), landing)
    sliders = or_and(sliders, free, _mm512_rolv_epi64(sliders, step))
    free = _mm512_and_si512(free, _mm512_rolv_epi64(free, step))
    sliders = or_and(sliders, free, _mm512_rolv_epi64(sliders, step_2))
    free = _mm512_and_si512(free, _mm512_rolv_epi64(free, step_2))
    sliders = or_and(sliders, free, _mm512_rolv_epi64(sliders, step_4))
    return _mm512_and_si512(landing, _mm512_rolv_epi64(sliders, step))


cdef inline __m512i or_and(__m512i a, __m512i b, __m512i c) noexcept nogil:
    """a | (b & c)"""
    return _mm512_ternarylogic_epi64(a, b, c, 0xF8)


cdef inline u64 attacked_by_sliders(u64 orthogonal, u64 diagonal, Occupancy occupancy) noexcept nogil:
    """All squares attacked by the sliders: `orthogonal` are rooks and queens, `diagonal` bishops and queens."""
    if not orthogonal | diagonal:
        return 0
    return _mm512_reduce_or_epi64(fill_attacks(orthogonal, diagonal, ~occupancy))


cdef inline u64 count_slider_moves(u64 orthogonal, u64 diagonal, Occupancy occupancy, u64 targets) noexcept nogil:
    """How many (slider, target) pairs there are: the sliders' moves onto `targets`."""
    if not orthogonal | diagonal:
        return 0
    return bits_in_lanes(_mm512_and_si512(
        _mm512_set1_epi64(targets), fill_attacks(orthogonal, diagonal, ~occupancy)))


cdef int kernel_init() except -1:
    return 0


cdef size_t table_bytes() noexcept:
    return 0
