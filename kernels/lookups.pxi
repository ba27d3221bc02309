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

cdef enum:
    TOUCHES = 4             # lines of other data read for each query, as an evaluation would between two
    COLD_BATCH = 256        # queries between two evictions
    LINE_BYTES = 64


cdef inline u64 touch_lines(const uint8_t* data, u64 line_mask, u64 state) noexcept nogil:
    """Read TOUCHES pseudo-random lines; returns the generator's next state (Knuth's 64-bit multiplier)."""
    cdef u64 seen
    for _ in range(TOUCHES):
        state = state * <u64>6364136223846793005 + <u64>1442695040888963407
        seen = data[((state >> 32) & line_mask) * LINE_BYTES]
        KEEP(seen)
    return state


cdef NOINLINE_U64 touches_alone(const Stream* stream, Py_ssize_t passes, const uint8_t* data, u64 line_mask) noexcept nogil:
    """What the touches cost without the queries."""
    cdef u64 state = 1
    for _ in range(passes * stream.length):
        state = touch_lines(data, line_mask, state)
    return state


cdef NOINLINE_U64 queen_beside(const Stream* stream, Py_ssize_t passes, const uint8_t* data, u64 line_mask) noexcept nogil:
    """Independent queen queries, other data touched before each."""
    cdef u64 state = 1
    cdef u64 result
    cdef Py_ssize_t i
    for _ in range(passes):
        for i in range(stream.length):
            state = touch_lines(data, line_mask, state)
            result = answer(QUERY_QUEEN, stream.squares[i], stream.occupancies[i])
            KEEP(result)
    return state


cdef NOINLINE_U64 queen_batch(const Stream* stream, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    cdef u64 result
    cdef Py_ssize_t i
    for i in range(start, end):
        result = answer(QUERY_QUEEN, stream.squares[i], stream.occupancies[i])
        KEEP(result)
    return 0


cdef int64_t cold_queen_nanoseconds(const Stream* stream, Py_ssize_t passes, const uint8_t* data,
                                    Py_ssize_t data_bytes) noexcept nogil:
    """Time of queen queries whose tables have just been evicted; the eviction is not in it.

    Wall clock, which costs 25 ns a reading where thread CPU time costs 430: a batch lasts a few microseconds.
    """
    cdef int64_t elapsed = 0, begin
    cdef Py_ssize_t start, i
    cdef u64 seen
    for _ in range(passes):
        start = 0
        while start < stream.length:
            for i in range(data_bytes // LINE_BYTES):
                seen = data[i * LINE_BYTES]
                KEEP(seen)
            begin = clock_nanoseconds(CLOCK_MONOTONIC)
            queen_batch(stream, start, min(start + COLD_BATCH, stream.length))
            elapsed += clock_nanoseconds(CLOCK_MONOTONIC) - begin
            start += COLD_BATCH
    return elapsed


ctypedef u64 (*TimedLoop)(const Stream*, Py_ssize_t) noexcept nogil

cdef TimedLoop[2][3] TIMED_LOOPS = [
    [rook_throughput, bishop_throughput, queen_throughput],
    [rook_latency, bishop_latency, queen_latency],
]
