# What a compiled kernel shows to Python: plain functions on integers. slidebench.kernels wraps them.

cdef extern from *:
    """
    #ifndef SLIDEBENCH_FLAGS
    #define SLIDEBENCH_FLAGS ""
    #endif
    #if defined(__clang__)
    #define SLIDEBENCH_COMPILER "clang " __clang_version__
    #else
    #define SLIDEBENCH_COMPILER "gcc " __VERSION__
    #endif
    """
    const char* SLIDEBENCH_FLAGS
    const char* SLIDEBENCH_COMPILER

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdlib cimport free
from libc.string cimport memset

cdef enum:
    MAX_MOVES = 4096   # no 64-square position has more moves: 63 pieces of at most 27 targets, promotions apart

# Raises DestructiveCollision if the kernel's index function is wrong: then the module cannot be imported.
geometry_init()
cdef int64_t init_nanoseconds = clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID)
kernel_init()
init_nanoseconds = clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - init_nanoseconds

QUERIES = ("rook", "bishop", "queen")
ORDERS = ("throughput", "latency")


def build():
    """Facts of this module: compiler and version, all flags, bytes of the kernel's tables and time to fill them."""
    return {
        "compiler": SLIDEBENCH_COMPILER.decode().strip(),
        "flags": SLIDEBENCH_FLAGS.decode().strip(),
        "table_bytes": table_bytes(),
        "init_nanoseconds": init_nanoseconds,
    }


def attacks(str piece, int square, u64 occupied):
    """The kernel's answer for a rook, bishop or queen on `square` (0 to 63)."""
    return answer(<Query><int>QUERIES.index(piece), square, occupancy_of(occupied))


def oracle(str piece, int square, u64 occupied):
    """The ray walk's answer for a rook, bishop or queen; the step tables' for a knight or king."""
    if piece == "knight":
        return reference_leaper_attacks(square, 2, 1)
    if piece == "king":
        return reference_leaper_attacks(square, 1, 0) | reference_leaper_attacks(square, 1, 1)
    return ((0 if piece == "bishop" else reference_attacks(ROOK, square, occupied))
            | (0 if piece == "rook" else reference_attacks(BISHOP, square, occupied)))


def leaper_attacks(str piece, int square):
    """The generator's own table for a knight or king."""
    return knight_attacks[square] if piece == "knight" else king_attacks[square]


def line_tables(int square, int other):
    """The generator's (between, line) bitboards of two squares."""
    return between[square][other], line[square][other]


cdef tuple described(const Mismatch* found):
    return found.query.decode(), found.square, found.occupied, found.expected, found.got


def relevant_mismatch():
    """First wrong (query, square, occupied, expected, got) over all relevant occupancies, or None."""
    cdef Mismatch found
    cdef bint wrong
    with nogil:
        wrong = relevant_differs(&found)
    return described(&found) if wrong else None


def random_mismatch(u64 seed, Py_ssize_t boards):
    """First wrong (query, square, occupied, expected, got) on random boards, or None."""
    cdef Mismatch found
    cdef bint wrong
    with nogil:
        wrong = random_differs(&found, seed, boards)
    return described(&found) if wrong else None


cdef void set_castling(Castling* castling, u64 rook, u64 king, bint white, bint king_side) noexcept nogil:
    """The squares of one castling, for any home squares of king and rook (Chess960)."""
    cdef int king_square = lsb(king)
    cdef int rook_square = lsb(rook)
    cdef int rank = 0 if white else 56
    cdef int king_target = rank + (6 if king_side else 2)
    cdef int rook_target = rank + (5 if king_side else 3)
    castling.rook = rook
    castling.king_flip = king ^ bit(king_target)
    castling.rook_flip = rook ^ bit(rook_target)
    castling.must_be_safe = between[king_square][king_target] | bit(king_target)
    castling.must_be_empty = ((between[king_square][king_target] | bit(king_target)
                               | between[rook_square][rook_target] | bit(rook_target)) & ~(king | rook))


