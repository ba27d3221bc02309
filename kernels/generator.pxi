# The legal move generator that every kernel shares: a kernel sees only its own queries, and cannot tell
# which position they come from.
#
# Moves are made in place on the mover's side; the other side is copied without the captured piece, so undoing
# is never needed there.
#
# `white`, `action` and `moved` are constants at every call: always-inline bodies below become a few
# out-of-line instances, each without a branch on them.

cdef enum Action:       # what happens to a made move
    ACTION_DEEPER       # search on, at least two plies
    ACTION_BULK         # count the opponent's replies without making them
    ACTION_MADE         # count 1
    ACTION_LIST         # count 1 and write the move down
    ACTION_COUNT        # count 1, the move need not be made

cdef struct Move:       # a listed move with the position after it
    Side mover
    Side other
    u64 castling
    u64 en_passant
    uint8_t origin
    uint8_t target
    uint8_t promotion   # what it becomes, a Moved; 0 if it stays a pawn
    bint castles


# ---- making moves ----------------------------------------------------------------------------------------

cdef struct Search:     # the constants of one action
    int depth
    u64 castling        # home squares of the rooks that may still castle, both sides
    Move* moves         # where ACTION_LIST writes
    bint bulk
    HashTable* table    # NULL to count without hashing


cdef inline u64 on_move(Side* us, Side* them, Occupancy occupancy, u64 castling, u64 en_passant,
                        Search* search,
                        bint white, Action action, Moved moved, int origin, int target, int promotion,
                        bint castles) noexcept nogil:
    """What an action does with the position after a move of `us`."""
    cdef Move* move
    cdef u64 one = 1
    if action == ACTION_BULK:
        return count_after(them, us, occupancy, castling, en_passant, not white, moved)
    if action == ACTION_DEEPER:
        if white:
            return perft_black(them, us, occupancy, castling, en_passant, search.depth - 1, search)
        return perft_white(them, us, occupancy, castling, en_passant, search.depth - 1, search)
    if action == ACTION_LIST:
        move = search.moves
        move.mover = us[0]
        move.other = them[0]
        move.castling = castling
        move.en_passant = en_passant
        move.origin = origin
        move.target = target
        move.promotion = promotion
        move.castles = castles
        search.moves += 1
    if action == ACTION_MADE:
        CLOBBER_MEMORY()  # the move is really made, not optimised away
        DO_NOT_OPTIMIZE(one)       # and counted as made: compilers take the targets' POPCNT for the sum
    return one


cdef inline u64 make_piece_moves(Side* us, Side* them, Occupancy occupancy, Search* search, Replies* replies,
                                 u64 castling, int origin, u64 targets, bint white, Action action,
                                 Moved moved) noexcept nogil:
    """Move one piece from `origin` to each of `targets`; `castling` are the rights that stay."""
    cdef u64 nodes = 0
    cdef u64 target, quiet, plain
    cdef Side rest
    flip(us, moved, bit(origin))
    occupancy = occupancy_flip(occupancy, origin, bit(origin))
    if action == ACTION_BULK:
        plain = independent_targets(replies, occupancy_bits(occupancy), targets, bit(origin), moved)
        if plain:
            targets ^= plain
            nodes += count_independent(us[0], them, occupancy, replies, plain, white, moved)
    quiet = targets & ~them.occupied
    targets &= them.occupied
    while quiet:
        target = quiet & (0 - quiet)
        flip(us, moved, target)
        nodes += on_move(us, them, occupancy_flip(occupancy, lsb(target), target), castling, 0,
                         search,
                         white, action, moved, origin, lsb(target), 0, False)
        flip(us, moved, target)
        quiet &= quiet - 1
    while targets:
        target = targets & (0 - targets)
        flip(us, moved, target)
        rest = without(them, target)
        nodes += on_move(us, &rest, occupancy, castling & ~target, 0, search,
                         white, action, moved, origin, lsb(target), 0, False)
        flip(us, moved, target)
        targets &= targets - 1
    flip(us, moved, bit(origin))
    return nodes


