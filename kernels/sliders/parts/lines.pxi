# The four lines through a square, for kernels that treat them one by one.

cdef enum:
    LINE_RANK = 0
    LINE_FILE = 1
    LINE_DIAGONAL = 2           # parallel to a1-h8
    LINE_ANTIDIAGONAL = 3       # parallel to a8-h1
    LINES = 4

cdef int[LINES][2] LINE_STEPS = [[1, 0], [0, 1], [1, 1], [1, -1]]   # (file, rank)


cdef u64 reference_line(int kind, int square, u64 occupied) noexcept nogil:
    """The oracle's attacks along one line; without blockers the line itself, its own square left out."""
    return (ray(square, LINE_STEPS[kind][0], LINE_STEPS[kind][1], occupied, True)
            | ray(square, -LINE_STEPS[kind][0], -LINE_STEPS[kind][1], occupied, True))
