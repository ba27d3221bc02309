# Reading a clock, for whatever times code with the GIL released.

cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int clock, timespec* now)
    int CLOCK_THREAD_CPUTIME_ID
    int CLOCK_MONOTONIC


cdef inline int64_t clock_nanoseconds(int clock) noexcept nogil:
    cdef timespec now
    clock_gettime(clock, &now)
    return now.tv_sec * <int64_t>1000000000 + now.tv_nsec
