# cython: language_level=3
"""How fast the core's clock runs at the moment, seen from a chain of dependent additions: one cycle each."""

from libc.stdint cimport int64_t, uint64_t

cdef extern from "inline.h" nogil:
    void DO_NOT_OPTIMIZE(uint64_t value)

include "clock_reading.pxi"


cdef inline uint64_t add_once(uint64_t total, uint64_t one) noexcept nogil:
    total += one
    DO_NOT_OPTIMIZE(total)     # opaque, or the compiler would add all at once
    return total


cdef inline uint64_t add_four_times(uint64_t total, uint64_t one) noexcept nogil:
    return add_once(add_once(add_once(add_once(total, one), one), one), one)


def add_chain_nanoseconds(Py_ssize_t additions):
    """Thread CPU nanoseconds of `additions` dependent additions (a multiple of 8 is run)."""
    cdef uint64_t total = 0
    cdef uint64_t one = 1
    cdef int64_t elapsed
    # From a register: some CPUs fold additions of a constant away before they execute.
    DO_NOT_OPTIMIZE(one)
    with nogil:
        elapsed = clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        for _ in range(additions // 8):
            total = add_four_times(add_four_times(total, one), one)
        elapsed = clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - elapsed
    return elapsed
