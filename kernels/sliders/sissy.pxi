# title: SISSY bitboards
# author: Michael Sherwin
# year: 2006
# source: https://www.chessprogramming.org/SISSY_Bitboards
# needs: v1
# answers: one square, queen
#
# Split index, super set yielding: each rank of the board indexes a table with the attacks as they would be if
# the other ranks were empty, a superset of the truth. The intersection of all eight is the truth.
#
#     queen = table[square][rank 1 of occupied][0] & ... & table[square][rank 8 of occupied][7]
#
#     . . . . . . . .      a blocker on rank 7 takes the squares behind it
#     . . . B . . . .      out of the superset of rank 7 only
#     . . . x . . . .
#     . . . Q . . . .
#
# A rook's attacks are the queen's on its lines. Bishops need less: squares of their mask three ranks apart
# never share a file, so ranks 2 and 5, 3 and 6, 4 and 7 share one index each.

include "occupancy.pxi"

cdef u64[SQUARES][256][8] queen_supersets
cdef u64[SQUARES][3][64] bishop_supersets
cdef u64[SQUARES] rook_masks            # attacks on the empty board
cdef u64[SQUARES] bishop_masks          # relevant squares


cdef inline u64 queen_attacks(int square, Occupancy occupancy) noexcept nogil:
    cdef const u64* table = &queen_supersets[square][0][0]
    return (table[8 * (occupancy & 255)]
            & table[8 * ((occupancy >> 8) & 255) + 1]
            & table[8 * ((occupancy >> 16) & 255) + 2]
            & table[8 * ((occupancy >> 24) & 255) + 3]
            & table[8 * ((occupancy >> 32) & 255) + 4]
            & table[8 * ((occupancy >> 40) & 255) + 5]
            & table[8 * ((occupancy >> 48) & 255) + 6]
            & table[8 * (occupancy >> 56) + 7])


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return queen_attacks(square, occupancy) & rook_masks[square]


cdef inline u64 two_ranks(u64 occupied, int rank) noexcept nogil:
    """Files b to g of a rank and of the third one above it."""
    return ((occupied >> (8 * rank + 1)) | (occupied >> (8 * rank + 25))) & 63


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    cdef u64 occupied = occupancy & bishop_masks[square]
    return (bishop_supersets[square][0][two_ranks(occupied, 1)]
            & bishop_supersets[square][1][two_ranks(occupied, 2)]
            & bishop_supersets[square][2][two_ranks(occupied, 3)])


cdef int kernel_init() except -1:
    cdef int square, rank
    cdef u64 files, occupied
    for square in range(SQUARES):
        rook_masks[square] = reference_attacks(ROOK, square, 0)
        bishop_masks[square] = relevant_mask(BISHOP, square)
        for rank in range(8):
            for files in range(256):
                occupied = files << (8 * rank)
                queen_supersets[square][files][rank] = (
                    reference_attacks(ROOK, square, occupied) | reference_attacks(BISHOP, square, occupied))
        for rank in range(1, 4):
            for files in range(64):
                occupied = (files << (8 * rank + 1) | files << (8 * rank + 25)) & bishop_masks[square]
                bishop_supersets[square][rank - 1][files] = reference_attacks(BISHOP, square, occupied)
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(queen_supersets) + sizeof(bishop_supersets) + sizeof(rook_masks) + sizeof(bishop_masks)

include "setwise_queens.pxi"
