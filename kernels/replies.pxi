# Bulk counting: how many legal replies a move has, without making them.
#
# Most moves (72 to 99 % by position) leave alone what lies between the enemy king and our sliders.
# Then the enemy's pins, his knights' moves and the squares his king might go to are the same after each of
# them, and what his pawns can do is summed over all targets of a piece at once. `Replies` hold what is
# common to all moves of a position; `entering` and `leaving` say which moves disturb it: those are counted
# from the start. Sliders are asked anew in every position, his for their moves and ours for his king.
# Kiwipete at v3 with PEXT: 8.8 instructions per node without `Replies`, 4.6 with (gcc 12).

cdef extern from *:
    """
    #define CANNOT (~0ULL)
    """
    const u64 CANNOT        # never all free: squares to castle over if we may not

cdef struct Replies:        # of one side, "us"
    u64 count               # moves that are always there: of knights, and of pinned sliders
    u64 push                # where pawns might go: one step,
    u64 left                # captures
    u64 right
    bint promotes           # whether one of these is on the last rank
    u64 knights             # those not pinned, of the sliders too
    u64 straight
    u64 diagonal
    u64 targets             # squares without a piece of ours
    int king                # our king's square
    u64 steps               # targets next to it
    u64 pinned
    u64 safe_short          # squares that must be free of attack to castle; CANNOT if we may not
    u64 safe_long
    u64 wanted              # all squares next to our king, or on his way to castle, that matter
    u64 attacked            # by enemies other than sliders
    u64 free                # wanted and not attacked so far
    u64 straight_zone       # from here an enemy rook or bishop might
    u64 diagonal_zone
    u64 entering            # a move to one of these squares changes the above
    u64 leaving             # so does a move from one of these


cdef inline u64 pawn_attacks_of(const Side* side, bint white) noexcept nogil:
    return up_left(side.pawns, white) | up_right(side.pawns, white)


cdef inline u64 knight_attacks_of(u64 knights) noexcept nogil:
    cdef u64 attacks = 0
    while knights:
        attacks |= knight_attacks[first_square(knights)]
        knights &= knights - 1
    return attacks


cdef inline u64 king_attacks_of(const Side* side) noexcept nogil:
    return king_attacks[first_square(side.king)]


cdef inline u64 attacks_of(const Side* side, Occupancy occupancy, bint white) noexcept nogil:
    """All squares a side attacks, all its pieces asked."""
    return (pawn_attacks_of(side, white) | knight_attacks_of(side.knights) | king_attacks_of(side)
            | attacks_union(side.straight, side.diagonal, occupancy))


cdef inline u64 pawn_moves(u64 targets, bint white) noexcept nogil:
    """Moves of single pawns onto `targets`, promotions counted four times."""
    return popcount(targets) + 3 * popcount(targets & last_rank(white))


cdef inline u64 look_along(Replies* replies, const Side* us, const Side* them, int king, u64 occupied,
                           u64 candidates, u64 along) noexcept nogil:
    """Note the pins by `candidates`, enemy sliders on lines along which our pieces `along` move.

    Returns those that give check.
    """
    cdef u64 checkers = 0
    cdef u64 slider, path, blockers, behind
    while candidates:
        slider = candidates & (0 - candidates)
        path = between[king][first_square(candidates)]
        blockers = path & occupied
        behind = blockers & (blockers - 1)
        if not blockers:
            checkers |= slider
        elif not behind and blockers & us.all:
            replies.pinned |= blockers
            # It may go to the other squares of the path or take the slider: as many as the path is long.
            if blockers & along:
                replies.count += popcount(path)
            replies.entering |= path
            replies.leaving |= slider
        # One blocker less would make a check of it, or a pin.
        if not behind or (not behind & (behind - 1) and blockers & us.all):
            replies.leaving |= blockers & them.all
        candidates &= candidates - 1
    return checkers


