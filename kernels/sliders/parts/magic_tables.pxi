# Fancy magics: a part of one table for each square, as large as its mask needs. For every kernel with an
# `attack_space()` to hold the table, a `mask_of(piece, square)` and a `magic_of(piece, square)`.

cdef struct Magic:
    u64 mask
    u64 magic
    u64* table
    u64 shift

cdef Magic[SQUARES][2] magics    # the other way round costs four instructions a bishop query more


cdef inline u64 magic_lookup(int piece, int square, u64 occupied) noexcept nogil:
    cdef const Magic* entry = &magics[square][piece]
    return entry.table[((occupied & entry.mask) * entry.magic) >> entry.shift]


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return magic_lookup(ROOK, square, occupancy)


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return magic_lookup(BISHOP, square, occupancy)


cdef int kernel_init() except -1:
    cdef int piece, square
    cdef u64 subset
    cdef size_t index
    cdef u64* table = attack_space()
    cdef Magic* entry
    for piece in range(2):
        for square in range(SQUARES):
            entry = &magics[square][piece]
            entry.mask = mask_of(piece, square)
            entry.magic = magic_of(piece, square)
            entry.table = table
            entry.shift = 64 - popcount(entry.mask)
            subset = 0
            while True:
                index = (subset * entry.magic) >> entry.shift
                fill_entry(&table[index], reference_attacks(piece, square, subset), piece, square, index)
                subset = next_subset(subset, entry.mask)
                if subset == 0:
                    break
            table += <size_t>1 << popcount(entry.mask)
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(magics) + ATTACK_SPACE_BYTES

include "setwise.pxi"
