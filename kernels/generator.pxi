# The legal move generator that every kernel shares: a kernel sees only its own queries, and cannot tell
# which position they come from.
#
# Moves are made in place on the mover's side; the other side is copied without the captured piece, so undoing
# is never needed there.
#
# `white`, `visit` and `moved` are constants at every call: always-inline bodies below become a few
# out-of-line instances, each without a branch on them.

cdef enum Visit:        # what happens to a made move
    VISIT_DEEPER        # search on, at least two plies
    VISIT_BULK          # count the opponent's replies without making them
    VISIT_MADE          # count 1
    VISIT_LIST          # count 1 and write the move down
    VISIT_COUNT         # count 1, the move need not be made

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

cdef struct Search:     # the constants of one visit
    int depth
    u64 castling        # home squares of the rooks that may still castle, both sides
    Move* moves         # where VISIT_LIST writes
    bint bulk
    HashTable* table    # NULL to count without hashing


cdef inline Side without(const Side* side, u64 square_bit) noexcept nogil:
    """The side after one of its pieces has been captured."""
    cdef Side rest
    rest.pawns = side.pawns & ~square_bit
    rest.knights = side.knights & ~square_bit
    rest.diagonal = side.diagonal & ~square_bit
    rest.straight = side.straight & ~square_bit
    rest.king = side.king
    rest.all = side.all ^ square_bit
    rest.wings = side.wings
    return rest


cdef inline u64 arrive(Side* us, Side* them, Occupancy occupancy, u64 castling, u64 en_passant,
                       Search* search,
                       bint white, Visit visit, Moved moved, int origin, int target, int promotion,
                       bint castles) noexcept nogil:
    """What a visit does with the position after a move of `us`."""
    cdef Move* move
    cdef u64 one = 1
    if visit == VISIT_BULK:
        return count_after(them, us, occupancy, castling, en_passant, not white, moved)
    if visit == VISIT_DEEPER:
        if white:
            return perft_black(them, us, occupancy, castling, en_passant, search.depth - 1, search)
        return perft_white(them, us, occupancy, castling, en_passant, search.depth - 1, search)
    if visit == VISIT_LIST:
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
    if visit == VISIT_MADE:
        TOUCH_MEMORY()  # the move is really made, not optimised away
        KEEP(one)       # and counted as made: compilers take the targets' POPCNT for the sum
    return one


cdef inline u64 visit_targets(Side* us, Side* them, Occupancy occupancy, Search* search, Replies* replies,
                              u64 castling, int origin, u64 targets, bint white, Visit visit,
                              Moved moved) noexcept nogil:
    """Move one piece from `origin` to each of `targets`; `castling` are the rights that stay."""
    cdef u64 nodes = 0
    cdef u64 target, quiet, plain
    cdef Side rest
    flip(us, moved, bit(origin))
    occupancy = occupancy_flip(occupancy, origin, bit(origin))
    if visit == VISIT_BULK:
        plain = undisturbing(replies, occupancy_bits(occupancy), targets, bit(origin), moved)
        if plain:
            targets ^= plain
            nodes += count_undisturbed(us[0], them, occupancy, replies, plain, white, moved)
    quiet = targets & ~them.all
    targets &= them.all
    while quiet:
        target = quiet & (0 - quiet)
        flip(us, moved, target)
        nodes += arrive(us, them, occupancy_flip(occupancy, first_square(target), target), castling, 0,
                        search,
                        white, visit, moved, origin, first_square(target), 0, False)
        flip(us, moved, target)
        quiet &= quiet - 1
    while targets:
        target = targets & (0 - targets)
        flip(us, moved, target)
        rest = without(them, target)
        nodes += arrive(us, &rest, occupancy, castling & ~target, 0, search,
                        white, visit, moved, origin, first_square(target), 0, False)
        flip(us, moved, target)
        targets &= targets - 1
    flip(us, moved, bit(origin))
    return nodes