cdef inline u64 look_along_lines(Replies* replies, const Side* us, const Side* them,
                                 u64 occupied) noexcept nogil:
    """Begin to prepare the replies: what lies between our king and enemy sliders.

    Returns those that give check.
    """
    cdef int king = first_square(us.king)
    replies.count = replies.pinned = replies.entering = replies.leaving = 0
    return (look_along(replies, us, them, king, occupied, rook_lines[king] & them.straight, us.straight)
            | look_along(replies, us, them, king, occupied, bishop_lines[king] & them.diagonal, us.diagonal))


cdef inline u64 prepare_castling(Replies* replies, const Side* us, const Side* them, const Wing* wing,
                                 u64 castling) noexcept nogil:
    """The squares that must be safe, CANNOT if other conditions are not met."""
    if not castling & wing.rook & ~replies.pinned or wing.path & us.all:
        return CANNOT
    if wing.path & them.all:
        replies.leaving |= wing.path & them.all
        return CANNOT
    replies.entering |= wing.path
    replies.wanted |= wing.safe
    return wing.safe


cdef inline void prepare_king(Replies* replies, const Side* us, const Side* them, u64 castling,
                              bint white) noexcept nogil:
    """Where our king might go when not in check."""
    cdef int king = first_square(us.king)
    replies.king = king
    replies.wanted = replies.steps = king_attacks[king] & ~us.all
    replies.safe_short = replies.safe_long = CANNOT
    if castling & back_rank(white):
        replies.safe_short = prepare_castling(replies, us, them, &us.wings[0], castling)
        replies.safe_long = prepare_castling(replies, us, them, &us.wings[1], castling)
    replies.entering |= us.all & castling   # taking a rook ends a right


cdef inline void prepare_pawns(Replies* replies, const Side* us, bint white) noexcept nogil:
    """A pinned pawn may push along the king's file, or capture if that keeps it on a diagonal of the king."""
    cdef u64 pinned = us.pawns & replies.pinned
    cdef u64 pawns = us.pawns ^ pinned
    cdef int king = first_square(us.king)
    replies.push = up(pawns, white)
    replies.left = up_left(pawns, white)
    replies.right = up_right(pawns, white)
    if unlikely(pinned != 0):
        replies.push |= up(pinned & (FILE_A << (king & 7)), white)
        pinned &= bishop_lines[king]
        replies.left |= up_left(pinned, white) & bishop_lines[king]
        replies.right |= up_right(pinned, white) & bishop_lines[king]


cdef inline void prepare_pieces(Replies* replies, const Side* us, bint white) noexcept nogil:
    """Our other pieces when not in check."""
    cdef u64 knights = us.knights & ~replies.pinned
    replies.targets = ~us.all
    replies.straight = us.straight & ~replies.pinned
    replies.diagonal = us.diagonal & ~replies.pinned
    prepare_pawns(replies, us, white)
    replies.promotes = ((replies.push | replies.left | replies.right) & last_rank(white)) != 0
    replies.knights = knights
    while knights:
        replies.count += popcount(knight_attacks[first_square(knights)] & replies.targets)
        knights &= knights - 1


cdef inline void expect(Replies* replies, u64 attacked) noexcept nogil:
    """The enemy's pieces other than sliders attack these squares: find out where sliders matter."""
    cdef u64 rest = replies.wanted & ~attacked
    replies.attacked = attacked
    replies.free = rest
    replies.straight_zone = replies.diagonal_zone = 0
    while rest:
        replies.straight_zone |= rook_lines[first_square(rest)]
        replies.diagonal_zone |= bishop_lines[first_square(rest)]
        rest &= rest - 1


cdef inline u64 free_squares(const Replies* replies, const Side* them, Occupancy occupancy,
                             u64 attacked) noexcept nogil:
    """Where our king may go or pass if the enemy, apart from sliders, also attacks `attacked`."""
    cdef u64 free = replies.free & ~attacked
    if free:
        free &= ~attacks_union(replies.straight_zone & them.straight, replies.diagonal_zone & them.diagonal,
                               occupancy)
    return free


