# Tables indexed by the occupancy of the relevant squares: what magic and PEXT kernels have in common.

from slidebench.kernels.errors import DestructiveCollision
from slidebench.kernels.position import square_name


cdef int fill_entry(u64* entry, u64 attacks, int piece, int square, size_t index) except -1:
    """Store `attacks` (never 0) in an entry that must be empty (0) or hold the same."""
    if entry[0] != 0 and entry[0] != attacks:
        raise DestructiveCollision(
            f"{'bishop' if piece == BISHOP else 'rook'} on {square_name(square)}: "
            f"occupancies with different attacks meet at index {index}"
        )
    entry[0] = attacks
    return 0
