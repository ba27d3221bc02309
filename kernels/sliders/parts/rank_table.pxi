# Attacks along a rank by its six inner squares, for kernels whose arithmetic covers the other lines only.

cdef uint8_t[8][64] first_rank      # by file and occupancy of b1 to g1: 512 bytes


cdef inline u64 rank_attacks(int square, u64 occupied) noexcept nogil:
    cdef int rank_shift = square & 56
    return <u64>first_rank[square & 7][(occupied >> (rank_shift + 1)) & 63] << rank_shift


cdef void rank_table_init() noexcept:
    cdef int file
    cdef u64 inner
    for file in range(8):
        for inner in range(64):
            first_rank[file][inner] = ray(file, 1, 0, inner << 1, True) | ray(file, -1, 0, inner << 1, True)
