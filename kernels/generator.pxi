# The legal move generator that every kernel shares: a kernel sees only its own queries, and cannot tell
# which position they come from.
#
# A side's pieces lie in five sets: a queen is in both `diagonal` and `straight`, so a slider loop never asks
# which piece it has. Moves are made in place on the mover's side; the other side is copied without the
# captured piece, so undoing is never needed there.
#
# `white`, `visit` and `moved` are constants at every call: always-inline bodies below become a few
# out-of-line instances, each without a branch on them.

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

cdef enum Visit:        # what happens to a made move
    VISIT_DEEPER        # search on, at least two plies
    VISIT_BULK          # count the opponent's replies without making them
    VISIT_MADE          # count 1
    VISIT_LIST          # count 1 and write the move down
    VISIT_COUNT         # count 1, the move need not be made

cdef enum Moved:        # the piece that has just moved, as far as it can give a check sliders cannot
    MOVED_PAWN
    MOVED_KNIGHT
    MOVED_OTHER

cdef enum:
    KNIGHT_PROMOTION = 1
    BISHOP_PROMOTION = 2
    ROOK_PROMOTION = 3
    QUEEN_PROMOTION = 4

cdef struct Move:       # a listed move with the position after it
    Side mover
    Side other
    u64 castling
    u64 en_passant
    uint8_t origin
    uint8_t target
    uint8_t promotion   # 0 or one of the above
    bint castles


# ---- what the king allows --------------------------------------------------------------------------------

cdef inline u64 back_rank(bint white) noexcept nogil:
    return RANK_1 if white else RANK_8


cdef inline u64 last_rank(bint white) noexcept nogil:
    return RANK_8 if white else RANK_1


cdef inline u64 double_push_rank(bint white) noexcept nogil:
    """Where a pawn stands after one step from its home rank."""
    return RANK_1 << 16 if white else RANK_8 >> 16


cdef inline u64 step_checkers(const Side* us, const Side* them, int king, bint white, Moved moved) noexcept nogil:
    """Knights and pawns that give check; only the piece that has just moved can."""
    if moved == MOVED_KNIGHT:
        return knight_attacks[king] & them.knights
    if moved == MOVED_PAWN:
        return pawn_attacks[white][king] & them.pawns
    return 0


cdef inline u64 not_attacked(u64 squares, const Side* them, Occupancy occupancy, bint white) noexcept nogil:
    """Those of `squares` that the enemy does not attack, all its pieces asked."""
    cdef u64 attacked = up_left(them.pawns, not white) | up_right(them.pawns, not white)
    cdef u64 knights = them.knights
    attacked |= king_attacks[first_square(them.king)]
    while knights:
        attacked |= knight_attacks[first_square(knights)]
        knights &= knights - 1
    attacked |= attacks_union(them.straight, them.diagonal, occupancy)
    return squares & ~attacked


cdef inline bint may_castle(const Wing* wing, u64 castling, u64 occupied, u64 pinned) noexcept nogil:
    """The right is there, the way is free, and the rook does not shield the king along the rank (Chess960)."""
    return castling & wing.rook and not (wing.path & occupied) and not (wing.rook & pinned)


# ---- bulk counting ---------------------------------------------------------------------------------------

cdef NOINLINE_U64 count_evasions(const Side* us, const Side* them, Occupancy occupancy, u64 checkers, u64 pinned,
                                 bint white) noexcept nogil:
    """Legal moves of a side in check, en passant excepted."""
    cdef int king = first_square(us.king)
    cdef u64 occupied = us.all | them.all
    # The king's own square is emptied, or squares behind it on the checker's line would look safe.
    cdef u64 count = popcount(not_attacked(
        king_attacks[king] & ~us.all, them, occupancy_flip(occupancy, king, us.king), white))
    cdef u64 targets, pawns, push, knights
    if checkers & (checkers - 1):
        return count
    targets = between[king][first_square(checkers)] | checkers
    # A pinned piece cannot leave its own line, which the checker is not on.
    pawns = us.pawns & ~pinned
    push = up(pawns, white) & ~occupied
    count += pawn_moves(push & targets, white)
    count += pawn_moves(up(push & double_push_rank(white), white) & ~occupied & targets, white)
    count += pawn_moves(up_left(pawns, white) & checkers, white)
    count += pawn_moves(up_right(pawns, white) & checkers, white)
    knights = us.knights & ~pinned
    while knights:
        count += popcount(knight_attacks[first_square(knights)] & targets)
        knights &= knights - 1
    return count + targets_count(us.straight & ~pinned, us.diagonal & ~pinned, occupancy, targets)


