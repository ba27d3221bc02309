# Timed loops over attack queries, on a stream of (square, occupancy) pairs.

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


cdef inline u64 throughput_loop(Query query, const Stream* stream, Py_ssize_t iterations) noexcept nogil:
    """Independent queries: the CPU may overlap them. Each result is kept alive, none is stored."""
    cdef u64 result
    cdef Py_ssize_t i
    for _ in range(iterations):
        for i in range(stream.length):
            result = answer(query, stream.squares[i], stream.occupancies[i])
            # Opaque, so the compiler cannot vectorise over queries: no move generator could.
            DO_NOT_OPTIMIZE(result)
    return 0


cdef inline u64 latency_loop(Query query, const Stream* stream, Py_ssize_t iterations) noexcept nogil:
    """Dependent queries: the square of each comes from the result before, by way of ANDing with 0."""
    cdef u64 result = 0
    cdef Py_ssize_t i
    for _ in range(iterations):
        for i in range(stream.length):
            result = answer(query, stream.squares[i] ^ <int>(result & stream.zero), stream.occupancies[i])
            DO_NOT_OPTIMIZE(result)
    return result


cdef NOINLINE_U64 rook_throughput(const Stream* stream, Py_ssize_t iterations) noexcept nogil:
    return throughput_loop(QUERY_ROOK, stream, iterations)


cdef NOINLINE_U64 bishop_throughput(const Stream* stream, Py_ssize_t iterations) noexcept nogil:
    return throughput_loop(QUERY_BISHOP, stream, iterations)


cdef NOINLINE_U64 queen_throughput(const Stream* stream, Py_ssize_t iterations) noexcept nogil:
    return throughput_loop(QUERY_QUEEN, stream, iterations)


cdef NOINLINE_U64 rook_latency(const Stream* stream, Py_ssize_t iterations) noexcept nogil:
    return latency_loop(QUERY_ROOK, stream, iterations)


cdef NOINLINE_U64 bishop_latency(const Stream* stream, Py_ssize_t iterations) noexcept nogil:
    return latency_loop(QUERY_BISHOP, stream, iterations)


cdef NOINLINE_U64 queen_latency(const Stream* stream, Py_ssize_t iterations) noexcept nogil:
    return latency_loop(QUERY_QUEEN, stream, iterations)

cdef enum:
    LINES_PER_QUERY = 4             # lines of other data read for each query, as an evaluation would between two
    COLD_BATCH = 256        # queries between two evictions
    LINE_BYTES = 64


cdef inline void read_working_set(const uint8_t* data, u64 line_mask, u64 first) noexcept nogil:
    """Read LINES_PER_QUERY lines, each found from its number alone: reading one does not wait for another."""
    cdef u64 place, seen
    cdef int i
    for i in range(LINES_PER_QUERY):
        place = (first + <u64>i) * <u64>0x9E3779B97F4A7C15
        place = (place ^ (place >> 32)) * <u64>0xD6E8FEB86659FD93
        seen = data[((place >> 32) & line_mask) * LINE_BYTES]
        DO_NOT_OPTIMIZE(seen)


cdef NOINLINE_U64 working_set_alone(const Stream* stream, Py_ssize_t iterations, const uint8_t* data,
                                    u64 line_mask) noexcept nogil:
    """What the touches cost without the queries."""
    cdef u64 touched = 0
    for _ in range(iterations * stream.length):
        read_working_set(data, line_mask, touched)
        touched += LINES_PER_QUERY
    return touched


cdef NOINLINE_U64 queen_with_working_set(const Stream* stream, Py_ssize_t iterations, const uint8_t* data,
                                         u64 line_mask) noexcept nogil:
    """Independent queen queries, other data touched before each."""
    cdef u64 touched = 0
    cdef u64 result
    cdef Py_ssize_t i
    for _ in range(iterations):
        for i in range(stream.length):
            read_working_set(data, line_mask, touched)
            touched += LINES_PER_QUERY
            result = answer(QUERY_QUEEN, stream.squares[i], stream.occupancies[i])
            DO_NOT_OPTIMIZE(result)
    return touched


cdef NOINLINE_U64 queen_batch(const Stream* stream, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    cdef u64 result
    cdef Py_ssize_t i
    for i in range(start, end):
        result = answer(QUERY_QUEEN, stream.squares[i], stream.occupancies[i])
        DO_NOT_OPTIMIZE(result)
    return 0


cdef void read_lines(const uint8_t* data, Py_ssize_t data_bytes) noexcept nogil:
    """Bring data into the caches, and so evict what was there."""
    cdef Py_ssize_t line
    cdef u64 seen
    for line in range((data_bytes + LINE_BYTES - 1) // LINE_BYTES):
        seen = data[line * LINE_BYTES]
        DO_NOT_OPTIMIZE(seen)


cdef int64_t cold_queen_nanoseconds(const Stream* stream, Py_ssize_t iterations, const uint8_t* data,
                                    Py_ssize_t data_bytes) noexcept nogil:
    """Time of queen queries whose tables have just been evicted; the eviction is not in it.

    Wall clock, which costs 25 ns a reading where thread CPU time costs 430: a batch lasts a microsecond or less.
    """
    cdef int64_t elapsed = 0, begin
    cdef Py_ssize_t start, end
    for _ in range(iterations):
        start = 0
        while start < stream.length:
            end = min(start + COLD_BATCH, stream.length)
            read_lines(data, data_bytes)
            # The questions themselves are at hand, as they would be in a move generator.
            read_lines(&stream.squares[start], end - start)
            read_lines(<const uint8_t*>&stream.occupancies[start], (end - start) * sizeof(Occupancy))
            begin = clock_nanoseconds(CLOCK_MONOTONIC)
            queen_batch(stream, start, end)
            elapsed += clock_nanoseconds(CLOCK_MONOTONIC) - begin
            start = end
    return elapsed


ctypedef u64 (*TimedLoop)(const Stream*, Py_ssize_t) noexcept nogil

cdef TimedLoop[2][3] TIMED_LOOPS = [
    [rook_throughput, bishop_throughput, queen_throughput],
    [rook_latency, bishop_latency, queen_latency],
]
