# title: Dumb7 fill
# author: Urban Koistinen, Steffan Westcott (name)
# year: 2003
# source: https://www.chessprogramming.org/Dumb7Fill
# needs: v1
# answers: one square, queen, set-wise
#
# Floods each direction step by step, from all sliders at once. The longest ray has seven squares, so six
# steps onto free squares and one more onto the first blocker always suffice:
#
#     six times:  sliders = (sliders << s) & free;   flood |= sliders
#     attacks = flood << s
#
#     . . . . . . . .      two rooks moving east, each ray
#     R x x B . . . .      ends on the first blocker
#     . R x x x x x x
#     . . . . . . . .

include "occupancy.pxi"


cdef inline u64 fill_attacks(u64 sliders, u64 empty, int step, u64 landing) noexcept nogil:
    cdef u64 free = empty & landing
    cdef u64 flood = sliders
    sliders = shifted(sliders, step) & free
    flood |= sliders
    sliders = shifted(sliders, step) & free
    flood |= sliders
    sliders = shifted(sliders, step) & free
    flood |= sliders
    sliders = shifted(sliders, step) & free
    flood |= sliders
    sliders = shifted(sliders, step) & free
    flood |= sliders
    sliders = shifted(sliders, step) & free
    flood |= sliders
    return shifted(flood, step) & landing

include "fills.pxi"
