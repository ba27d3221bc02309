# Bulk counting: how many legal replies a move has, without making them.
#
# Most moves (72 to 99 %, depending on the position) do not change what lies between the enemy king and our
# sliders. The enemy's pins, the moves of his knights and the squares his king might go to are then the same after
# each of them, and what his pawns can do is summed over all targets of a piece at once. `Replies` hold what all
# moves of a position have in common; `disturbing_targets` and `disturbing_origins` say which moves change it: the
# replies to those are counted from scratch. Sliders are always queried in the position after the move: the
# enemy's for their moves, ours for the king danger squares.
# Kiwipete at v3 with PEXT: 8.8 instructions per node without `Replies`, 4.6 with (gcc 12).

cdef extern from *:
    """
    #define NEVER_SAFE (~0ULL)
    """
    const u64 NEVER_SAFE    # stands for the squares of a castling that is not possible: never all of them are safe

cdef struct Replies:        # of one side, "us"
    # set by find_pins_and_checkers:
    u64 pinned
    u64 count               # moves that no independent move changes: of pinned sliders, later also of knights
    u64 disturbing_targets  # a move of the enemy to one of these squares changes what is prepared here
    u64 disturbing_origins  # so does a move from one of these
    # set by prepare_king, which adds to the disturbing squares:
    int king                # our king's square
    u64 king_steps          # squares next to him without a piece of ours
    u64 king_targets        # these, and the squares that castling needs safe
    u64 safe_short          # what must be safe to castle on the king side, or NEVER_SAFE
    u64 safe_long           # on the queen side
    # set by prepare_pawns:
    u64 push                # where pawns might go: one step forward,
    u64 left                # captures
    u64 right
    # set by prepare_pieces, which adds to `count`:
    u64 targets             # squares without a piece of ours
    u64 knights             # pieces that are not pinned
    u64 orthogonal
    u64 diagonal
    bint promotes           # whether a pawn might move to the last rank
    # set by set_enemy_attacks:
    u64 attacked            # by enemies other than sliders: king danger squares
    u64 safe_targets        # king_targets that are not attacked; sliders are not considered yet
    u64 rook_reach          # squares from which a rook could attack a safe target on an empty board
    u64 bishop_reach


cdef inline u64 pawn_attacks_of(const Side* side, bint white) noexcept nogil:
    return forward_left(side.pawns, white) | forward_right(side.pawns, white)


cdef inline u64 knight_attacks_of(u64 knights) noexcept nogil:
    cdef u64 attacks = 0
    while knights:
        attacks |= knight_attacks[lsb(knights)]
        knights &= knights - 1
    return attacks


cdef inline u64 king_attacks_of(const Side* side) noexcept nogil:
    return king_attacks[lsb(side.king)]


cdef inline u64 attacks_of(const Side* side, Occupancy occupancy, bint white) noexcept nogil:
    """All squares a side attacks, all its pieces asked."""
    return (pawn_attacks_of(side, white) | knight_attacks_of(side.knights) | king_attacks_of(side)
            | attacked_by_sliders(side.orthogonal, side.diagonal, occupancy))


cdef inline u64 pawn_moves(u64 targets, bint white) noexcept nogil:
    """Moves of single pawns onto `targets`, promotions counted four times."""
    return popcount(targets) + 3 * popcount(targets & last_rank(white))


cdef inline u64 find_pins(Replies* replies, const Side* us, const Side* them, int king, u64 occupied,
                          u64 candidates, u64 along) noexcept nogil:
    """Note the pins by `candidates`, enemy sliders on lines along which our pieces `along` move.

    Returns those that give check.
    """
    cdef u64 checkers = 0
    cdef u64 slider, path, blockers, behind
    while candidates:
        slider = candidates & (0 - candidates)
        path = between[king][lsb(candidates)]
        blockers = path & occupied
        behind = blockers & (blockers - 1)
        if not blockers:
            checkers |= slider
        elif not behind and blockers & us.occupied:
            replies.pinned |= blockers
            # It may go to the other squares of the path or take the slider: as many as the path is long.
            if blockers & along:
                replies.count += popcount(path)
            replies.disturbing_targets |= path
            replies.disturbing_origins |= slider
        # One blocker less would make a check of it, or a pin.
        if not behind or (not behind & (behind - 1) and blockers & us.occupied):
            replies.disturbing_origins |= blockers & them.occupied
        candidates &= candidates - 1
    return checkers