cdef inline u64 count_king(const Replies* replies, const Side* them, Occupancy occupancy,
                           u64 attacked) noexcept nogil:
    """Our king's steps and castlings."""
    cdef u64 free = free_squares(replies, them, occupancy, attacked)
    cdef u64 count = 0
    if free:
        count = popcount(free & replies.steps)
        if not replies.safe_short & ~free:
            count += 1
        if not replies.safe_long & ~free:
            count += 1
    return count


cdef inline u64 count_sliders(const Replies* replies, Occupancy occupancy) noexcept nogil:
    return targets_count(replies.straight, replies.diagonal, occupancy, replies.targets)


cdef inline u64 count_pawns(const Replies* replies, u64 theirs, u64 occupied, bint white) noexcept nogil:
    """Our pawns' moves if the enemy has pieces on `theirs`."""
    # Pushes and captures to one side never share a target, so one popcount serves both.
    cdef u64 push = replies.push & ~occupied
    cdef u64 left = replies.left & theirs
    cdef u64 right = replies.right & theirs
    left |= push | (up(push & double_push_rank(white), white) & ~occupied)
    cdef u64 count = popcount(left) + popcount(right)
    if unlikely(replies.promotes):
        count += 3 * (popcount(left & last_rank(white)) + popcount(right & last_rank(white)))
    return count


cdef inline u64 sum_pawns(u64 theirs, u64 pushes, u64 stopped, u64 left, u64 right,
                          u64 targets) noexcept nogil:
    """Sum over `targets` of the pawns' moves if one more enemy piece stands there."""
    return (popcount(targets) * (popcount(pushes | (left & theirs)) + popcount(right & theirs))
            + popcount(left & targets) + popcount(right & targets)
            - popcount(pushes & targets) - popcount(stopped & targets))


cdef inline u64 count_pawns_after(const Replies* replies, u64 theirs, u64 occupied, u64 targets,
                                  bint white) noexcept nogil:
    """Our pawns' moves after a quiet move of one enemy piece, summed over the squares it may go to."""
    cdef u64 push = replies.push & ~occupied
    cdef u64 double_push = up(push & double_push_rank(white), white) & ~occupied
    cdef u64 last = last_rank(white)
    cdef u64 count = sum_pawns(theirs, push | double_push, push & up(double_push, not white),
                               replies.left, replies.right, targets)
    if unlikely(replies.promotes):
        count += 3 * sum_pawns(theirs, push & last, 0, replies.left & last, replies.right & last, targets)
    return count


cdef inline u64 count_prepared(const Replies* replies, const Side* them, Occupancy occupancy, u64 attacked,
                               bint white) noexcept nogil:
    """Legal replies if they are as prepared and the enemy, apart from sliders, also attacks `attacked`."""
    return (replies.count + count_king(replies, them, occupancy, attacked)
            + count_pawns(replies, them.all, occupancy_bits(occupancy), white)
            + count_sliders(replies, occupancy))


cdef inline u64 undisturbing(const Replies* replies, u64 occupied, u64 targets, u64 origin,
                             Moved moved) noexcept nogil:
    """Those of a piece's targets after which the replies are as prepared."""
    cdef u64 lines = 0
    cdef u64 behind
    if origin & replies.leaving:
        return 0
    targets &= ~replies.entering
    if moved == MOVED_KNIGHT:
        targets &= ~knight_attacks[replies.king]
    if moved == MOVED_BISHOP or moved == MOVED_QUEEN:
        lines |= bishop_lines[replies.king]
    if moved == MOVED_ROOK or moved == MOVED_QUEEN:
        lines |= rook_lines[replies.king]
    lines &= targets
    targets ^= lines
    while lines:
        # Two pieces between a slider and the king: neither a check nor a pin.
        behind = between[replies.king][first_square(lines)] & occupied
        if behind & (behind - 1):
            targets |= lines & (0 - lines)
        lines &= lines - 1
    return targets


