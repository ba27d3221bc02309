# Leaves by kind, as the usual tables of perft results count them. Clear, not fast: every leaf is made and looked at.

cdef struct Statistics:     # the kind of the last move; a leaf may be of several
    u64 nodes
    u64 captures            # en passant included
    u64 en_passants
    u64 castles
    u64 promotions
    u64 checks              # of all kinds, mates included
    u64 discovered_checks   # by one piece, which is not the one that moved
    u64 double_checks       # by two pieces
    u64 mates


cdef u64 list_after(Side* us, Side* them, u64 castling, u64 en_passant, bint white, Move* moves) noexcept nogil:
    """Write the legal moves of `us` to `moves`; returns how many."""
    cdef Search search
    search.castling = castling
    search.moves = moves
    return list_moves(us, them, occupancy_of(us.occupied | them.occupied), &search, en_passant, white)


cdef void add_leaf(Statistics* statistics, const Side* us, const Side* them, Move* move, bint white,
                   Move* replies) noexcept nogil:
    """Count one move of `us`; `replies` is room for the moves after it."""
    cdef u64 checkers = checkers_of(
        &move.other, &move.mover, occupancy_of(move.other.occupied | move.mover.occupied), not white)
    cdef u64 arrived = move.mover.orthogonal & ~us.orthogonal if move.castles else bit(move.target)
    cdef bint captures = move.other.occupied != them.occupied
    statistics.nodes += 1
    statistics.captures += captures
    statistics.en_passants += captures and not them.occupied & bit(move.target)
    statistics.castles += move.castles
    statistics.promotions += move.promotion != 0
    if checkers:
        statistics.checks += 1
        if checkers & (checkers - 1):
            statistics.double_checks += 1
        elif not checkers & arrived:
            statistics.discovered_checks += 1
        statistics.mates += list_after(
            &move.other, &move.mover, move.castling, move.en_passant, not white, replies) == 0


cdef void add_leaves(Statistics* statistics, Side* us, Side* them, u64 castling, u64 en_passant, int depth, bint white,
                     Move* moves) noexcept nogil:
    """Count the leaves `depth` >= 1 plies below; `moves` is room for the moves of each ply and one more."""
    cdef u64 count = list_after(us, them, castling, en_passant, white, moves)
    cdef Move* move = moves
    while move < moves + count:
        if depth == 1:
            add_leaf(statistics, us, them, move, white, moves + count)
        else:
            add_leaves(statistics, &move.other, &move.mover, move.castling, move.en_passant, depth - 1, not white,
                       moves + count)
        move += 1