cdef inline u64 find_pins_and_checkers(Replies* replies, const Side* us, const Side* them,
                                       u64 occupied) noexcept nogil:
    """Begin to prepare the replies: what lies between our king and enemy sliders.

    Returns those that give check.
    """
    cdef int king = lsb(us.king)
    replies.count = replies.pinned = replies.disturbing_targets = replies.disturbing_origins = 0
    return (find_pins(replies, us, them, king, occupied, rook_rays[king] & them.orthogonal, us.orthogonal)
            | find_pins(replies, us, them, king, occupied, bishop_rays[king] & them.diagonal, us.diagonal))


cdef inline u64 prepare_castling(Replies* replies, const Side* us, const Side* them, const Castling* castling,
                                 u64 rights) noexcept nogil:
    """The squares that must be safe, NEVER_SAFE if other conditions are not met."""
    if not rights & castling.rook & ~replies.pinned or castling.must_be_empty & us.occupied:
        return NEVER_SAFE
    if castling.must_be_empty & them.occupied:
        replies.disturbing_origins |= castling.must_be_empty & them.occupied
        return NEVER_SAFE
    replies.disturbing_targets |= castling.must_be_empty
    replies.king_targets |= castling.must_be_safe
    return castling.must_be_safe


cdef inline void prepare_king(Replies* replies, const Side* us, const Side* them, u64 rights,
                              bint white) noexcept nogil:
    """Where our king might go when not in check."""
    cdef int king = lsb(us.king)
    replies.king = king
    replies.king_targets = replies.king_steps = king_attacks[king] & ~us.occupied
    replies.safe_short = replies.safe_long = NEVER_SAFE
    if rights & back_rank(white):
        replies.safe_short = prepare_castling(replies, us, them, &us.castlings[0], rights)
        replies.safe_long = prepare_castling(replies, us, them, &us.castlings[1], rights)
    replies.disturbing_targets |= us.occupied & rights   # taking a rook ends a right


cdef inline void prepare_pawns(Replies* replies, const Side* us, bint white) noexcept nogil:
    """A pinned pawn may push along the king's file, or capture if that keeps it on a diagonal of the king."""
    cdef u64 pinned = us.pawns & replies.pinned
    cdef u64 pawns = us.pawns ^ pinned
    cdef int king = lsb(us.king)
    replies.push = forward(pawns, white)
    replies.left = forward_left(pawns, white)
    replies.right = forward_right(pawns, white)
    if unlikely(pinned != 0):
        replies.push |= forward(pinned & (FILE_A << (king & 7)), white)
        pinned &= bishop_rays[king]
        replies.left |= forward_left(pinned, white) & bishop_rays[king]
        replies.right |= forward_right(pinned, white) & bishop_rays[king]


cdef inline void prepare_pieces(Replies* replies, const Side* us, bint white) noexcept nogil:
    """Our other pieces when not in check."""
    cdef u64 knights = us.knights & ~replies.pinned
    replies.targets = ~us.occupied
    replies.orthogonal = us.orthogonal & ~replies.pinned
    replies.diagonal = us.diagonal & ~replies.pinned
    prepare_pawns(replies, us, white)
    replies.promotes = ((replies.push | replies.left | replies.right) & last_rank(white)) != 0
    replies.knights = knights
    while knights:
        replies.count += popcount(knight_attacks[lsb(knights)] & replies.targets)
        knights &= knights - 1


cdef inline void set_enemy_attacks(Replies* replies, u64 attacked) noexcept nogil:
    """The enemy's pieces other than sliders attack these squares: find out where sliders matter."""
    cdef u64 rest = replies.king_targets & ~attacked
    replies.attacked = attacked
    replies.safe_targets = rest
    replies.rook_reach = replies.bishop_reach = 0
    while rest:
        replies.rook_reach |= rook_rays[lsb(rest)]
        replies.bishop_reach |= bishop_rays[lsb(rest)]
        rest &= rest - 1


cdef inline u64 find_safe_targets(const Replies* replies, const Side* them, Occupancy occupancy,
                                  u64 attacked) noexcept nogil:
    """Where our king may go or pass if the enemy, apart from sliders, also attacks `attacked`."""
    cdef u64 safe = replies.safe_targets & ~attacked
    if safe:
        safe &= ~attacked_by_sliders(replies.rook_reach & them.orthogonal, replies.bishop_reach & them.diagonal,
                                     occupancy)
    return safe


cdef inline u64 count_king(const Replies* replies, const Side* them, Occupancy occupancy,
                           u64 attacked) noexcept nogil:
    """Our king's steps and castlings."""
    cdef u64 safe = find_safe_targets(replies, them, occupancy, attacked)
    cdef u64 count = 0
    if safe:
        count = popcount(safe & replies.king_steps)
        if not replies.safe_short & ~safe:
            count += 1
        if not replies.safe_long & ~safe:
            count += 1
    return count


