# AVX2 intrinsics, by their C names.

cdef extern from "<immintrin.h>" nogil:
    ctypedef struct __m128i:
        pass
    ctypedef struct __m256i:
        pass
    __m256i _mm256_loadu_si256(const __m256i*)
    __m256i _mm256_set1_epi8(char)
    __m256i _mm256_set1_epi64x(u64)
    __m256i _mm256_set_epi8(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
                            int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int)
    __m256i _mm256_setr_epi64x(u64, u64, u64, u64)
    __m256i _mm256_setzero_si256()
    __m256i _mm256_and_si256(__m256i, __m256i)
    __m256i _mm256_or_si256(__m256i, __m256i)
    __m256i _mm256_xor_si256(__m256i, __m256i)
    __m256i _mm256_add_epi8(__m256i, __m256i)
    __m256i _mm256_add_epi64(__m256i, __m256i)
    __m256i _mm256_sub_epi64(__m256i, __m256i)
    __m256i _mm256_sllv_epi64(__m256i, __m256i)
    __m256i _mm256_srlv_epi64(__m256i, __m256i)
    __m256i _mm256_srli_epi64(__m256i, int)
    __m256i _mm256_shuffle_epi8(__m256i, __m256i)
    __m256i _mm256_blend_epi32(__m256i, __m256i, int)
    __m256i _mm256_sad_epu8(__m256i, __m256i)
    __m128i _mm256_castsi256_si128(__m256i)
    __m128i _mm256_extracti128_si256(__m256i, int)
    __m128i _mm_or_si128(__m128i, __m128i)
    __m128i _mm_add_epi64(__m128i, __m128i)
    __m128i _mm_unpackhi_epi64(__m128i, __m128i)
    u64 _mm_cvtsi128_si64(__m128i)
    u64 _mm_extract_epi64(__m128i, int)


cdef inline u64 lanes_or(__m256i bits) noexcept nogil:
    """The union of the four lanes."""
    cdef __m128i half = _mm_or_si128(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1))
    return _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half)))


cdef inline u64 lanes_sum(__m256i numbers) noexcept nogil:
    """The sum of the four lanes."""
    cdef __m128i half = _mm_add_epi64(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1))
    return _mm_cvtsi128_si64(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half)))
