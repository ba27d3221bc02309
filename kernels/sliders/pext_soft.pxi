# title: Software PEXT
# author: common practice
# year: 2013
# source: the definition of PEXT, one mask bit at a time
# needs: v1
# answers: one square
# lacks: pext
#
# The tables of the PEXT kernel, with the index computed without BMI2: what a program pays that falls back
# silently. One loop pass for every bit of the mask:
#
#     index |= (value & lowest(mask)) ? bit : 0;   bit <<= 1;   mask &= mask - 1
#
#     . . . x . . . .      a rook on d4 has ten mask bits (x):
#     . . . x . . . .      ten passes
#     . x x R x x x .
#     . . . x . . . .

include "occupancy.pxi"


cdef inline u64 bit_extract(u64 value, u64 mask) noexcept nogil:
    cdef u64 extracted = 0
    cdef u64 place = 1
    while mask:
        if value & mask & (0 - mask):
            extracted |= place
        place <<= 1
        mask &= mask - 1
    return extracted

include "static_table.pxi"
include "pext_tables.pxi"
include "setwise.pxi"