cdef inline u64 pawn_moves(u64 targets, bint white) noexcept nogil:
    """Moves of single pawns onto `targets`, promotions counted four times."""
    return popcount(targets) + 3 * popcount(targets & last_rank(white))


cdef inline u64 count_pinned_pawns(const Side* us, const Side* them, int king, u64 occupied, u64 pinned,
                                   bint white) noexcept nogil:
    """Moves of pinned pawns: pushes along the king's file, captures of the piece that pins."""
    cdef u64 pawns = us.pawns & pinned
    cdef u64 on_file = pawns & (FILE_A << (king & 7))
    cdef u64 push = up(on_file, white) & ~occupied
    cdef u64 count = popcount(push | (up(push & double_push_rank(white), white) & ~occupied))
    cdef u64 diagonal = pawns & bishop_lines[king]
    cdef u64 pinners = them.diagonal & bishop_lines[king]
    cdef int pawn
    while diagonal:
        pawn = first_square(diagonal)
        count += pawn_moves(pawn_attacks[white][pawn] & pinners & line[king][pawn], white)
        diagonal &= diagonal - 1
    return count


cdef inline u64 count_replies(const Side* us, const Side* them, Occupancy occupancy, u64 castling, bint white,
                              Moved moved) noexcept nogil:
    """Legal moves of `us` in a position reached by a move of `them`, en passant excepted."""
    cdef u64 occupied = occupancy_bits(occupancy)
    cdef int king = first_square(us.king)
    cdef u64 checkers = step_checkers(us, them, king, white, moved)
    cdef u64 count = 0
    cdef u64 pinned = 0
    cdef u64 candidates, path, blockers

    # Enemy sliders on the king's lines: none between is a check, one of ours a pin. A pinned slider may
    # go to the other squares of the path or take the pinning piece: as many moves as the path is long.
    candidates = rook_lines[king] & them.straight
    while candidates:
        path = between[king][first_square(candidates)]
        blockers = path & occupied
        if not blockers:
            checkers |= candidates & (0 - candidates)
        elif not blockers & (blockers - 1) and blockers & us.all:
            pinned |= blockers
            if blockers & us.straight:
                count += popcount(path)
        candidates &= candidates - 1
    candidates = bishop_lines[king] & them.diagonal
    while candidates:
        path = between[king][first_square(candidates)]
        blockers = path & occupied
        if not blockers:
            checkers |= candidates & (0 - candidates)
        elif not blockers & (blockers - 1) and blockers & us.all:
            pinned |= blockers
            if blockers & us.diagonal:
                count += popcount(path)
        candidates &= candidates - 1
    if unlikely(checkers != 0):
        return count_evasions(us, them, occupancy, checkers, pinned, white)

    # King moves and castling: only the squares that matter are asked about.
    cdef u64 steps = king_attacks[king] & ~us.all
    cdef u64 wanted = steps
    cdef u64 knights = them.knights & knight_reach[king]
    cdef const Wing* wings = us.wings
    cdef bint short_castling = False, long_castling = False
    if castling & back_rank(white):
        short_castling = may_castle(&wings[0], castling, occupied, pinned)
        long_castling = may_castle(&wings[1], castling, occupied, pinned)
        if short_castling:
            wanted |= wings[0].safe
        if long_castling:
            wanted |= wings[1].safe
        knights = them.knights
    cdef u64 straight_lines, diagonal_lines, rest
    if wanted:
        wanted &= ~(up_left(them.pawns, not white) | up_right(them.pawns, not white)
                    | king_attacks[first_square(them.king)])
        while knights:
            wanted &= ~knight_attacks[first_square(knights)]
            knights &= knights - 1
        rest = wanted
        straight_lines = diagonal_lines = 0
        while rest:
            straight_lines |= rook_lines[first_square(rest)]
            diagonal_lines |= bishop_lines[first_square(rest)]
            rest &= rest - 1
        wanted &= ~attacks_union(straight_lines & them.straight, diagonal_lines & them.diagonal, occupancy)
        count += popcount(wanted & steps)
        if short_castling and not (wings[0].safe & ~wanted):
            count += 1
        if long_castling and not (wings[1].safe & ~wanted):
            count += 1

    cdef u64 pawns = us.pawns
    cdef u64 straight = us.straight
    cdef u64 diagonal = us.diagonal
    cdef u64 ours = us.knights
    if pinned:
        if pawns & pinned:
            count += count_pinned_pawns(us, them, king, occupied, pinned, white)
        pawns &= ~pinned
        straight &= ~pinned
        diagonal &= ~pinned
        ours &= ~pinned

    # Pushes and captures to one side never share a target, so one popcount serves both.
    cdef u64 push = up(pawns, white) & ~occupied
    cdef u64 left = up_left(pawns, white) & them.all
    cdef u64 right = up_right(pawns, white) & them.all
    left |= push | (up(push & double_push_rank(white), white) & ~occupied)
    count += popcount(left) + popcount(right)
    if (left | right) & last_rank(white):
        count += 3 * (popcount(left & last_rank(white)) + popcount(right & last_rank(white)))

    cdef u64 targets = ~us.all
    while ours:
        count += popcount(knight_attacks[first_square(ours)] & targets)
        ours &= ours - 1
    return count + targets_count(straight, diagonal, occupancy, targets)


