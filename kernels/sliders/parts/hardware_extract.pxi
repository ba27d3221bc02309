# Bit extraction by the BMI2 instruction.

cdef extern from "<immintrin.h>" nogil:
    u64 _pext_u64(u64 value, u64 mask)


cdef inline u64 bit_extract(u64 value, u64 mask) noexcept nogil:
    return _pext_u64(value, mask)
