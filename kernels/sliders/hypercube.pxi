# title: HyperCube
# author: Daniel Inführ
# year: 2022
# source: github.com/Gigantua/Chess_Movegen (Hyperchess)
# needs: v1
# answers: one square
#
# The occupancy holds the table index of every rook and bishop square, kept up to date as pieces come and go:
# a query is one load from the index and one from the table, with nothing to compute in between.
#
#     attacks = table[square][index[square]]
#     flip:     index ^= delta[flipped square]         all 128 indices, 16 bits each
#
#     . . . x . . . .      one more piece on d4 changes one bit in the
#     . . . x . . . .      index of each square that has d4 among its
#     . x x + x x x .      relevant squares: those that a rook or a
#     . . . x . . . .      bishop on d4 sees (x: rooks)
#
# The price is paid when a piece moves: 256 bytes are combined for each square that changes, and copied for
# each position.


cdef union Indices:
    uint16_t[2][SQUARES] of         # by piece and square
    u64[32] words

cdef struct Occupancy:
    u64 occupied
    Indices index

cdef Indices[SQUARES] delta
cdef uint32_t[2][SQUARES] starts
cdef u64[RELEVANT_OCCUPANCIES] attack_table


cdef inline u64 cube_lookup(int piece, int square, const Occupancy* occupancy) noexcept nogil:
    return attack_table[starts[piece][square] + occupancy.index.of[piece][square]]


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return cube_lookup(ROOK, square, &occupancy)


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return cube_lookup(BISHOP, square, &occupancy)


cdef inline u64 occupancy_bits(Occupancy occupancy) noexcept nogil:
    return occupancy.occupied


cdef inline Occupancy occupancy_flip(Occupancy occupancy, int square, u64 square_bit) noexcept nogil:
    cdef int word
    occupancy.occupied ^= square_bit
    for word in range(32):
        occupancy.index.words[word] ^= delta[square].words[word]
    return occupancy


cdef Occupancy occupancy_of(u64 occupied) noexcept nogil:
    cdef Occupancy occupancy
    cdef int word
    occupancy.occupied = 0
    for word in range(32):
        occupancy.index.words[word] = 0
    while occupied:
        occupancy = occupancy_flip(occupancy, lsb(occupied), occupied & (0 - occupied))
        occupied &= occupied - 1
    return occupancy


cdef int kernel_init() except -1:
    cdef int piece, square
    cdef u64 mask, rest, subset
    cdef uint32_t start = 0
    cdef uint16_t place
    for piece in range(2):
        for square in range(SQUARES):
            mask = relevant_mask(piece, square)
            place = 1
            rest = mask
            while rest:
                delta[lsb(rest)].of[piece][square] = place
                place <<= 1
                rest &= rest - 1
            starts[piece][square] = start
            subset = 0
            while True:
                # Counting order of the subsets is the order of their indices.
                attack_table[start] = reference_attacks(piece, square, subset)
                start += 1
                subset = next_subset(subset, mask)
                if subset == 0:
                    break
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(delta) + sizeof(starts) + sizeof(attack_table)

include "setwise.pxi"
