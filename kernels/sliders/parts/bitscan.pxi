# The reverse bit scan, for kernels that look for blockers below the slider.

cdef inline int last_square(u64 bits) noexcept nogil:
    """The highest square of a non-empty bitboard."""
    return 63 ^ __builtin_clzll(bits)
