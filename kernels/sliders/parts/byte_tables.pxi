# Attack tables of two stages, for every kernel with an `Entry`, an `entry_init(entry, piece, square, mask)`
# and a `relevant_index(entry, occupied)`: a byte for each relevant occupancy numbers the square's different
# attack sets. A rook has at most 144 of them on a square, a bishop 108: 107,648 bytes, and 6,328 sets.

cdef enum:
    ATTACK_SETS = 4900 + 1428

cdef Entry[SQUARES][2] entries
cdef uint8_t[RELEVANT_OCCUPANCIES] set_numbers
cdef u64[ATTACK_SETS] attack_sets


cdef inline u64 byte_lookup(int piece, int square, u64 occupied) noexcept nogil:
    cdef const Entry* entry = &entries[square][piece]
    return entry.sets[entry.numbers[relevant_index(entry, occupied)]]


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return byte_lookup(ROOK, square, occupancy)


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return byte_lookup(BISHOP, square, occupancy)


cdef int kernel_init() except -1:
    cdef int piece, square
    cdef u64 mask, subset, attacks
    cdef size_t index, number, used = 0
    cdef uint8_t* numbers = set_numbers
    cdef u64[1 << 12] seen              # attacks by index, to find wrong indices
    for piece in range(2):
        for square in range(SQUARES):
            mask = relevant_mask(piece, square)
            entry_init(&entries[square][piece], piece, square, mask)
            entries[square][piece].numbers = numbers
            entries[square][piece].sets = &attack_sets[used]
            for index in range(<size_t>1 << popcount(mask)):
                seen[index] = 0
            number = 0
            subset = 0
            while True:
                attacks = reference_attacks(piece, square, subset)
                index = relevant_index(&entries[square][piece], subset)
                fill_entry(&seen[index], attacks, piece, square, index)
                numbers[index] = 0
                while numbers[index] < number and attack_sets[used + numbers[index]] != attacks:
                    numbers[index] += 1
                if numbers[index] == number:
                    attack_sets[used + number] = attacks
                    number += 1
                subset = next_subset(subset, mask)
                if subset == 0:
                    break
            used += number
            numbers += <size_t>1 << popcount(mask)
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(entries) + sizeof(set_numbers) + sizeof(attack_sets)

include "setwise.pxi"
