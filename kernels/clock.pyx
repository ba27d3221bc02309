# cython: language_level=3
"""How fast the core's clock runs at the moment, seen from a chain of dependent additions: one cycle each."""

from libc.stdint cimport int64_t, uint64_t

cdef extern from "inline.h" nogil:
    void KEEP(uint64_t value)

cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int clock, timespec* now)
    int CLOCK_THREAD_CPUTIME_ID


cdef int64_t thread_nanoseconds() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return now.tv_sec * <int64_t>1000000000 + now.tv_nsec


def add_chain_nanoseconds(Py_ssize_t additions):
    """Thread CPU nanoseconds of `additions` dependent additions (a multiple of 8 is run)."""
    cdef uint64_t total = 0
    cdef uint64_t one = 1
    cdef Py_ssize_t i
    cdef int64_t elapsed
    # From a register: some CPUs fold additions of a constant away before they execute.
    KEEP(one)
    with nogil:
        elapsed = thread_nanoseconds()
        for i in range(additions // 8):
            # Opaque after each, or the compiler would add 8 at once.
            total += one
            KEEP(total)
            total += one
            KEEP(total)
            total += one
            KEEP(total)
            total += one
            KEEP(total)
            total += one
            KEEP(total)
            total += one
            KEEP(total)
            total += one
            KEEP(total)
            total += one
            KEEP(total)
        elapsed = thread_nanoseconds() - elapsed
    return elapsed
