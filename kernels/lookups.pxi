# Timed loops over attack queries, on a stream of (square, occupancy) pairs.

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


cdef enum Query:
    QUERY_ROOK
    QUERY_BISHOP
    QUERY_QUEEN


cdef inline u64 answer(Query query, int square, Occupancy occupancy) noexcept nogil:
    if query == QUERY_ROOK:
        return rook_attacks(square, occupancy)
    if query == QUERY_BISHOP:
        return bishop_attacks(square, occupancy)
    return queen_attacks(square, occupancy)


cdef struct Stream:
    const uint8_t* squares
    const Occupancy* occupancies
    Py_ssize_t length
    u64 zero            # 0, but the compiler does not know


cdef inline u64 throughput_loop(Query query, const Stream* stream, Py_ssize_t passes) noexcept nogil:
    """Independent queries: the CPU may overlap them. Each result is kept alive, none is stored."""
    cdef u64 result
    cdef Py_ssize_t i
    for _ in range(passes):
        for i in range(stream.length):
            result = answer(query, stream.squares[i], stream.occupancies[i])
            # Opaque, so the compiler cannot vectorise over queries: no move generator could.
            KEEP(result)
    return 0


cdef inline u64 latency_loop(Query query, const Stream* stream, Py_ssize_t passes) noexcept nogil:
    """Dependent queries: the square of each comes from the result before, by way of ANDing with 0."""
    cdef u64 result = 0
    cdef Py_ssize_t i
    for _ in range(passes):
        for i in range(stream.length):
            result = answer(query, stream.squares[i] ^ <int>(result & stream.zero), stream.occupancies[i])
            KEEP(result)
    return result


cdef NOINLINE_U64 rook_throughput(const Stream* stream, Py_ssize_t passes) noexcept nogil:
    return throughput_loop(QUERY_ROOK, stream, passes)


cdef NOINLINE_U64 bishop_throughput(const Stream* stream, Py_ssize_t passes) noexcept nogil:
    return throughput_loop(QUERY_BISHOP, stream, passes)


cdef NOINLINE_U64 queen_throughput(const Stream* stream, Py_ssize_t passes) noexcept nogil:
    return throughput_loop(QUERY_QUEEN, stream, passes)


cdef NOINLINE_U64 rook_latency(const Stream* stream, Py_ssize_t passes) noexcept nogil:
    return latency_loop(QUERY_ROOK, stream, passes)


cdef NOINLINE_U64 bishop_latency(const Stream* stream, Py_ssize_t passes) noexcept nogil:
    return latency_loop(QUERY_BISHOP, stream, passes)


cdef NOINLINE_U64 queen_latency(const Stream* stream, Py_ssize_t passes) noexcept nogil:
    return latency_loop(QUERY_QUEEN, stream, passes)

ctypedef u64 (*TimedLoop)(const Stream*, Py_ssize_t) noexcept nogil

cdef TimedLoop[2][3] TIMED_LOOPS = [
    [rook_throughput, bishop_throughput, queen_throughput],
    [rook_latency, bishop_latency, queen_latency],
]