cdef inline u64 visit_pawn(Side* us, Side* them, Occupancy occupancy, Search* search, int origin, int target,
                           u64 en_passant, bint promote, bint white, Visit visit) noexcept nogil:
    """Put down one lifted pawn, in all four ways if it promotes."""
    cdef u64 nodes = 0
    cdef u64 castling = search.castling & ~bit(target)
    if not promote:
        flip(us, MOVED_PAWN, bit(target))
        nodes = arrive(us, them, occupancy, castling, en_passant, search, white, visit, MOVED_PAWN,
                       origin, target, 0, False)
        flip(us, MOVED_PAWN, bit(target))
        return nodes
    flip(us, MOVED_QUEEN, bit(target))
    nodes += arrive(us, them, occupancy, castling, 0, search, white, visit, MOVED_QUEEN,
                    origin, target, MOVED_QUEEN, False)
    us.diagonal ^= bit(target)
    nodes += arrive(us, them, occupancy, castling, 0, search, white, visit, MOVED_ROOK,
                    origin, target, MOVED_ROOK, False)
    us.straight ^= bit(target)
    us.diagonal ^= bit(target)
    nodes += arrive(us, them, occupancy, castling, 0, search, white, visit, MOVED_BISHOP,
                    origin, target, MOVED_BISHOP, False)
    us.diagonal ^= bit(target)
    us.knights ^= bit(target)
    nodes += arrive(us, them, occupancy, castling, 0, search, white, visit, MOVED_KNIGHT,
                    origin, target, MOVED_KNIGHT, False)
    flip(us, MOVED_KNIGHT, bit(target))
    return nodes


cdef inline u64 visit_pawn_targets(Side* us, Side* them, Occupancy occupancy, Search* search,
                                   Replies* replies, u64 targets,
                                   int distance, bint capture, bint promote, bint white,
                                   Visit visit) noexcept nogil:
    """Make the pawn moves onto `targets`, each from `distance` squares back."""
    cdef u64 nodes = 0
    cdef u64 en_passant = 0
    cdef u64 plain, target
    cdef int origin
    cdef Side rest
    cdef Side* other = them
    cdef Occupancy after
    if visit == VISIT_BULK and not promote:
        plain = undisturbing_pawns(replies, targets, distance, white)
        targets ^= plain
        nodes += count_undisturbed_pawns(us, them, occupancy, replies, plain, distance, capture, white)
    while targets:
        target = targets & (0 - targets)
        origin = first_square(target) - distance if white else first_square(target) + distance
        flip(us, MOVED_PAWN, bit(origin))
        after = occupancy_flip(occupancy, origin, bit(origin))
        if capture:
            rest = without(them, target)
            other = &rest
        else:
            after = occupancy_flip(after, first_square(target), target)
        if distance == 16:
            # Passed on only if an enemy pawn stands ready to take: most replies need not look.
            en_passant = up(bit(origin), white)
            if not (up_left(en_passant, white) | up_right(en_passant, white)) & them.pawns:
                en_passant = 0
        nodes += visit_pawn(us, other, after, search, origin, first_square(target), en_passant, promote,
                            white, visit)
        flip(us, MOVED_PAWN, bit(origin))
        targets &= targets - 1
    return nodes


cdef inline u64 visit_pawns(Side* us, Side* them, Occupancy occupancy, Search* search, const Replies* own,
                            Replies* replies, u64 targets, bint white, Visit visit) noexcept nogil:
    """Make the pawn moves that end on `targets`."""
    cdef u64 last = last_rank(white)
    cdef u64 empty = ~(us.all | them.all)
    cdef u64 push = own.push & empty
    cdef u64 double_push = up(push & double_push_rank(white), white) & empty & targets
    cdef u64 left = own.left & them.all & targets
    cdef u64 right = own.right & them.all & targets
    cdef int left_distance = 7 if white else 9
    cdef int right_distance = 9 if white else 7
    cdef u64 nodes = 0
    push &= targets
    nodes += visit_pawn_targets(us, them, occupancy, search, replies, push & ~last, 8, False, False, white,
                                visit)
    nodes += visit_pawn_targets(us, them, occupancy, search, replies, double_push, 16, False, False, white,
                                visit)
    nodes += visit_pawn_targets(us, them, occupancy, search, replies, left & ~last, left_distance, True,
                                False, white, visit)
    nodes += visit_pawn_targets(us, them, occupancy, search, replies, right & ~last, right_distance, True,
                                False, white, visit)
    if unlikely((push | left | right) & last):
        nodes += visit_pawn_targets(us, them, occupancy, search, replies, push & last, 8, False, True,
                                    white, visit)
        nodes += visit_pawn_targets(us, them, occupancy, search, replies, left & last, left_distance, True,
                                    True, white, visit)
        nodes += visit_pawn_targets(us, them, occupancy, search, replies, right & last, right_distance,
                                    True, True, white, visit)
    return nodes


