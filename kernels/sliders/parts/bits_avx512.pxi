# Popcount of a whole register without VPOPCNTQ, which v4 does not include.

cdef inline u64 bits_in_lanes(__m512i bits) noexcept nogil:
    """How many bits are set in the register: a table of 16 by VPSHUFB, for both halves of each byte."""
    cdef __m512i low = _mm512_set1_epi8(15)
    cdef __m512i counts = _mm512_set4_epi32(0x04030302, 0x03020201, 0x03020201, 0x02010100)
    cdef __m512i sums = _mm512_add_epi8(
        _mm512_shuffle_epi8(counts, _mm512_and_si512(bits, low)),
        _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi64(bits, 4), low)))
    return _mm512_reduce_add_epi64(_mm512_sad_epu8(sums, _mm512_setzero_si512()))
