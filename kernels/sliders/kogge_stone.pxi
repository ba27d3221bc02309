# title: Kogge-Stone fill
# author: Steffan Westcott, after Peter Kogge and Harold Stone's parallel prefix (1973)
# year: 2003
# source: https://www.chessprogramming.org/Kogge-Stone_Algorithm
# needs: v1
# answers: one square, queen, set-wise
#
# Floods each direction in three doubling rounds instead of seven steps, from all sliders at once, no tables:
#
#     attackers |= free & (attackers << s);    free &= free << s
#     attackers |= free & (attackers << 2s);   free &= free << 2s
#     attackers |= free & (attackers << 4s);   attacks = attackers << s
#
#     . . . . . . . .      eastwards from R: one square after the first round (1),
#     R 1 2 2 4 B . .      three after the second (2), up to seven after the third;
#     . . . . . . . .      the last shift takes in the blocker
#
# `free` also leaves out the file on which a step over the edge would land.

include "occupancy.pxi"


cdef inline u64 fill_attacks(u64 sliders, u64 empty, int step, u64 landing) noexcept nogil:
    cdef u64 free = empty & landing
    sliders |= free & shifted(sliders, step)
    free &= shifted(free, step)
    sliders |= free & shifted(sliders, 2 * step)
    free &= shifted(free, 2 * step)
    sliders |= free & shifted(sliders, 4 * step)
    return shifted(sliders, step) & landing

include "fills.pxi"