cdef void set_game(Game* game, object position) except *:
    """Read a slidebench.kernels.position.Position."""
    cdef u64 colour, king, rooks, rook
    cdef Side* side
    cdef int white
    cdef u64 pawns = position.pawns
    cdef u64 knights = position.knights
    cdef u64 bishops = position.bishops
    cdef u64 orthogonal = position.rooks
    cdef u64 queens = position.queens
    cdef u64 kings = position.kings
    game.white = position.white_to_move
    game.castling = position.castling_rooks
    game.en_passant = 0 if position.en_passant is None else bit(position.en_passant)
    for white in range(2):
        colour = position.white if white else position.black
        side = &game.sides[white]
        side.pawns = pawns & colour
        side.knights = knights & colour
        side.diagonal = (bishops | queens) & colour
        side.orthogonal = (orthogonal | queens) & colour
        side.king = king = kings & colour
        side.occupied = colour
        side.castlings = game.castlings[white]
        game.castlings[white][0].rook = game.castlings[white][1].rook = 0
        rooks = game.castling & colour
        while rooks:
            rook = rooks & (0 - rooks)
            set_castling(&game.castlings[white][rook < king], rook, king, white, rook > king)
            rooks ^= rook


cdef class PerftTable:
    """A hash table for perft of at most `mebibytes` (1 to 2^20), which several threads may share."""
    cdef HashTable table

    def __cinit__(self, Py_ssize_t mebibytes):
        cdef size_t buckets = 1
        while 2 * buckets * HASH_BUCKET * sizeof(HashEntry) <= <size_t>mebibytes << 20:
            buckets *= 2
        self.table.bucket_mask = buckets - 1
        self.table.overflow = False
        self.table.entries = <HashEntry*>cleared_huge_pages(buckets * HASH_BUCKET * sizeof(HashEntry))
        if self.table.entries == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.table.entries)


def perft_timed(position, int depth, bint bulk, PerftTable table=None):
    """(nodes, thread CPU nanoseconds, wall nanoseconds) of one perft of `depth` >= 0."""
    cdef HashTable* hashed = NULL if table is None else &table.table
    cdef Game game
    cdef u64 nodes
    cdef int64_t cpu, wall
    set_game(&game, position)
    with nogil:
        wall = clock_nanoseconds(CLOCK_MONOTONIC)
        cpu = clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        nodes = perft(&game, depth, bulk, hashed)
        cpu = clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - cpu
        wall = clock_nanoseconds(CLOCK_MONOTONIC) - wall
    if table is not None and table.table.overflow:
        raise OverflowError("a position with more than 2^55 leaves: sums may not fit 64 bits; give a lower depth")
    return nodes, cpu, wall


def statistics(position, int depth):
    """The kinds of the leaves at `depth` >= 1: the struct Statistics as a dict."""
    cdef Game game
    cdef Statistics counts
    cdef Move* moves
    memset(&counts, 0, sizeof(counts))
    set_game(&game, position)
    moves = <Move*>PyMem_Malloc((depth + 1) * MAX_MOVES * sizeof(Move))
    if moves == NULL:
        raise MemoryError
    with nogil:
        add_leaves(&counts, &game.sides[game.white], &game.sides[not game.white], game.castling, game.en_passant,
                   depth, game.white, moves)
    PyMem_Free(moves)
    return counts