# Out of line: inlined into every move loop they would not fit the instruction cache (4 to 9 % slower).

cdef NOINLINE_U64 count_white_after_pawn(
        const Side* us, const Side* them, Occupancy occupancy, u64 castling) noexcept nogil:
    return count_replies(us, them, occupancy, castling, True, MOVED_PAWN)


cdef NOINLINE_U64 count_black_after_pawn(
        const Side* us, const Side* them, Occupancy occupancy, u64 castling) noexcept nogil:
    return count_replies(us, them, occupancy, castling, False, MOVED_PAWN)


cdef NOINLINE_U64 count_white_after_knight(
        const Side* us, const Side* them, Occupancy occupancy, u64 castling) noexcept nogil:
    return count_replies(us, them, occupancy, castling, True, MOVED_KNIGHT)


cdef NOINLINE_U64 count_black_after_knight(
        const Side* us, const Side* them, Occupancy occupancy, u64 castling) noexcept nogil:
    return count_replies(us, them, occupancy, castling, False, MOVED_KNIGHT)


cdef NOINLINE_U64 count_white_after_other(
        const Side* us, const Side* them, Occupancy occupancy, u64 castling) noexcept nogil:
    return count_replies(us, them, occupancy, castling, True, MOVED_OTHER)


cdef NOINLINE_U64 count_black_after_other(
        const Side* us, const Side* them, Occupancy occupancy, u64 castling) noexcept nogil:
    return count_replies(us, them, occupancy, castling, False, MOVED_OTHER)


cdef inline u64 count_after(const Side* us, const Side* them, Occupancy occupancy, u64 castling, u64 en_passant,
                            bint white, Moved moved) noexcept nogil:
    """Legal moves of `us`, en passant included."""
    if moved == MOVED_PAWN:
        return ((count_white_after_pawn(us, them, occupancy, castling) if white
                 else count_black_after_pawn(us, them, occupancy, castling))
                + (count_en_passant(us, them, occupancy, en_passant, white) if en_passant else 0))
    if moved == MOVED_KNIGHT:
        return (count_white_after_knight(us, them, occupancy, castling) if white
                else count_black_after_knight(us, them, occupancy, castling))
    return (count_white_after_other(us, them, occupancy, castling) if white
            else count_black_after_other(us, them, occupancy, castling))


# ---- making moves ----------------------------------------------------------------------------------------

cdef struct Search:     # the constants of one visit
    int depth
    u64 castling        # home squares of the rooks that may still castle, both sides
    Move* moves         # where VISIT_LIST writes
    bint bulk


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