cdef inline u64 undisturbing_pawns(const Replies* replies, u64 targets, int distance,
                                   bint white) noexcept nogil:
    """Those of `targets` to which a pawn may go from `distance` back and leave the replies as prepared."""
    return targets & ~(replies.entering | pawn_attacks[not white][replies.king]
                       | (replies.leaving << distance if white else replies.leaving >> distance))


cdef inline Replies replies_without(const Replies* replies, u64 square_bit, bint white) noexcept nogil:
    """The replies if one of our pieces has been captured."""
    cdef Replies rest = replies[0]
    cdef int square = first_square(square_bit)
    rest.push &= ~up(square_bit, white)
    rest.left &= ~up_left(square_bit, white)
    rest.right &= ~up_right(square_bit, white)
    rest.knights &= ~square_bit
    rest.straight &= ~square_bit
    rest.diagonal &= ~square_bit
    rest.targets |= square_bit
    rest.count += popcount(knight_attacks[square] & rest.knights)
    if replies.knights & square_bit:
        rest.count -= popcount(knight_attacks[square] & replies.targets)
    if king_attacks[replies.king] & square_bit:
        rest.steps |= square_bit
        rest.free |= square_bit & ~rest.attacked
        rest.straight_zone |= rook_lines[square]
        rest.diagonal_zone |= bishop_lines[square]
    return rest


cdef inline u64 steps_attacked(Moved moved, int square) noexcept nogil:
    if moved == MOVED_KNIGHT:
        return knight_attacks[square]
    if moved == MOVED_KING:
        return king_attacks[square]
    return 0


cdef inline u64 count_undisturbed(Side us, const Side* them, Occupancy occupancy, Replies* replies,
                                  u64 targets,
                                  bint white, Moved moved) noexcept nogil:
    """Replies to all moves of one piece, already lifted, onto `targets`."""
    cdef u64 count = 0
    cdef u64 quiet = targets & ~them.all
    cdef u64 target
    cdef Side after
    cdef Replies rest
    cdef Occupancy after_occupancy
    targets &= them.all
    if quiet:
        count += (popcount(quiet) * replies.count
                  + count_pawns_after(replies, us.all, occupancy_bits(occupancy), quiet, not white))
    while quiet:
        target = quiet & (0 - quiet)
        after = us
        flip(&after, moved, target)
        after_occupancy = occupancy_flip(occupancy, first_square(target), target)
        count += (count_king(replies, &after, after_occupancy, steps_attacked(moved, first_square(target)))
                  + count_sliders(replies, after_occupancy))
        quiet &= quiet - 1
    while targets:
        target = targets & (0 - targets)
        after = us
        flip(&after, moved, target)
        rest = replies_without(replies, target, not white)
        count += count_prepared(&rest, &after, occupancy,
                                steps_attacked(moved, first_square(target)), not white)
        targets &= targets - 1
    return count


cdef inline u64 count_taken_en_passant(const Side* us, const Side* them, Occupancy occupancy, u64 targets,
                                       bint white) noexcept nogil:
    """Replies en passant to double pushes to `targets`."""
    cdef u64 count = 0
    cdef u64 target, passed
    cdef Side after
    # Only next to an enemy pawn.
    targets &= (them.pawns & ~FILE_A) >> 1 | (them.pawns & ~FILE_H) << 1
    while targets:
        target = targets & (0 - targets)
        passed = up(target, not white)
        after = us[0]
        flip(&after, MOVED_PAWN, up(passed, not white) | target)
        count += count_en_passant(them, &after, occupancy_flip(occupancy_flip(
            occupancy, first_square(up(passed, not white)), up(passed, not white)), first_square(target),
            target),
            passed, not white)
        targets &= targets - 1
    return count