def children(position):
    """Every legal move, as (origin, target, promotion, castles, fields of the Position after it).

    `promotion` is 0 or 1 to 4 for knight, bishop, rook, queen; castling is king takes rook. The fields are
    those of slidebench.kernels.position.Position up to and with en_passant.
    """
    cdef Game game
    cdef Search search
    cdef Move* moves
    cdef const Side* white
    cdef const Side* black
    cdef Py_ssize_t count, i
    set_game(&game, position)
    moves = <Move*>PyMem_Malloc(MAX_MOVES * sizeof(Move))
    if moves == NULL:
        raise MemoryError
    try:
        search.castling = game.castling
        search.moves = moves
        count = list_moves(&game.sides[game.white], &game.sides[not game.white],
                           occupancy_of(game.sides[0].occupied | game.sides[1].occupied), &search, game.en_passant,
                           game.white)
        listed = []
        for i in range(count):
            white = &moves[i].mover if game.white else &moves[i].other
            black = &moves[i].other if game.white else &moves[i].mover
            listed.append((
                moves[i].origin, moves[i].target, moves[i].promotion, bool(moves[i].castles), (
                    white.pawns | black.pawns,
                    white.knights | black.knights,
                    (white.diagonal & ~white.orthogonal) | (black.diagonal & ~black.orthogonal),
                    (white.orthogonal & ~white.diagonal) | (black.orthogonal & ~black.diagonal),
                    (white.orthogonal & white.diagonal) | (black.orthogonal & black.diagonal),
                    white.king | black.king,
                    white.occupied,
                    black.occupied,
                    not game.white,
                    moves[i].castling,
                    lsb(moves[i].en_passant) if moves[i].en_passant else None,
                ),
            ))
        return listed
    finally:
        PyMem_Free(moves)


cdef class Queries:
    """A stream of (square, occupancy) pairs in the kernel's own form, ready to be timed."""
    cdef bytes squares
    cdef Occupancy* occupancies
    cdef Py_ssize_t length
    cdef public u64 zero

    def __cinit__(self, bytes squares not None, bytes occupancies not None):
        """`squares`: one byte each, 0 to 63; `occupancies`: as many little-endian 64-bit words."""
        cdef Py_ssize_t i
        cdef const u64* words = <const u64*><const char*>occupancies
        if len(occupancies) != 8 * len(squares):
            raise ValueError("one 64-bit occupancy is needed for each square")
        self.squares = squares
        self.length = len(squares)
        self.zero = 0
        self.occupancies = <Occupancy*>PyMem_Malloc(max(self.length, 1) * sizeof(Occupancy))
        if self.occupancies == NULL:
            raise MemoryError
        for i in range(self.length):
            self.occupancies[i] = occupancy_of(words[i])

    def __dealloc__(self):
        PyMem_Free(self.occupancies)

    cdef Stream stream(self):
        cdef Stream stream
        stream.squares = <const uint8_t*><const char*>self.squares
        stream.occupancies = self.occupancies
        stream.length = self.length
        stream.zero = self.zero
        return stream

    def time(self, str piece, str order, Py_ssize_t iterations):
        """Thread CPU nanoseconds of `iterations` over the stream, one query for each pair."""
        cdef Stream stream = self.stream()
        cdef TimedLoop loop = TIMED_LOOPS[<int>ORDERS.index(order)][<int>QUERIES.index(piece)]
        cdef int64_t elapsed
        with nogil:
            elapsed = clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID)
            loop(&stream, iterations)
            elapsed = clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - elapsed
        return elapsed

    def time_beside(self, bytearray data not None, Py_ssize_t iterations):
        """Thread CPU nanoseconds that queen queries add to touching lines of `data` before each.

        `data` has a power of two of bytes, 64 or more.
        """
        cdef Stream stream = self.stream()
        cdef const uint8_t* bytes_ = <const uint8_t*><char*>data
        cdef u64 line_mask = len(data) // LINE_BYTES - 1
        cdef int64_t begin, middle, end
        with nogil:
            # Both loops find the working set where the other leaves it, not where another benchmark has put it.
            working_set_alone(&stream, 1, bytes_, line_mask)
            begin = clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID)
            working_set_alone(&stream, iterations, bytes_, line_mask)
            middle = clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID)
            queen_with_working_set(&stream, iterations, bytes_, line_mask)
            end = clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        return (end - middle) - (middle - begin)

    def time_cold(self, bytearray data not None, Py_ssize_t iterations):
        """Nanoseconds of queen queries, `data` read through before every 256 of them to evict the tables."""
        cdef Stream stream = self.stream()
        cdef const uint8_t* bytes_ = <const uint8_t*><char*>data
        cdef Py_ssize_t size = len(data)
        cdef int64_t elapsed
        with nogil:
            elapsed = cold_queen_nanoseconds(&stream, iterations, bytes_, size)
        return elapsed
