# Reproducible random numbers.

cdef inline u64 next_random(u64* state) noexcept nogil:
    """SplitMix64 (Steele, Lea and Flood, 2014)."""
    cdef u64 z
    state[0] += <u64>0x9E3779B97F4A7C15
    z = state[0]
    z = (z ^ (z >> 30)) * <u64>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <u64>0x94D049BB133111EB
    return z ^ (z >> 31)
