# Attack tables indexed by the extracted relevant bits, for every kernel with a
# `bit_extract(value, mask)` and an `attack_space()` to hold the table.

cdef struct Extract:
    u64 mask
    u64* table

cdef Extract[2][SQUARES] entries


cdef inline u64 extract_lookup(int piece, int square, u64 occupied) noexcept nogil:
    cdef const Extract* entry = &entries[piece][square]
    return entry.table[bit_extract(occupied, entry.mask)]


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return extract_lookup(ROOK, square, occupancy)


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return extract_lookup(BISHOP, square, occupancy)


cdef int kernel_init() except -1:
    cdef int piece, square
    cdef u64 subset
    cdef size_t index
    cdef u64* table = attack_space()
    for piece in range(2):
        for square in range(SQUARES):
            entries[piece][square].mask = relevant_mask(piece, square)
            entries[piece][square].table = table
            subset = 0
            index = 0
            while True:
                # Counting order of the subsets is the order of their extracted bits.
                table[index] = reference_attacks(piece, square, subset)
                index += 1
                subset = next_subset(subset, entries[piece][square].mask)
                if subset == 0:
                    break
            table += index
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(entries) + ATTACK_SPACE_BYTES
