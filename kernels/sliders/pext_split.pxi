# title: PEXT bitboards, split tables
# author: unknown
# year: unknown
# source: github.com/Gigantua/Chess_Movegen (SplitPext)
# needs: v3
# answers: one square
# contains: pext
#
# Each line is looked up by itself: two extractions of at most six bits in place of one of up to twelve, and
# tables of 53 KiB, about the size of a first-level cache:
#
#     attacks = table[line 1][pext(occupied, mask 1)] | table[line 2][pext(occupied, mask 2)]
#
#     . . . f . . . .      a rook on d4: two tables of 32 entries
#     . . . f . . . .      in place of one of 1,024
#     . r r R r r r .
#     . . . f . . . .

include "occupancy.pxi"
include "hardware_extract.pxi"
include "lines.pxi"

cdef enum:
    LINE_ENTRIES = 2 * 2560 + 1664          # of ranks and files, and of both diagonals

cdef struct Extract:
    u64 mask_0
    u64 mask_1
    const u64* table_0
    const u64* table_1

cdef Extract[SQUARES][2] entries
cdef u64[LINE_ENTRIES] line_table


cdef inline u64 extract_lookup(int piece, int square, u64 occupied) noexcept nogil:
    cdef const Extract* entry = &entries[square][piece]
    return (entry.table_0[bit_extract(occupied, entry.mask_0)]
            | entry.table_1[bit_extract(occupied, entry.mask_1)])


cdef inline u64 rook_attacks(int square, Occupancy occupancy) noexcept nogil:
    return extract_lookup(ROOK, square, occupancy)


cdef inline u64 bishop_attacks(int square, Occupancy occupancy) noexcept nogil:
    return extract_lookup(BISHOP, square, occupancy)


cdef size_t line_init(u64* mask, const u64** table, int kind, int square, size_t start) noexcept:
    """Fill the part of one line (two of them to a piece), and return where the next begins."""
    cdef u64 subset = 0
    mask[0] = reference_line(kind, square, 0) & relevant_mask(kind // 2, square)
    table[0] = &line_table[start]
    while True:
        line_table[start] = reference_line(kind, square, subset)
        start += 1
        subset = next_subset(subset, mask[0])
        if subset == 0:
            return start


cdef int kernel_init() except -1:
    cdef int piece, square
    cdef Extract* entry
    cdef size_t start = 0
    for piece in range(2):
        for square in range(SQUARES):
            entry = &entries[square][piece]
            start = line_init(&entry.mask_0, &entry.table_0, 2 * piece, square, start)
            start = line_init(&entry.mask_1, &entry.table_1, 2 * piece + 1, square, start)
    if start != LINE_ENTRIES:
        raise AssertionError(f"line tables have {start} entries, not {LINE_ENTRIES}")
    return 0


cdef size_t table_bytes() noexcept:
    return sizeof(entries) + sizeof(line_table)

include "setwise.pxi"