cdef inline u64 make_pawn_move(Side* us, Side* them, Occupancy occupancy, Search* search, int origin, int target,
                               u64 en_passant, bint promote, bint white, Action action) noexcept nogil:
    """Put down one lifted pawn, in all four ways if it promotes."""
    cdef u64 nodes = 0
    cdef u64 castling = search.castling & ~bit(target)
    if not promote:
        flip(us, MOVED_PAWN, bit(target))
        nodes = on_move(us, them, occupancy, castling, en_passant, search, white, action, MOVED_PAWN,
                        origin, target, 0, False)
        flip(us, MOVED_PAWN, bit(target))
        return nodes
    flip(us, MOVED_QUEEN, bit(target))
    nodes += on_move(us, them, occupancy, castling, 0, search, white, action, MOVED_QUEEN,
                     origin, target, MOVED_QUEEN, False)
    us.diagonal ^= bit(target)
    nodes += on_move(us, them, occupancy, castling, 0, search, white, action, MOVED_ROOK,
                     origin, target, MOVED_ROOK, False)
    us.orthogonal ^= bit(target)
    us.diagonal ^= bit(target)
    nodes += on_move(us, them, occupancy, castling, 0, search, white, action, MOVED_BISHOP,
                     origin, target, MOVED_BISHOP, False)
    us.diagonal ^= bit(target)
    us.knights ^= bit(target)
    nodes += on_move(us, them, occupancy, castling, 0, search, white, action, MOVED_KNIGHT,
                     origin, target, MOVED_KNIGHT, False)
    flip(us, MOVED_KNIGHT, bit(target))
    return nodes


cdef inline u64 make_pawn_moves_onto(Side* us, Side* them, Occupancy occupancy, Search* search,
                                     Replies* replies, u64 targets,
                                     int distance, bint capture, bint promote, bint white,
                                     Action action) noexcept nogil:
    """Make the pawn moves onto `targets`, each from `distance` squares back."""
    cdef u64 nodes = 0
    cdef u64 en_passant = 0
    cdef u64 plain, target
    cdef int origin
    cdef Side rest
    cdef Side* other = them
    cdef Occupancy after
    if action == ACTION_BULK and not promote:
        plain = independent_pawn_targets(replies, targets, distance, white)
        targets ^= plain
        nodes += count_independent_pawns(us, them, occupancy, replies, plain, distance, capture, white)
    while targets:
        target = targets & (0 - targets)
        origin = lsb(target) - distance if white else lsb(target) + distance
        flip(us, MOVED_PAWN, bit(origin))
        after = occupancy_flip(occupancy, origin, bit(origin))
        if capture:
            rest = without(them, target)
            other = &rest
        else:
            after = occupancy_flip(after, lsb(target), target)
        if distance == 16:
            # Passed on only if an enemy pawn stands ready to take: most replies need not look.
            en_passant = forward(bit(origin), white)
            if not (forward_left(en_passant, white) | forward_right(en_passant, white)) & them.pawns:
                en_passant = 0
        nodes += make_pawn_move(us, other, after, search, origin, lsb(target), en_passant, promote,
                                white, action)
        flip(us, MOVED_PAWN, bit(origin))
        targets &= targets - 1
    return nodes


cdef inline u64 make_pawn_moves(Side* us, Side* them, Occupancy occupancy, Search* search, const Replies* own,
                                Replies* replies, u64 targets, bint white, Action action) noexcept nogil:
    """Make the pawn moves that end on `targets`."""
    cdef u64 last = last_rank(white)
    cdef u64 empty = ~(us.occupied | them.occupied)
    cdef u64 push = own.push & empty
    cdef u64 double_push = forward(push & third_rank(white), white) & empty & targets
    cdef u64 left = own.left & them.occupied & targets
    cdef u64 right = own.right & them.occupied & targets
    cdef int left_distance = 7 if white else 9
    cdef int right_distance = 9 if white else 7
    cdef u64 nodes = 0
    push &= targets
    nodes += make_pawn_moves_onto(us, them, occupancy, search, replies, push & ~last, 8, False, False, white,
                                  action)
    nodes += make_pawn_moves_onto(us, them, occupancy, search, replies, double_push, 16, False, False, white,
                                  action)
    nodes += make_pawn_moves_onto(us, them, occupancy, search, replies, left & ~last, left_distance, True,
                                  False, white, action)
    nodes += make_pawn_moves_onto(us, them, occupancy, search, replies, right & ~last, right_distance, True,
                                  False, white, action)
    if unlikely((push | left | right) & last):
        nodes += make_pawn_moves_onto(us, them, occupancy, search, replies, push & last, 8, False, True,
                                      white, action)
        nodes += make_pawn_moves_onto(us, them, occupancy, search, replies, left & last, left_distance, True,
                                      True, white, action)
        nodes += make_pawn_moves_onto(us, them, occupancy, search, replies, right & last, right_distance,
                                      True, True, white, action)
    return nodes


