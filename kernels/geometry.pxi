# Tables of the empty board that the generator reads: leaper attacks, and the lines between squares.

cdef u64[SQUARES] knight_attacks
cdef u64[SQUARES] king_attacks
cdef u64[2][SQUARES] pawn_attacks          # by the pawn's colour and square
cdef u64[SQUARES] rook_rays               # rook and bishop attacks on the empty board
cdef u64[SQUARES] bishop_rays
cdef u64[SQUARES][SQUARES] between         # squares strictly between two on a common line, else none
cdef u64[SQUARES][SQUARES] line            # the whole line through two squares, else none


cdef void geometry_init() noexcept:
    cdef int square, other, piece
    cdef u64 ends
    for square in range(SQUARES):
        knight_attacks[square] = reference_leaper_attacks(square, 2, 1)
        king_attacks[square] = reference_leaper_attacks(square, 1, 0) | reference_leaper_attacks(square, 1, 1)
        pawn_attacks[WHITE][square] = forward_left(bit(square), True) | forward_right(bit(square), True)
        pawn_attacks[BLACK][square] = forward_left(bit(square), False) | forward_right(bit(square), False)
        rook_rays[square] = reference_attacks(ROOK, square, 0)
        bishop_rays[square] = reference_attacks(BISHOP, square, 0)
    for square in range(SQUARES):
        for other in range(SQUARES):
            ends = bit(square) | bit(other)
            for piece in range(2):
                if reference_attacks(piece, square, 0) & bit(other):
                    between[square][other] = (
                        reference_attacks(piece, square, ends) & reference_attacks(piece, other, ends)
                    )
                    line[square][other] = ends | (
                        reference_attacks(piece, square, 0) & reference_attacks(piece, other, 0)
                    )
