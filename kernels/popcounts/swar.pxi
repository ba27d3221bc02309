# title: SIMD within a register
# lacks: popcnt
#
# Adds neighbouring fields of 1, 2 and 4 bits, then sums the bytes by one multiplication (Wilkes, Wheeler
# and Gill, 1957). Compilers recognise the pattern and put POPCNT in its place from v2 up; the opaque value
# before the multiplication prevents that (gcc 12, clang 19).

cdef inline u64 popcount(u64 bits) noexcept nogil:
    bits -= (bits >> 1) & <u64>0x5555555555555555
    bits = (bits & <u64>0x3333333333333333) + ((bits >> 2) & <u64>0x3333333333333333)
    bits = (bits + (bits >> 4)) & <u64>0x0F0F0F0F0F0F0F0F
    DO_NOT_OPTIMIZE(bits)
    return (bits * <u64>0x0101010101010101) >> 56
