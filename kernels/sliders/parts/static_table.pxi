# Room for the attacks of all relevant occupancies, in the module's own data.

cdef enum:
    OCCUPANCIES = 102400 + 5248     # of rooks and bishops
    ATTACK_SPACE_BYTES = 8 * OCCUPANCIES

cdef u64[OCCUPANCIES] attack_table


cdef u64* attack_space() except NULL:
    return attack_table
