# title: Magic bitboards with byte lookup
# author: Robert Houdart (proposal), after Pradyumna Kannan
# year: 2010
# source: https://www.chessprogramming.org/Magic_Bitboards#Byte_Lookup
# needs: v1
# answers: one square
# contains: imul
#
# Fancy magics whose large table holds bytes: the number of the attack set among those of the square. An
# eighth of the memory, for one more load:
#
#     attacks = sets[numbers[((occupied & mask) * magic) >> shift]]
#
#     . . . . . . . .      a bishop on a1 has seven attack sets, one for
#     . . . . . . 7 .      each place of its nearest blocker, but
#     . . . . . 6 . .      64 relevant occupancies
#     . . . . 5 . . .
#     . . . 4 . . . .
#     . . 3 . . . . .
#     . 2 . . . . . .
#     B . . . . . . .

include "occupancy.pxi"
include "relevant.pxi"
include "magics.pxi"

cdef struct Entry:
    u64 mask
    u64 magic
    const uint8_t* numbers
    const u64* sets
    u64 shift


cdef inline size_t relevant_index(const Entry* entry, u64 occupied) noexcept nogil:
    return ((occupied & entry.mask) * entry.magic) >> entry.shift


cdef void entry_init(Entry* entry, int piece, int square, u64 mask) noexcept:
    entry.mask = mask
    entry.magic = MAGICS[piece][square]
    entry.shift = 64 - popcount(mask)

include "byte_tables.pxi"