cdef inline u64 visit_castling(Side* us, Side* them, Occupancy occupancy, Search* search, const Wing* wing,
                               bint white, Visit visit) noexcept nogil:
    cdef u64 nodes
    cdef u64 changed = wing.king_flip ^ wing.rook_flip
    cdef int origin = first_square(us.king)
    cdef u64 squares = changed
    while squares:
        occupancy = occupancy_flip(occupancy, first_square(squares), squares & (0 - squares))
        squares &= squares - 1
    us.king ^= wing.king_flip
    us.straight ^= wing.rook_flip
    us.all ^= changed
    nodes = arrive(us, them, occupancy, search.castling & ~back_rank(white), 0, search, white, visit,
                   MOVED_KING,
                   origin, first_square(wing.rook), 0, True)
    us.king ^= wing.king_flip
    us.straight ^= wing.rook_flip
    us.all ^= changed
    return nodes


cdef inline u64 checkers_of(const Side* us, const Side* them, Occupancy occupancy, bint white) noexcept nogil:
    """The pieces that give check to `us`."""
    cdef int king = first_square(us.king)
    return ((knight_attacks[king] & them.knights) | (pawn_attacks[white][king] & them.pawns)
            | (rook_attacks(king, occupancy) & them.straight)
            | (bishop_attacks(king, occupancy) & them.diagonal))


cdef inline u64 visit_en_passant(Side* us, Side* them, Occupancy occupancy, Search* search, u64 en_passant,
                                 bint white, Visit visit) noexcept nogil:
    """Captures en passant onto the square behind the pawn that has just made a double push.

    Two pawns leave one rank at once, and the taken one may have given check or shielded the king on a
    diagonal: the only sure test is to look at the position after the capture.
    """
    cdef u64 nodes = 0
    cdef u64 taken = up(en_passant, not white)
    cdef u64 pawns = (up_left(en_passant, not white) | up_right(en_passant, not white)) & us.pawns
    cdef u64 origin
    cdef Side rest = without(them, taken)
    cdef Occupancy after
    occupancy = occupancy_flip(occupancy, first_square(taken), taken)
    occupancy = occupancy_flip(occupancy, first_square(en_passant), en_passant)
    while pawns:
        origin = pawns & (0 - pawns)
        after = occupancy_flip(occupancy, first_square(origin), origin)
        us.pawns ^= origin | en_passant
        us.all ^= origin | en_passant
        if not checkers_of(us, &rest, after, white):
            nodes += arrive(us, &rest, after, search.castling, 0, search, white, visit, MOVED_PAWN,
                            first_square(origin), first_square(en_passant), 0, False)
        us.pawns ^= origin | en_passant
        us.all ^= origin | en_passant
        pawns &= pawns - 1
    return nodes


cdef NOINLINE_U64 count_en_passant(const Side* us, const Side* them, Occupancy occupancy, u64 en_passant,
                                   bint white) noexcept nogil:
    cdef Side mover = us[0]
    cdef Search search
    search.castling = 0
    return visit_en_passant(&mover, <Side*>them, occupancy, &search, en_passant, white, VISIT_COUNT)


