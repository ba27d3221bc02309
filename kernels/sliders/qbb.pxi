# title: QBBEngine's shifted masks
# author: Fabio Gobbato
# year: unknown
# source: https://www.chessprogramming.org/QBBEngine
# needs: v1
# answers: one square
#
# No tables: the rays of a corner, shifted to the slider. A bit scan on each finds the nearest blocker or the
# edge; the opposite ray shifted there ends on it, and two such rays overlap in just the attacked squares:
#
#     up      = scan_forward(north of square & (occupied | rank 8))
#     down    = scan_reverse(south of square & (occupied | rank 1))
#     attacks = south of up & north of down
#
#     . . . B . . . .  up        south of B and north of C, both
#     . . . x . . . .            included, meet in the file's
#     . . . R . . . .            attacks and R itself
#     . . . C . . . .  down
#
# What a shift carries over the edge of the board lies behind the edge squares, which stop every scan.

include "occupancy.pxi"
include "bitscan.pxi"


cdef inline u64 line_attacks(int square, u64 blockers, u64 up, u64 down,
                             u64 upper_edges, u64 lower_edges) noexcept nogil:
    """`up` is the ray from a1 towards higher squares, `down` the one from h8 towards lower ones."""
    cdef int above = lsb((up << square) & (blockers | upper_edges))
    cdef int below = msb((down >> (63 - square)) & (blockers | lower_edges))
    return (down >> (63 - above)) & (up << below)


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    cdef u64 blockers = occupancy & ~bit(square)
    return (line_attacks(square, blockers, FILE_A, FILE_H, RANK_8, RANK_1)
            | line_attacks(square, blockers, RANK_1, RANK_8, FILE_H, FILE_A)) & ~bit(square)


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    cdef u64 blockers = occupancy & ~bit(square)
    cdef u64 diagonal = <u64>0x8040201008040201
    cdef u64 antidiagonal = <u64>0x8102040810204081     # h1 to a8 moved to a1, and what wraps
    return (line_attacks(square, blockers, diagonal, diagonal, RANK_8 | FILE_H, RANK_1 | FILE_A)
            | line_attacks(square, blockers, antidiagonal, antidiagonal, RANK_8 | FILE_A, RANK_1 | FILE_H)
            ) & ~bit(square)


cdef int kernel_init() except -1:
    return 0


cdef size_t table_bytes() noexcept:
    return 0

include "setwise.pxi"
