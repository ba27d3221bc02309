# The reverse bit scan, for kernels that look for blockers below the slider.

cdef inline int msb(u64 bits) noexcept nogil:
    """The index of the most significant bit, the highest square; the bitboard may not be empty."""
    return 63 ^ __builtin_clzll(bits)
