# title: the compiler's own
# contains: popcnt from v2
#
# Becomes POPCNT from v2 up; at v1 gcc calls a table routine of its support library.

cdef extern from * nogil:
    int __builtin_popcountll(u64)


cdef inline u64 popcount(u64 bits) noexcept nogil:
    return __builtin_popcountll(bits)
