# The two sides of a position and the piece that moves: what the generator and its bulk counting share.
#
# A side's pieces are kept in five sets. A queen is in both `diagonal` and `orthogonal`, so a loop over sliders
# never tests which kind of piece it has.

cdef struct Castling:       # one castling move of one side; only these numbers differ in Chess960
    u64 rook                # the rook's home square; 0 if this castling cannot exist
    u64 must_be_empty
    u64 must_be_safe        # squares that may not be attacked: the king's path, with his destination
    u64 king_flip           # the king's home square ^ his destination
    u64 rook_flip

cdef struct Side:
    u64 pawns
    u64 knights
    u64 diagonal            # bishops and queens
    u64 orthogonal          # rooks and queens
    u64 king
    u64 occupied            # by any of its pieces
    const Castling* castlings   # king side, queen side

cdef enum Moved:            # the piece that moves; a promotion is a move of the new piece
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


cdef inline u64 third_rank(bint white) noexcept nogil:
    """The rank that a pawn reaches by one step from its home rank, as the colour counts ranks."""
    return RANK_1 << 16 if white else RANK_8 >> 16


cdef inline void flip(Side* side, Moved piece, u64 squares) noexcept nogil:
    """Remove a piece from its square, or put it on an empty one."""
    side.occupied ^= squares
    if piece == MOVED_PAWN:
        side.pawns ^= squares
    if piece == MOVED_KNIGHT:
        side.knights ^= squares
    if piece == MOVED_BISHOP or piece == MOVED_QUEEN:
        side.diagonal ^= squares
    if piece == MOVED_ROOK or piece == MOVED_QUEEN:
        side.orthogonal ^= squares
    if piece == MOVED_KING:
        side.king ^= squares


cdef inline Side without(const Side* side, u64 square_bit) noexcept nogil:
    """The side after one of its pieces has been captured."""
    cdef Side rest
    rest.pawns = side.pawns & ~square_bit
    rest.knights = side.knights & ~square_bit
    rest.diagonal = side.diagonal & ~square_bit
    rest.orthogonal = side.orthogonal & ~square_bit
    rest.king = side.king
    rest.occupied = side.occupied ^ square_bit
    rest.castlings = side.castlings
    return rest