cdef inline u64 arrive(Side* us, Side* them, Occupancy occupancy, u64 castling, u64 en_passant, Search* search,
                       bint white, Visit visit, Moved moved, int origin, int target, int promotion,
                       bint castles) noexcept nogil:
    """What a visit does with the position after a move of `us`."""
    cdef Move* move
    cdef u64 one = 1
    if visit == VISIT_BULK:
        return count_after(them, us, occupancy, castling, en_passant, not white, moved)
    if visit == VISIT_DEEPER:
        if white:
            return perft_black(them, us, occupancy, castling, en_passant, search.depth - 1, search.bulk)
        return perft_white(them, us, occupancy, castling, en_passant, search.depth - 1, search.bulk)
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


cdef inline u64 visit_targets(Side* us, Side* them, Occupancy occupancy, Search* search, u64 castling,
                              u64* first, u64* second, int origin, u64 targets, bint white, Visit visit, Moved moved) noexcept nogil:
    """Move one piece from `origin` to each of `targets`; `castling` are the rights that stay.

    `first` and `second` are the piece's sets in `us`: both for a queen, else `second` is NULL.
    """
    cdef u64 nodes = 0
    cdef u64 quiet = targets & ~them.all
    cdef u64 capture = targets & them.all
    cdef u64 target, first_rest, second_rest = 0, all_rest
    cdef Side rest
    first[0] ^= bit(origin)
    us.all ^= bit(origin)
    if second != NULL:
        second[0] ^= bit(origin)
        second_rest = second[0]
    first_rest = first[0]
    all_rest = us.all
    occupancy = occupancy_flip(occupancy, origin, bit(origin))
    while quiet:
        target = quiet & (0 - quiet)
        first[0] = first_rest | target
        if second != NULL:
            second[0] = second_rest | target
        us.all = all_rest | target
        nodes += arrive(us, them, occupancy_flip(occupancy, first_square(quiet), target), castling, 0, search,
                        white, visit, moved, origin, first_square(quiet), 0, False)
        quiet &= quiet - 1
    while capture:
        target = capture & (0 - capture)
        first[0] = first_rest | target
        if second != NULL:
            second[0] = second_rest | target
        us.all = all_rest | target
        rest = without(them, target)
        nodes += arrive(us, &rest, occupancy, castling & ~target, 0, search,
                        white, visit, moved, origin, first_square(capture), 0, False)
        capture &= capture - 1
    first[0] = first_rest | bit(origin)
    if second != NULL:
        second[0] = second_rest | bit(origin)
    us.all = all_rest | bit(origin)
    return nodes


cdef inline u64 visit_pawn(Side* us, Side* them, Occupancy occupancy, Search* search, int origin, int target,
                           u64 en_passant, bint capture, bint promote, bint white, Visit visit) noexcept nogil:
    """Move one pawn, in all four ways if it promotes."""
    cdef u64 nodes = 0
    cdef u64 castling = search.castling
    cdef u64 target_bit = bit(target)
    cdef Side rest
    cdef Side* other = them
    if capture:
        rest = without(them, target_bit)
        other = &rest
        castling &= ~target_bit
    else:
        occupancy = occupancy_flip(occupancy, target, target_bit)
    occupancy = occupancy_flip(occupancy, origin, bit(origin))
    us.pawns ^= bit(origin)
    us.all ^= bit(origin) | target_bit
    if not promote:
        us.pawns ^= target_bit
        nodes = arrive(us, other, occupancy, castling, en_passant, search, white, visit, MOVED_PAWN,
                       origin, target, 0, False)
        us.pawns ^= target_bit
    else:
        us.straight ^= target_bit
        us.diagonal ^= target_bit
        nodes += arrive(us, other, occupancy, castling, 0, search, white, visit, MOVED_OTHER,
                        origin, target, QUEEN_PROMOTION, False)
        us.diagonal ^= target_bit
        nodes += arrive(us, other, occupancy, castling, 0, search, white, visit, MOVED_OTHER,
                        origin, target, ROOK_PROMOTION, False)
        us.straight ^= target_bit
        us.diagonal ^= target_bit
        nodes += arrive(us, other, occupancy, castling, 0, search, white, visit, MOVED_OTHER,
                        origin, target, BISHOP_PROMOTION, False)
        us.diagonal ^= target_bit
        us.knights ^= target_bit
        nodes += arrive(us, other, occupancy, castling, 0, search, white, visit, MOVED_KNIGHT,
                        origin, target, KNIGHT_PROMOTION, False)
        us.knights ^= target_bit
    us.pawns ^= bit(origin)
    us.all ^= bit(origin) | target_bit
    return nodes


