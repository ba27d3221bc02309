# Perft: the number of leaf positions at a depth, by legal moves. The out-of-line instances of the generator.

cdef inline u64 perft_unhashed(Side* us, Side* them, Occupancy occupancy, Search* search, u64 en_passant,
                               bint white) noexcept nogil:
    """Leaves search.depth >= 1 plies below."""
    if search.depth == 1:
        return (made_white(us, them, occupancy, search, en_passant) if white
                else made_black(us, them, occupancy, search, en_passant))
    if search.depth == 2 and search.bulk:
        return (bulk_white(us, them, occupancy, search, en_passant) if white
                else bulk_black(us, them, occupancy, search, en_passant))
    return (deeper_white(us, them, occupancy, search, en_passant) if white
            else deeper_black(us, them, occupancy, search, en_passant))


cdef NOINLINE_U64 perft_hashed(Side* us, Side* them, Occupancy occupancy, Search* search, u64 en_passant,
                               bint white) noexcept nogil:
    """The same, looked up first and kept afterwards."""
    cdef HashKey key = position_key(us, them, search.castling, en_passant, white, search.depth)
    cdef u64 nodes = 0
    if unlikely(search.table.overflow):
        return 0    # the count is lost: end soon
    if not hash_probe(search.table, key, search.depth, &nodes):
        nodes = perft_unhashed(us, them, occupancy, search, en_passant, white)
        hash_store(search.table, key, search.depth, nodes)
    return nodes


cdef inline u64 perft_of(Side* us, Side* them, Occupancy occupancy, u64 castling, u64 en_passant, int depth,
                         const Search* above, bint white) noexcept nogil:
    cdef Search search
    search.depth = depth
    search.castling = castling
    search.bulk = above.bulk
    search.table = above.table
    if unlikely(search.table != NULL) and depth >= MIN_HASH_DEPTH:
        return perft_hashed(us, them, occupancy, &search, en_passant, white)
    return perft_unhashed(us, them, occupancy, &search, en_passant, white)


cdef u64 perft_white(Side* us, Side* them, Occupancy occupancy, u64 castling, u64 en_passant, int depth,
                     const Search* above) noexcept nogil:
    """Leaves `depth` >= 1 plies below, White to move; `above` is the search that comes here."""
    return perft_of(us, them, occupancy, castling, en_passant, depth, above, True)


cdef u64 perft_black(Side* us, Side* them, Occupancy occupancy, u64 castling, u64 en_passant, int depth,
                     const Search* above) noexcept nogil:
    """Leaves `depth` >= 1 plies below, Black to move; `above` is the search that comes here."""
    return perft_of(us, them, occupancy, castling, en_passant, depth, above, False)


cdef NOINLINE_U64 bulk_white(Side* us, Side* them, Occupancy occupancy, Search* search,
                             u64 en_passant) noexcept nogil:
    return make_moves(us, them, occupancy, search, en_passant, True, ACTION_BULK)


cdef NOINLINE_U64 bulk_black(Side* us, Side* them, Occupancy occupancy, Search* search,
                             u64 en_passant) noexcept nogil:
    return make_moves(us, them, occupancy, search, en_passant, False, ACTION_BULK)


cdef NOINLINE_U64 deeper_white(Side* us, Side* them, Occupancy occupancy, Search* search,
                               u64 en_passant) noexcept nogil:
    return make_moves(us, them, occupancy, search, en_passant, True, ACTION_DEEPER)


cdef NOINLINE_U64 deeper_black(Side* us, Side* them, Occupancy occupancy, Search* search,
                               u64 en_passant) noexcept nogil:
    return make_moves(us, them, occupancy, search, en_passant, False, ACTION_DEEPER)


cdef NOINLINE_U64 made_white(Side* us, Side* them, Occupancy occupancy, Search* search,
                             u64 en_passant) noexcept nogil:
    return make_moves(us, them, occupancy, search, en_passant, True, ACTION_MADE)


cdef NOINLINE_U64 made_black(Side* us, Side* them, Occupancy occupancy, Search* search,
                             u64 en_passant) noexcept nogil:
    return make_moves(us, them, occupancy, search, en_passant, False, ACTION_MADE)


cdef NOINLINE_U64 list_moves(Side* us, Side* them, Occupancy occupancy, Search* search, u64 en_passant,
                             bint white) noexcept nogil:
    """Write all legal moves to search.moves; returns how many."""
    if white:
        return make_moves(us, them, occupancy, search, en_passant, True, ACTION_LIST)
    return make_moves(us, them, occupancy, search, en_passant, False, ACTION_LIST)


cdef struct Game:       # a position as the generator takes it
    Side[2] sides       # by colour
    Castling[2][2] castlings    # by colour, king side and queen side
    u64 castling
    u64 en_passant
    bint white


cdef NOINLINE_U64 perft(Game* game, int depth, bint bulk, HashTable* table) noexcept nogil:
    """Leaves at `depth` >= 0; `table` is NULL to count without hashing."""
    cdef Occupancy occupancy = occupancy_of(game.sides[0].occupied | game.sides[1].occupied)
    cdef Search root
    root.bulk = bulk
    root.table = table
    if depth == 0:
        return 1
    if game.white:
        return perft_white(&game.sides[WHITE], &game.sides[BLACK], occupancy, game.castling, game.en_passant,
                           depth, &root)
    return perft_black(&game.sides[BLACK], &game.sides[WHITE], occupancy, game.castling, game.en_passant,
                       depth, &root)