cdef inline u64 count_sliders(const Replies* replies, Occupancy occupancy) noexcept nogil:
    return count_slider_moves(replies.orthogonal, replies.diagonal, occupancy, replies.targets)


cdef inline u64 count_pawns(const Replies* replies, u64 theirs, u64 occupied, bint white) noexcept nogil:
    """Our pawns' moves if the enemy has pieces on `theirs`."""
    # Pushes and captures to one side never share a target, so one popcount serves both.
    cdef u64 push = replies.push & ~occupied
    cdef u64 left = replies.left & theirs
    cdef u64 right = replies.right & theirs
    left |= push | (forward(push & third_rank(white), white) & ~occupied)
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
    cdef u64 double_push = forward(push & third_rank(white), white) & ~occupied
    cdef u64 last = last_rank(white)
    cdef u64 count = sum_pawns(theirs, push | double_push, push & forward(double_push, not white),
                               replies.left, replies.right, targets)
    if unlikely(replies.promotes):
        count += 3 * sum_pawns(theirs, push & last, 0, replies.left & last, replies.right & last, targets)
    return count


cdef inline u64 count_prepared(const Replies* replies, const Side* them, Occupancy occupancy, u64 attacked,
                               bint white) noexcept nogil:
    """Legal replies if they are as prepared and the enemy, apart from sliders, also attacks `attacked`."""
    return (replies.count + count_king(replies, them, occupancy, attacked)
            + count_pawns(replies, them.occupied, occupancy_bits(occupancy), white)
            + count_sliders(replies, occupancy))


cdef inline u64 independent_targets(const Replies* replies, u64 occupied, u64 targets, u64 origin,
                                    Moved moved) noexcept nogil:
    """Those of a piece's targets after which the replies are as prepared."""
    cdef u64 lines = 0
    cdef u64 behind
    if origin & replies.disturbing_origins:
        return 0
    targets &= ~replies.disturbing_targets
    if moved == MOVED_KNIGHT:
        targets &= ~knight_attacks[replies.king]
    if moved == MOVED_BISHOP or moved == MOVED_QUEEN:
        lines |= bishop_rays[replies.king]
    if moved == MOVED_ROOK or moved == MOVED_QUEEN:
        lines |= rook_rays[replies.king]
    lines &= targets
    targets ^= lines
    while lines:
        # Two pieces between a slider and the king: neither a check nor a pin.
        behind = between[replies.king][lsb(lines)] & occupied
        if behind & (behind - 1):
            targets |= lines & (0 - lines)
        lines &= lines - 1
    return targets


cdef inline u64 independent_pawn_targets(const Replies* replies, u64 targets, int distance,
                                         bint white) noexcept nogil:
    """Those of `targets` to which a pawn may go from `distance` back and leave the replies as prepared."""
    return targets & ~(replies.disturbing_targets | pawn_attacks[not white][replies.king]
                       | (replies.disturbing_origins << distance if white else replies.disturbing_origins >> distance))


cdef inline Replies replies_without(const Replies* replies, u64 square_bit, bint white) noexcept nogil:
    """The replies if one of our pieces has been captured."""
    cdef Replies rest = replies[0]
    cdef int square = lsb(square_bit)
    rest.push &= ~forward(square_bit, white)
    rest.left &= ~forward_left(square_bit, white)
    rest.right &= ~forward_right(square_bit, white)
    rest.knights &= ~square_bit
    rest.orthogonal &= ~square_bit
    rest.diagonal &= ~square_bit
    rest.targets |= square_bit
    rest.count += popcount(knight_attacks[square] & rest.knights)
    if replies.knights & square_bit:
        rest.count -= popcount(knight_attacks[square] & replies.targets)
    if king_attacks[replies.king] & square_bit:
        rest.king_steps |= square_bit
        rest.safe_targets |= square_bit & ~rest.attacked
        rest.rook_reach |= rook_rays[square]
        rest.bishop_reach |= bishop_rays[square]
    return rest


cdef inline u64 attacked_by_leaper(Moved moved, int square) noexcept nogil:
    if moved == MOVED_KNIGHT:
        return knight_attacks[square]
    if moved == MOVED_KING:
        return king_attacks[square]
    return 0