cdef inline u64 visit_pawn_targets(Side* us, Side* them, Occupancy occupancy, Search* search, u64 targets,
                                   int distance, bint capture, bint promote, bint white, Visit visit) noexcept nogil:
    """Make the pawn moves onto `targets`, each from `distance` squares back."""
    cdef u64 nodes = 0
    cdef u64 en_passant = 0
    cdef int target, origin
    while targets:
        target = first_square(targets)
        origin = target - distance if white else target + distance
        if distance == 16:
            # Passed on only if an enemy pawn stands ready to take: most replies need not look.
            en_passant = up(bit(origin), white)
            if not (up_left(en_passant, white) | up_right(en_passant, white)) & them.pawns:
                en_passant = 0
        nodes += visit_pawn(us, them, occupancy, search, origin, target, en_passant, capture, promote, white, visit)
        targets &= targets - 1
    return nodes


cdef inline u64 visit_pawns(Side* us, Side* them, Occupancy occupancy, Search* search, u64 pawns, u64 targets,
                            bint white, Visit visit) noexcept nogil:
    """Move `pawns`, all of them free to go anywhere in `targets`."""
    cdef u64 last = last_rank(white)
    cdef u64 empty = ~(us.all | them.all)
    cdef u64 push = up(pawns, white) & empty
    cdef u64 double_push = up(push & double_push_rank(white), white) & empty & targets
    cdef u64 left = up_left(pawns, white) & them.all & targets
    cdef u64 right = up_right(pawns, white) & them.all & targets
    cdef int left_distance = 7 if white else 9
    cdef int right_distance = 9 if white else 7
    push &= targets
    cdef u64 nodes = visit_pawn_targets(us, them, occupancy, search, push & ~last, 8, False, False, white, visit)
    nodes += visit_pawn_targets(us, them, occupancy, search, double_push, 16, False, False, white, visit)
    nodes += visit_pawn_targets(us, them, occupancy, search, left & ~last, left_distance, True, False, white, visit)
    nodes += visit_pawn_targets(us, them, occupancy, search, right & ~last, right_distance, True, False, white, visit)
    if unlikely((push | left | right) & last):
        nodes += visit_pawn_targets(us, them, occupancy, search, push & last, 8, False, True, white, visit)
        nodes += visit_pawn_targets(us, them, occupancy, search, left & last, left_distance, True, True, white, visit)
        nodes += visit_pawn_targets(us, them, occupancy, search, right & last, right_distance, True, True, white, visit)
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
    nodes = arrive(us, them, occupancy, search.castling & ~back_rank(white), 0, search, white, visit, MOVED_OTHER,
                   origin, first_square(wing.rook), 0, True)
    us.king ^= wing.king_flip
    us.straight ^= wing.rook_flip
    us.all ^= changed
    return nodes


cdef inline bint king_in_check(const Side* us, const Side* them, Occupancy occupancy, bint white) noexcept nogil:
    cdef int king = first_square(us.king)
    return ((knight_attacks[king] & them.knights) | (pawn_attacks[white][king] & them.pawns)
            | (rook_attacks(king, occupancy) & them.straight)
            | (bishop_attacks(king, occupancy) & them.diagonal)) != 0


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
        if not king_in_check(us, &rest, after, white):
            nodes += arrive(us, &rest, after, search.castling, 0, search, white, visit, MOVED_PAWN,
                            first_square(origin), first_square(en_passant), 0, False)
        us.pawns ^= origin | en_passant
        us.all ^= origin | en_passant
        pawns &= pawns - 1
    return nodes


