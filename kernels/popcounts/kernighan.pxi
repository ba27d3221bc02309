# title: Kernighan's loop
# Clears the lowest set bit until none is left: one pass for each bit (Wegner, 1960; Kernighan and Ritchie,
# 1988). Compilers recognise the loop and put POPCNT in its place from v2 up; the opaque value in it prevents
# that (gcc 12, clang 19).

cdef inline u64 popcount(u64 bits) noexcept nogil:
    cdef u64 count = 0
    while bits:
        bits &= bits - 1
        DO_NOT_OPTIMIZE(bits)
        count += 1
    return count
