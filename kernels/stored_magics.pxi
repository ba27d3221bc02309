# The stored factors, for kernels that ask with `magic_of`.

include "magics.pxi"


cdef u64 magic_of(int piece, int square, u64 mask) except? 0:
    return MAGICS[piece][square]
