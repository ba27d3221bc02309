# The two sides of a position and the piece that moves: what the generator and its bulk counting share.
#
# A side's pieces lie in five sets: a queen is in both `diagonal` and `straight`, so a slider loop never asks
# which piece it has.

cdef struct Wing:       # one castling of one side; Chess960 differs in these numbers only
    u64 rook            # the rook's home square; 0 if this castling cannot exist
    u64 path            # squares that must be empty
    u64 safe            # squares that must not be attacked: the king's way, its destination included
    u64 king_flip       # king's home ^ destination
    u64 rook_flip

cdef struct Side:
    u64 pawns
    u64 knights
    u64 diagonal        # bishops and queens
    u64 straight        # rooks and queens
    u64 king
    u64 all
    const Wing* wings   # king side, queen side

cdef enum Moved:        # the piece that moves; a promotion is a move of the new piece
    MOVED_PAWN
    MOVED_KNIGHT
    MOVED_BISHOP
    MOVED_ROOK
    MOVED_QUEEN
    MOVED_KING


cdef inline u64 back_rank(bint white) noexcept nogil:
    return RANK_1 if white else RANK_8


cdef inline u64 last_rank(bint white) noexcept nogil:
    return RANK_8 if white else RANK_1


cdef inline u64 double_push_rank(bint white) noexcept nogil:
    """Where a pawn stands after one step from its home rank."""
    return RANK_1 << 16 if white else RANK_8 >> 16


cdef inline void flip(Side* side, Moved piece, u64 squares) noexcept nogil:
    """Lift a piece from a square, or put it there."""
    side.all ^= squares
    if piece == MOVED_PAWN:
        side.pawns ^= squares
    if piece == MOVED_KNIGHT:
        side.knights ^= squares
    if piece == MOVED_BISHOP or piece == MOVED_QUEEN:
        side.diagonal ^= squares
    if piece == MOVED_ROOK or piece == MOVED_QUEEN:
        side.straight ^= squares
    if piece == MOVED_KING:
        side.king ^= squares