cdef inline u64 make_castling(Side* us, Side* them, Occupancy occupancy, Search* search, const Castling* castling,
                              bint white, Action action) noexcept nogil:
    cdef u64 nodes
    cdef u64 changed = castling.king_flip ^ castling.rook_flip
    cdef int origin = lsb(us.king)
    cdef u64 squares = changed
    while squares:
        occupancy = occupancy_flip(occupancy, lsb(squares), squares & (0 - squares))
        squares &= squares - 1
    us.king ^= castling.king_flip
    us.orthogonal ^= castling.rook_flip
    us.occupied ^= changed
    nodes = on_move(us, them, occupancy, search.castling & ~back_rank(white), 0, search, white, action,
                    MOVED_KING,
                    origin, lsb(castling.rook), 0, True)
    us.king ^= castling.king_flip
    us.orthogonal ^= castling.rook_flip
    us.occupied ^= changed
    return nodes


cdef inline u64 checkers_of(const Side* us, const Side* them, Occupancy occupancy, bint white) noexcept nogil:
    """The pieces that give check to `us`."""
    cdef int king = lsb(us.king)
    return ((knight_attacks[king] & them.knights) | (pawn_attacks[white][king] & them.pawns)
            | (rook_attacks(king, occupancy) & them.orthogonal)
            | (bishop_attacks(king, occupancy) & them.diagonal))


cdef inline u64 make_en_passant(Side* us, Side* them, Occupancy occupancy, Search* search, u64 en_passant,
                                bint white, Action action) noexcept nogil:
    """Captures en passant onto the square behind the pawn that has just made a double push.

    Two pawns leave one rank at once, and the taken one may have given check or shielded the king on a
    diagonal: the only sure test is to look at the position after the capture.
    """
    cdef u64 nodes = 0
    cdef u64 taken = forward(en_passant, not white)
    cdef u64 pawns = (forward_left(en_passant, not white) | forward_right(en_passant, not white)) & us.pawns
    cdef u64 origin
    cdef Side rest = without(them, taken)
    cdef Occupancy after
    occupancy = occupancy_flip(occupancy, lsb(taken), taken)
    occupancy = occupancy_flip(occupancy, lsb(en_passant), en_passant)
    while pawns:
        origin = pawns & (0 - pawns)
        after = occupancy_flip(occupancy, lsb(origin), origin)
        us.pawns ^= origin | en_passant
        us.occupied ^= origin | en_passant
        if not checkers_of(us, &rest, after, white):
            nodes += on_move(us, &rest, after, search.castling, 0, search, white, action, MOVED_PAWN,
                             lsb(origin), lsb(en_passant), 0, False)
        us.pawns ^= origin | en_passant
        us.occupied ^= origin | en_passant
        pawns &= pawns - 1
    return nodes


cdef NOINLINE_U64 count_en_passant(const Side* us, const Side* them, Occupancy occupancy, u64 en_passant,
                                   bint white) noexcept nogil:
    cdef Side mover = us[0]
    cdef Search search
    search.castling = 0
    return make_en_passant(&mover, <Side*>them, occupancy, &search, en_passant, white, ACTION_COUNT)


