# Kogge-Stone fill of four directions in each of two registers, and the set-wise queries by it.

cdef struct Fill:
    __m256i up
    __m256i down


cdef inline Fill fill_attacks(u64 orthogonal, u64 diagonal, u64 empty) noexcept nogil:
    """The squares attacked in each direction."""
    cdef __m256i up_landing = _mm256_setr_epi64x(~<u64>0, ~FILE_A, ~FILE_A, ~FILE_H)
    cdef __m256i down_landing = _mm256_setr_epi64x(~<u64>0, ~FILE_H, ~FILE_H, ~FILE_A)
    cdef __m256i step = _mm256_setr_epi64x(8, 1, 9, 7)
    cdef __m256i step_2 = _mm256_setr_epi64x(16, 2, 18, 14)
    cdef __m256i step_4 = _mm256_setr_epi64x(32, 4, 36, 28)
    cdef __m256i up = _mm256_blend_epi32(_mm256_set1_epi64x(orthogonal), _mm256_set1_epi64x(diagonal), 0xF0)
    cdef __m256i down = up
    cdef __m256i up_free = _mm256_and_si256(up_landing, _mm256_set1_epi64x(empty))
    cdef __m256i down_free = _mm256_and_si256(down_landing, _mm256_set1_epi64x(empty))
    cdef Fill attacks
    up = or_and(up, up_free, _mm256_sllv_epi64(up, step))
    down = or_and(down, down_free, _mm256_srlv_epi64(down, step))
    up_free = _mm256_and_si256(up_free, _mm256_sllv_epi64(up_free, step))
    down_free = _mm256_and_si256(down_free, _mm256_srlv_epi64(down_free, step))
    up = or_and(up, up_free, _mm256_sllv_epi64(up, step_2))
    down = or_and(down, down_free, _mm256_srlv_epi64(down, step_2))
    up_free = _mm256_and_si256(up_free, _mm256_sllv_epi64(up_free, step_2))
    down_free = _mm256_and_si256(down_free, _mm256_srlv_epi64(down_free, step_2))
    up = or_and(up, up_free, _mm256_sllv_epi64(up, step_4))
    down = or_and(down, down_free, _mm256_srlv_epi64(down, step_4))
    attacks.up = _mm256_and_si256(up_landing, _mm256_sllv_epi64(up, step))
    attacks.down = _mm256_and_si256(down_landing, _mm256_srlv_epi64(down, step))
    return attacks


cdef inline __m256i or_and(__m256i a, __m256i b, __m256i c) noexcept nogil:
    """a | (b & c)"""
    return _mm256_or_si256(a, _mm256_and_si256(b, c))


cdef inline u64 fill_union(u64 orthogonal, u64 diagonal, u64 empty) noexcept nogil:
    cdef Fill attacks = fill_attacks(orthogonal, diagonal, empty)
    return lanes_or(_mm256_or_si256(attacks.up, attacks.down))


cdef inline u64 attacked_by_sliders(u64 orthogonal, u64 diagonal, Occupancy occupancy) noexcept nogil:
    """All squares attacked by the sliders: `orthogonal` are rooks and queens, `diagonal` bishops and queens."""
    return fill_union(orthogonal, diagonal, ~occupancy) if orthogonal | diagonal else 0


cdef inline __m256i byte_counts(__m256i bits) noexcept nogil:
    """Bits set in each byte: a table of 16 by VPSHUFB, for both halves."""
    cdef __m256i low = _mm256_set1_epi8(15)
    cdef __m256i counts = _mm256_setr_epi64x(
        <u64>0x0302020102010100, <u64>0x0403030203020201, <u64>0x0302020102010100, <u64>0x0403030203020201)
    return _mm256_add_epi8(
        _mm256_shuffle_epi8(counts, _mm256_and_si256(bits, low)),
        _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi64(bits, 4), low)))


cdef inline u64 count_slider_moves(u64 orthogonal, u64 diagonal, Occupancy occupancy, u64 targets) noexcept nogil:
    """How many (slider, target) pairs there are: the sliders' moves onto `targets`."""
    if not orthogonal | diagonal:
        return 0
    cdef Fill attacks = fill_attacks(orthogonal, diagonal, ~occupancy)
    cdef __m256i wanted = _mm256_set1_epi64x(targets)
    cdef __m256i counts = _mm256_add_epi8(
        byte_counts(_mm256_and_si256(attacks.up, wanted)),
        byte_counts(_mm256_and_si256(attacks.down, wanted)))
    return lanes_sum(_mm256_sad_epu8(counts, _mm256_setzero_si256()))
