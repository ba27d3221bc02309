# Queries of kernels that answer for one line, from their `line_attacks(kind, square, occupied)`.

cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return line_attacks(LINE_RANK, square, occupancy) | line_attacks(LINE_FILE, square, occupancy)


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return line_attacks(LINE_DIAGONAL, square, occupancy) | line_attacks(LINE_ANTIDIAGONAL, square, occupancy)

include "setwise.pxi"