cdef inline u64 make_moves(Side* us, Side* them, Occupancy occupancy, Search* search, u64 en_passant,
                           bint white, Action action) noexcept nogil:
    """Make every legal move of `us` in turn and sum what the action returns."""
    cdef u64 nodes = 0
    cdef u64 occupied = occupancy_bits(occupancy)
    cdef int king = lsb(us.king)
    cdef u64 targets = ~us.occupied
    cdef u64 by_pawns, by_knights, by_king
    cdef u64 safe, pieces, moves
    cdef int square
    cdef Replies own, replies
    cdef u64 checkers = find_pins_and_checkers(&own, us, them, occupied)
    cdef u64 pinned = own.pinned
    checkers |= (knight_attacks[king] & them.knights) | (pawn_attacks[white][king] & them.pawns)
    if action == ACTION_BULK:
        by_pawns = pawn_attacks_of(us, white)
        by_knights = knight_attacks_of(us.knights)
        by_king = king_attacks_of(us)
        find_pins_and_checkers(&replies, them, us, occupied)
        prepare_king(&replies, them, us, search.castling, not white)
        prepare_pieces(&replies, them, not white)

    prepare_king(&own, us, them, search.castling, white)
    safe = own.king_targets
    if safe:
        # The king's own square is emptied, or squares behind it on a checker's line would look safe.
        safe &= ~attacks_of(them, occupancy_flip(occupancy, king, us.king), not white)
    if action == ACTION_BULK:
        set_enemy_attacks(&replies, by_pawns | by_knights)
    nodes += make_piece_moves(us, them, occupancy, search, &replies, search.castling & ~back_rank(white),
                              king, safe & own.king_steps, white, action, MOVED_KING)
    if checkers:
        if checkers & (checkers - 1):
            return nodes
        targets = between[king][lsb(checkers)] | checkers
    else:
        if not own.safe_short & ~safe:
            nodes += make_castling(us, them, occupancy, search, &us.castlings[0], white, action)
        if not own.safe_long & ~safe:
            nodes += make_castling(us, them, occupancy, search, &us.castlings[1], white, action)

    if action == ACTION_BULK:
        set_enemy_attacks(&replies, by_knights | by_king)
    prepare_pawns(&own, us, white)
    nodes += make_pawn_moves(us, them, occupancy, search, &own, &replies, targets, white, action)
    if en_passant:
        nodes += make_en_passant(us, them, occupancy, search, en_passant, white, action)

    pieces = us.knights & ~pinned
    while pieces:
        square = lsb(pieces)
        if action == ACTION_BULK:
            set_enemy_attacks(&replies, by_pawns | knight_attacks_of(us.knights ^ bit(square)) | by_king)
        nodes += make_piece_moves(us, them, occupancy, search, &replies, search.castling,
                                  square, knight_attacks[square] & targets, white, action, MOVED_KNIGHT)
        pieces &= pieces - 1
    if action == ACTION_BULK:
        set_enemy_attacks(&replies, by_pawns | by_knights | by_king)
    pieces = us.diagonal & ~us.orthogonal
    while pieces:
        square = lsb(pieces)
        moves = bishop_attacks(square, occupancy) & targets
        if bit(square) & pinned:
            moves &= line[king][square]
        nodes += make_piece_moves(us, them, occupancy, search, &replies, search.castling,
                                  square, moves, white, action, MOVED_BISHOP)
        pieces &= pieces - 1
    pieces = us.orthogonal & ~us.diagonal
    while pieces:
        square = lsb(pieces)
        moves = rook_attacks(square, occupancy) & targets
        if bit(square) & pinned:
            moves &= line[king][square]
        nodes += make_piece_moves(us, them, occupancy, search, &replies, search.castling & ~bit(square),
                                  square, moves, white, action, MOVED_ROOK)
        pieces &= pieces - 1
    pieces = us.orthogonal & us.diagonal
    while pieces:
        square = lsb(pieces)
        moves = queen_attacks(square, occupancy) & targets
        if bit(square) & pinned:
            moves &= line[king][square]
        nodes += make_piece_moves(us, them, occupancy, search, &replies, search.castling,
                                  square, moves, white, action, MOVED_QUEEN)
        pieces &= pieces - 1
    return nodes
