# title: Black magic bitboards
# author: unknown
# year: unknown
# source: https://www.chessprogramming.org/Magic_Bitboards#Black_Magic_Bitboards
# needs: v1
# answers: one square
# contains: imul
#
# Magics whose key has the squares off the mask set instead of cleared. With one shift for all rooks and one
# for all bishops there is none to load; the parts of all squares share one table, and overlap if they can:
#
#     attacks = table[offset + (((occupied | ~mask) * magic) >> 52)]       bishop: 55
#
#     1 1 1 1 1 1 1 1      key of a rook on d4: its ten relevant squares
#     1 1 1 . 1 1 1 1      as they are (.), all others set
#     1 1 1 . 1 1 1 1
#     1 . . 1 . . . 1
#     1 1 1 . 1 1 1 1
#     ...
#
# The indices of a square lie anywhere in the 4,096 (or 512) of its shift. How much the parts overlap is a
# matter of search: here they need 108,955 entries, about as many as fancy magics.

include "occupancy.pxi"
include "relevant.pxi"
include "black_magics.pxi"

cdef enum:
    ROOK_SHIFT = 64 - 12
    BISHOP_SHIFT = 64 - 9

cdef struct Magic:
    u64 neg_mask            # the squares off the mask
    u64 magic
    u64* table

cdef Magic[SQUARES][2] entries
cdef u64[BLACK_ENTRIES] attack_table


cdef inline size_t magic_index(int piece, int square, u64 occupied) noexcept nogil:
    cdef const Magic* entry = &entries[square][piece]
    return ((occupied | entry.neg_mask) * entry.magic) >> (BISHOP_SHIFT if piece == BISHOP else ROOK_SHIFT)


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return entries[square][ROOK].table[magic_index(ROOK, square, occupancy)]


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return entries[square][BISHOP].table[magic_index(BISHOP, square, occupancy)]


cdef int kernel_init() except -1:
    cdef int piece, square
    cdef u64 subset
    cdef Py_ssize_t place
    for piece in range(2):
        for square in range(SQUARES):
            entries[square][piece].neg_mask = ~relevant_mask(piece, square)
            entries[square][piece].magic = BLACK_MAGICS[piece][square]
            entries[square][piece].table = attack_table + BLACK_OFFSETS[piece][square]
            subset = 0
            while True:
                place = BLACK_OFFSETS[piece][square] + <Py_ssize_t>magic_index(piece, square, subset)
                if not 0 <= place < BLACK_ENTRIES:
                    raise DestructiveCollision(f"square {square}: index {place} is outside the table")
                fill_entry(
                    &attack_table[place], reference_attacks(piece, square, subset), piece, square, place)
                subset = next_subset(subset, relevant_mask(piece, square))
                if subset == 0:
                    break
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(entries) + sizeof(attack_table)

include "setwise.pxi"