cdef inline u64 count_undisturbed_pawns(const Side* us, const Side* them, Occupancy occupancy,
                                        Replies* replies,
                                        u64 targets, int distance, bint capture, bint white) noexcept nogil:
    """Replies to all pawn moves onto `targets`, from `distance` squares back."""
    cdef u64 count = 0
    cdef u64 target, origins
    cdef int origin
    cdef Side after
    cdef Replies rest
    cdef Occupancy after_occupancy
    if not capture:
        # Leaving a square only ends captures: a pawn that would push there stands where this one goes.
        origins = targets >> distance if white else targets << distance
        count += (popcount(targets) * replies.count
                  + count_pawns_after(replies, us.all, occupancy_bits(occupancy), targets, not white)
                  - popcount(replies.left & origins) - popcount(replies.right & origins))
    if distance == 16:
        count += count_taken_en_passant(us, them, occupancy, targets, white)
    while targets:
        target = targets & (0 - targets)
        origin = first_square(target) - distance if white else first_square(target) + distance
        after = us[0]
        flip(&after, MOVED_PAWN, bit(origin) | target)
        after_occupancy = occupancy_flip(occupancy, origin, bit(origin))
        if capture:
            rest = replies_without(replies, target, not white)
            count += count_prepared(&rest, &after, after_occupancy, pawn_attacks_of(&after, white), not white)
        else:
            after_occupancy = occupancy_flip(after_occupancy, first_square(target), target)
            count += (count_king(replies, &after, after_occupancy, pawn_attacks_of(&after, white))
                      + count_sliders(replies, after_occupancy))
        targets &= targets - 1
    return count


cdef NOINLINE_U64 count_evasions(const Side* us, const Side* them, Occupancy occupancy, u64 checkers,
                                 u64 pinned,
                                 bint white) noexcept nogil:
    """Legal moves of a side in check, en passant excepted."""
    cdef int king = first_square(us.king)
    cdef u64 occupied = us.all | them.all
    # The king's own square is emptied, or squares behind it on the checker's line would look safe.
    cdef u64 count = popcount(king_attacks[king] & ~us.all & ~attacks_of(
        them, occupancy_flip(occupancy, king, us.king), not white))
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


cdef inline u64 count_replies(const Side* us, const Side* them, Occupancy occupancy, u64 castling, bint white,
                              Moved moved) noexcept nogil:
    """Legal moves of `us` in a position reached by a move of `them`, en passant excepted."""
    cdef int king = first_square(us.king)
    cdef Replies replies
    cdef u64 occupied = occupancy_bits(occupancy)
    cdef u64 checkers = look_along_lines(&replies, us, them, occupied)
    # Of the pieces that are no sliders, only the one that has just moved can give check.
    if moved == MOVED_KNIGHT:
        checkers |= knight_attacks[king] & them.knights
    if moved == MOVED_PAWN:
        checkers |= pawn_attacks[white][king] & them.pawns
    if unlikely(checkers != 0):
        return count_evasions(us, them, occupancy, checkers, replies.pinned, white)
    prepare_king(&replies, us, them, castling, white)
    prepare_pieces(&replies, us, white)
    expect(&replies, pawn_attacks_of(them, not white) | knight_attacks_of(them.knights)
           | king_attacks_of(them))
    return count_prepared(&replies, them, occupancy, 0, white)


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
    return count_replies(us, them, occupancy, castling, True, MOVED_QUEEN)


cdef NOINLINE_U64 count_black_after_other(
        const Side* us, const Side* them, Occupancy occupancy, u64 castling) noexcept nogil:
    return count_replies(us, them, occupancy, castling, False, MOVED_QUEEN)


cdef inline u64 count_after(const Side* us, const Side* them, Occupancy occupancy, u64 castling,
                            u64 en_passant,
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
