# Six inner squares of a line as a number, by one multiplication (Gerd Isenberg's kindergarten method).
#
# The squares of a diagonal lie on different files: multiplied by the b-file, copies of all eight ranks add up
# without carry in the top byte. A file, moved to the a-file, is turned onto a rank by the diagonal c2-h7.

cdef inline u64 rank_index(int square, u64 occupied) noexcept nogil:
    return (occupied >> ((square & 56) + 1)) & 63


cdef inline u64 file_index(int square, u64 occupied) noexcept nogil:
    return (((occupied >> (square & 7)) & FILE_A) * <u64>0x0080402010080400) >> 58


cdef inline u64 diagonal_index(u64 diagonal) noexcept nogil:
    """Of the occupied squares on a diagonal or antidiagonal."""
    return (diagonal * (FILE_A << 1)) >> 58
