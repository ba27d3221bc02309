# Perft: the number of leaf positions at a depth, by legal moves. The out-of-line instances of the generator.

cdef u64 perft_white(Side* us, Side* them, Occupancy occupancy, u64 castling, u64 en_passant, int depth,
                     bint bulk) noexcept nogil:
    """Leaves `depth` >= 1 plies below, White to move."""
    cdef Search search
    search.depth = depth
    search.castling = castling
    search.bulk = bulk
    if depth == 1:
        return made_white(us, them, occupancy, &search, en_passant)
    if depth == 2 and bulk:
        return bulk_white(us, them, occupancy, &search, en_passant)
    return deeper_white(us, them, occupancy, &search, en_passant)


cdef u64 perft_black(Side* us, Side* them, Occupancy occupancy, u64 castling, u64 en_passant, int depth,
                     bint bulk) noexcept nogil:
    """Leaves `depth` >= 1 plies below, Black to move."""
    cdef Search search
    search.depth = depth
    search.castling = castling
    search.bulk = bulk
    if depth == 1:
        return made_black(us, them, occupancy, &search, en_passant)
    if depth == 2 and bulk:
        return bulk_black(us, them, occupancy, &search, en_passant)
    return deeper_black(us, them, occupancy, &search, en_passant)


cdef NOINLINE_U64 bulk_white(Side* us, Side* them, Occupancy occupancy, Search* search,
                             u64 en_passant) noexcept nogil:
    return visit_moves(us, them, occupancy, search, en_passant, True, VISIT_BULK)


cdef NOINLINE_U64 bulk_black(Side* us, Side* them, Occupancy occupancy, Search* search,
                             u64 en_passant) noexcept nogil:
    return visit_moves(us, them, occupancy, search, en_passant, False, VISIT_BULK)


cdef NOINLINE_U64 deeper_white(Side* us, Side* them, Occupancy occupancy, Search* search,
                               u64 en_passant) noexcept nogil:
    return visit_moves(us, them, occupancy, search, en_passant, True, VISIT_DEEPER)


cdef NOINLINE_U64 deeper_black(Side* us, Side* them, Occupancy occupancy, Search* search,
                               u64 en_passant) noexcept nogil:
    return visit_moves(us, them, occupancy, search, en_passant, False, VISIT_DEEPER)


cdef NOINLINE_U64 made_white(Side* us, Side* them, Occupancy occupancy, Search* search,
                             u64 en_passant) noexcept nogil:
    return visit_moves(us, them, occupancy, search, en_passant, True, VISIT_MADE)


cdef NOINLINE_U64 made_black(Side* us, Side* them, Occupancy occupancy, Search* search,
                             u64 en_passant) noexcept nogil:
    return visit_moves(us, them, occupancy, search, en_passant, False, VISIT_MADE)


cdef NOINLINE_U64 list_moves(Side* us, Side* them, Occupancy occupancy, Search* search, u64 en_passant,
                             bint white) noexcept nogil:
    """Write all legal moves to search.moves; returns how many."""
    if white:
        return visit_moves(us, them, occupancy, search, en_passant, True, VISIT_LIST)
    return visit_moves(us, them, occupancy, search, en_passant, False, VISIT_LIST)


cdef struct Game:       # a position as the generator takes it
    Side[2] sides       # by colour
    Wing[2][2] wings    # by colour, king side and queen side
    u64 castling
    u64 en_passant
    bint white


cdef NOINLINE_U64 perft(Game* game, int depth, bint bulk) noexcept nogil:
    """Leaves at `depth` >= 0."""
    cdef Occupancy occupancy = occupancy_of(game.sides[0].all | game.sides[1].all)
    if depth == 0:
        return 1
    if game.white:
        return perft_white(&game.sides[WHITE], &game.sides[BLACK], occupancy, game.castling, game.en_passant,
                           depth, bulk)
    return perft_black(&game.sides[BLACK], &game.sides[WHITE], occupancy, game.castling, game.en_passant,
                       depth, bulk)