cdef inline u64 visit_moves(Side* us, Side* them, Occupancy occupancy, Search* search, u64 en_passant,
                            bint white, Visit visit) noexcept nogil:
    """Make every legal move of `us` in turn and sum what the visit returns."""
    cdef u64 nodes = 0
    cdef u64 occupied = occupancy_bits(occupancy)
    cdef int king = first_square(us.king)
    cdef u64 targets = ~us.all
    cdef u64 by_pawns, by_knights, by_king
    cdef u64 free, pieces, moves
    cdef int square
    cdef Replies own, replies
    cdef u64 checkers = look_along_lines(&own, us, them, occupied)
    cdef u64 pinned = own.pinned
    checkers |= (knight_attacks[king] & them.knights) | (pawn_attacks[white][king] & them.pawns)
    if visit == VISIT_BULK:
        by_pawns = pawn_attacks_of(us, white)
        by_knights = knight_attacks_of(us.knights)
        by_king = king_attacks_of(us)
        look_along_lines(&replies, them, us, occupied)
        prepare_king(&replies, them, us, search.castling, not white)
        prepare_pieces(&replies, them, not white)

    prepare_king(&own, us, them, search.castling, white)
    free = own.wanted
    if free:
        # The king's own square is emptied, or squares behind it on a checker's line would look safe.
        free &= ~attacks_of(them, occupancy_flip(occupancy, king, us.king), not white)
    if visit == VISIT_BULK:
        expect(&replies, by_pawns | by_knights)
    nodes += visit_targets(us, them, occupancy, search, &replies, search.castling & ~back_rank(white),
                           king, free & own.steps, white, visit, MOVED_KING)
    if checkers:
        if checkers & (checkers - 1):
            return nodes
        targets = between[king][first_square(checkers)] | checkers
    else:
        if not own.safe_short & ~free:
            nodes += visit_castling(us, them, occupancy, search, &us.wings[0], white, visit)
        if not own.safe_long & ~free:
            nodes += visit_castling(us, them, occupancy, search, &us.wings[1], white, visit)

    if visit == VISIT_BULK:
        expect(&replies, by_knights | by_king)
    prepare_pawns(&own, us, white)
    nodes += visit_pawns(us, them, occupancy, search, &own, &replies, targets, white, visit)
    if en_passant:
        nodes += visit_en_passant(us, them, occupancy, search, en_passant, white, visit)

    pieces = us.knights & ~pinned
    while pieces:
        square = first_square(pieces)
        if visit == VISIT_BULK:
            expect(&replies, by_pawns | knight_attacks_of(us.knights ^ bit(square)) | by_king)
        nodes += visit_targets(us, them, occupancy, search, &replies, search.castling,
                               square, knight_attacks[square] & targets, white, visit, MOVED_KNIGHT)
        pieces &= pieces - 1
    if visit == VISIT_BULK:
        expect(&replies, by_pawns | by_knights | by_king)
    pieces = us.diagonal & ~us.straight
    while pieces:
        square = first_square(pieces)
        moves = bishop_attacks(square, occupancy) & targets
        if bit(square) & pinned:
            moves &= line[king][square]
        nodes += visit_targets(us, them, occupancy, search, &replies, search.castling,
                               square, moves, white, visit, MOVED_BISHOP)
        pieces &= pieces - 1
    pieces = us.straight & ~us.diagonal
    while pieces:
        square = first_square(pieces)
        moves = rook_attacks(square, occupancy) & targets
        if bit(square) & pinned:
            moves &= line[king][square]
        nodes += visit_targets(us, them, occupancy, search, &replies, search.castling & ~bit(square),
                               square, moves, white, visit, MOVED_ROOK)
        pieces &= pieces - 1
    pieces = us.straight & us.diagonal
    while pieces:
        square = first_square(pieces)
        moves = queen_attacks(square, occupancy) & targets
        if bit(square) & pinned:
            moves &= line[king][square]
        nodes += visit_targets(us, them, occupancy, search, &replies, search.castling,
                               square, moves, white, visit, MOVED_QUEEN)
        pieces &= pieces - 1
    return nodes
