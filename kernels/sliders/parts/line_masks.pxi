# The four lines through each square, its own square left out: 2 KiB, half a cache line for each square.

cdef u64[SQUARES][LINES] line_masks


cdef int line_masks_init() except -1:
    cdef int kind, square
    for square in range(SQUARES):
        for kind in range(LINES):
            line_masks[square][kind] = reference_line(kind, square, 0)
    return 0
