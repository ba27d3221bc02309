# AVX-512 intrinsics, by their C names.

cdef extern from "<immintrin.h>" nogil:
    ctypedef struct __m256i:
        pass
    ctypedef struct __m512i:
        pass
    __m512i _mm512_set1_epi8(char)
    __m512i _mm512_set1_epi64(u64)
    __m512i _mm512_setr_epi64(u64, u64, u64, u64, u64, u64, u64, u64)
    __m512i _mm512_mask_set1_epi64(__m512i, int, u64)
    __m512i _mm512_and_si512(__m512i, __m512i)
    __m512i _mm512_ternarylogic_epi64(__m512i, __m512i, __m512i, int)
    __m512i _mm512_rolv_epi64(__m512i, __m512i)
    __m512i _mm512_add_epi8(__m512i, __m512i)
    __m512i _mm512_srli_epi64(__m512i, unsigned int)
    __m512i _mm512_shuffle_epi8(__m512i, __m512i)
    __m512i _mm512_sad_epu8(__m512i, __m512i)
    __m512i _mm512_setzero_si512()
    __m512i _mm512_set4_epi32(int, int, int, int)
    __m512i _mm512_popcnt_epi64(__m512i)
    u64 _mm512_reduce_or_epi64(__m512i)
    u64 _mm512_reduce_add_epi64(__m512i)