cdef inline u64 count_independent(Side us, const Side* them, Occupancy occupancy, Replies* replies,
                                  u64 targets,
                                  bint white, Moved moved) noexcept nogil:
    """Replies to all moves of one piece, already lifted, onto `targets`."""
    cdef u64 count = 0
    cdef u64 quiet = targets & ~them.occupied
    cdef u64 target
    cdef Side after
    cdef Replies rest
    cdef Occupancy after_occupancy
    targets &= them.occupied
    if quiet:
        count += (popcount(quiet) * replies.count
                  + count_pawns_after(replies, us.occupied, occupancy_bits(occupancy), quiet, not white))
    while quiet:
        target = quiet & (0 - quiet)
        after = us
        flip(&after, moved, target)
        after_occupancy = occupancy_flip(occupancy, lsb(target), target)
        count += (count_king(replies, &after, after_occupancy, attacked_by_leaper(moved, lsb(target)))
                  + count_sliders(replies, after_occupancy))
        quiet &= quiet - 1
    while targets:
        target = targets & (0 - targets)
        after = us
        flip(&after, moved, target)
        rest = replies_without(replies, target, not white)
        count += count_prepared(&rest, &after, occupancy,
                                attacked_by_leaper(moved, lsb(target)), not white)
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
        passed = forward(target, not white)
        after = us[0]
        flip(&after, MOVED_PAWN, forward(passed, not white) | target)
        count += count_en_passant(them, &after, occupancy_flip(occupancy_flip(
            occupancy, lsb(forward(passed, not white)), forward(passed, not white)), lsb(target),
            target),
            passed, not white)
        targets &= targets - 1
    return count


cdef inline u64 count_independent_pawns(const Side* us, const Side* them, Occupancy occupancy,
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
                  + count_pawns_after(replies, us.occupied, occupancy_bits(occupancy), targets, not white)
                  - popcount(replies.left & origins) - popcount(replies.right & origins))
    if distance == 16:
        count += count_taken_en_passant(us, them, occupancy, targets, white)
    while targets:
        target = targets & (0 - targets)
        origin = lsb(target) - distance if white else lsb(target) + distance
        after = us[0]
        flip(&after, MOVED_PAWN, bit(origin) | target)
        after_occupancy = occupancy_flip(occupancy, origin, bit(origin))
        if capture:
            rest = replies_without(replies, target, not white)
            count += count_prepared(&rest, &after, after_occupancy, pawn_attacks_of(&after, white), not white)
        else:
            after_occupancy = occupancy_flip(after_occupancy, lsb(target), target)
            count += (count_king(replies, &after, after_occupancy, pawn_attacks_of(&after, white))
                      + count_sliders(replies, after_occupancy))
        targets &= targets - 1
    return count


cdef NOINLINE_U64 count_evasions(const Side* us, const Side* them, Occupancy occupancy, u64 checkers,
                                 u64 pinned,
                                 bint white) noexcept nogil:
    """Legal moves of a side in check, en passant excepted."""
    cdef int king = lsb(us.king)
    cdef u64 occupied = us.occupied | them.occupied
    # The king's own square is emptied, or squares behind it on the checker's line would look safe.
    cdef u64 count = popcount(king_attacks[king] & ~us.occupied & ~attacks_of(
        them, occupancy_flip(occupancy, king, us.king), not white))
    cdef u64 targets, pawns, push, knights
    if checkers & (checkers - 1):
        return count
    targets = between[king][lsb(checkers)] | checkers
    # A pinned piece cannot leave its own line, which the checker is not on.
    pawns = us.pawns & ~pinned
    push = forward(pawns, white) & ~occupied
    count += pawn_moves(push & targets, white)
    count += pawn_moves(forward(push & third_rank(white), white) & ~occupied & targets, white)
    count += pawn_moves(forward_left(pawns, white) & checkers, white)
    count += pawn_moves(forward_right(pawns, white) & checkers, white)
    knights = us.knights & ~pinned
    while knights:
        count += popcount(knight_attacks[lsb(knights)] & targets)
        knights &= knights - 1
    return count + count_slider_moves(us.orthogonal & ~pinned, us.diagonal & ~pinned, occupancy, targets)


cdef inline u64 count_replies(const Side* us, const Side* them, Occupancy occupancy, u64 castling, bint white,
                              Moved moved) noexcept nogil:
    """Legal moves of `us` in a position reached by a move of `them`, en passant excepted."""
    cdef int king = lsb(us.king)
    cdef Replies replies
    cdef u64 occupied = occupancy_bits(occupancy)
    cdef u64 checkers = find_pins_and_checkers(&replies, us, them, occupied)
    # Of the pieces that are no sliders, only the one that has just moved can give check.
    if moved == MOVED_KNIGHT:
        checkers |= knight_attacks[king] & them.knights
    if moved == MOVED_PAWN:
        checkers |= pawn_attacks[white][king] & them.pawns
    if unlikely(checkers != 0):
        return count_evasions(us, them, occupancy, checkers, replies.pinned, white)
    prepare_king(&replies, us, them, castling, white)
    prepare_pieces(&replies, us, white)
    set_enemy_attacks(&replies, pawn_attacks_of(them, not white) | knight_attacks_of(them.knights)
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
