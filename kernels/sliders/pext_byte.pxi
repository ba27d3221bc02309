# title: PEXT bitboards with byte lookup
# author: unknown
# year: unknown
# source: https://www.chessprogramming.org/Magic_Bitboards#Byte_Lookup, with PEXT as the index
# needs: v3
# answers: one square
# contains: pext
#
# PEXT bitboards whose large table holds bytes: the number of the attack set among those of the square. An
# eighth of the memory, for one more load:
#
#     attacks = sets[numbers[pext(occupied, mask)]]
#
#     . . . x . . . .      a rook on d4: 1,024 relevant occupancies (x),
#     . . . x . . . .      but only 3 * 4 * 3 * 4 = 144 places of its four
#     . x x R x x x .      nearest blockers
#     . . . x . . . .

include "occupancy.pxi"
include "relevant.pxi"
include "hardware_extract.pxi"

cdef struct Entry:
    u64 mask
    const uint8_t* numbers
    const u64* sets


cdef inline size_t relevant_index(const Entry* entry, u64 occupied) noexcept nogil:
    return bit_extract(occupied, entry.mask)


cdef void entry_init(Entry* entry, int piece, int square, u64 mask) noexcept:
    entry.mask = mask

include "byte_tables.pxi"
