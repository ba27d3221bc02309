# Room for the attacks of all relevant occupancies, in the module's own data.

cdef enum:
    ATTACK_SPACE_BYTES = 8 * RELEVANT_OCCUPANCIES

cdef u64[RELEVANT_OCCUPANCIES] attack_table


cdef u64* attack_space() except NULL:
    return attack_table
