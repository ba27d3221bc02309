# The stored factors for relevant masks.

include "magics.pxi"


cdef u64 mask_of(int piece, int square) noexcept:
    return relevant_mask(piece, square)


cdef u64 magic_of(int piece, int square) except? 0:
    return MAGICS[piece][square]