cdef NOINLINE_U64 count_en_passant(const Side* us, const Side* them, Occupancy occupancy, u64 en_passant,
                                   bint white) noexcept nogil:
    cdef Side mover = us[0]
    return visit_en_passant(&mover, <Side*>them, occupancy, NULL, en_passant, white, VISIT_COUNT)


cdef inline u64 visit_moves(Side* us, Side* them, Occupancy occupancy, Search* search, u64 en_passant,
                            bint white, Visit visit) noexcept nogil:
    """Make every legal move of `us` in turn and sum what the visit returns."""
    cdef u64 nodes = 0
    cdef u64 occupied = occupancy_bits(occupancy)
    cdef int king = first_square(us.king)
    cdef u64 checkers = (knight_attacks[king] & them.knights) | (pawn_attacks[white][king] & them.pawns)
    cdef u64 candidates = (rook_lines[king] & them.straight) | (bishop_lines[king] & them.diagonal)
    cdef u64 pinned = 0
    cdef u64 blockers, safe, targets, pieces, moves, steps
    cdef const Wing* wing
    cdef int square, side
    while candidates:
        blockers = between[king][first_square(candidates)] & occupied
        if not blockers:
            checkers |= candidates & (0 - candidates)
        elif not blockers & (blockers - 1):
            pinned |= blockers & us.all
        candidates &= candidates - 1

    safe = not_attacked(~<u64>0, them, occupancy_flip(occupancy, king, us.king), white)
    steps = king_attacks[king] & ~us.all & safe
    nodes += visit_targets(us, them, occupancy, search, search.castling & ~back_rank(white), &us.king, NULL,
                           king, steps, white, visit, MOVED_OTHER)
    targets = ~us.all
    if checkers:
        if checkers & (checkers - 1):
            return nodes
        targets = between[king][first_square(checkers)] | checkers
    elif search.castling & back_rank(white):
        for side in range(2):
            wing = &us.wings[side]
            if may_castle(wing, search.castling, occupied, pinned) and not (wing.safe & ~safe):
                nodes += visit_castling(us, them, occupancy, search, wing, white, visit)

    nodes += visit_pawns(us, them, occupancy, search, us.pawns & ~pinned, targets, white, visit)
    pieces = us.pawns & pinned
    while unlikely(pieces != 0):
        square = first_square(pieces)
        nodes += visit_pawns(us, them, occupancy, search, bit(square), targets & line[king][square], white, visit)
        pieces &= pieces - 1
    if en_passant:
        nodes += visit_en_passant(us, them, occupancy, search, en_passant, white, visit)

    pieces = us.knights & ~pinned
    while pieces:
        square = first_square(pieces)
        nodes += visit_targets(us, them, occupancy, search, search.castling, &us.knights, NULL,
                               square, knight_attacks[square] & targets, white, visit, MOVED_KNIGHT)
        pieces &= pieces - 1
    pieces = us.diagonal & ~us.straight
    while pieces:
        square = first_square(pieces)
        moves = bishop_attacks(square, occupancy) & targets
        if bit(square) & pinned:
            moves &= line[king][square]
        nodes += visit_targets(us, them, occupancy, search, search.castling, &us.diagonal, NULL,
                               square, moves, white, visit, MOVED_OTHER)
        pieces &= pieces - 1
    pieces = us.straight & ~us.diagonal
    while pieces:
        square = first_square(pieces)
        moves = rook_attacks(square, occupancy) & targets
        if bit(square) & pinned:
            moves &= line[king][square]
        nodes += visit_targets(us, them, occupancy, search, search.castling & ~bit(square), &us.straight, NULL,
                               square, moves, white, visit, MOVED_OTHER)
        pieces &= pieces - 1
    pieces = us.straight & us.diagonal
    while pieces:
        square = first_square(pieces)
        moves = queen_attacks(square, occupancy) & targets
        if bit(square) & pinned:
            moves &= line[king][square]
        nodes += visit_targets(us, them, occupancy, search, search.castling, &us.straight, &us.diagonal,
                               square, moves, white, visit, MOVED_OTHER)
        pieces &= pieces - 1
    return nodes
