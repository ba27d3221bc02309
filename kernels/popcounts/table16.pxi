# title: table of 16 bits
# Four lookups in a table of 64 KiB, one for each quarter of the word.

cdef uint8_t[1 << 16] bit_counts


cdef void bit_counts_init() noexcept:
    cdef int i
    for i in range(1, 1 << 16):
        bit_counts[i] = bit_counts[i >> 1] + (i & 1)

# Kernels count bits while they build their tables.
bit_counts_init()


cdef inline u64 popcount(u64 bits) noexcept nogil:
    return (<u64>bit_counts[bits & 0xFFFF] + bit_counts[(bits >> 16) & 0xFFFF]
            + bit_counts[(bits >> 32) & 0xFFFF] + bit_counts[bits >> 48])
