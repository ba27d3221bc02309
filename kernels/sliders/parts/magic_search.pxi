# Random search for magic factors. Needs a popcount and the random numbers of random.pxi.

cdef enum MagicKind:
    MAGIC_MASKED        # (occupied & mask) * magic
    MAGIC_BLACK         # (occupied | ~mask) * magic: the squares off the mask are all set

cdef enum:
    MAX_SUBSETS = 1 << 12

cdef struct Seen:           # one index: the attacks found there
    u64 attacks
    u64 candidate           # by which candidate; an older one's are void

cdef struct MagicSearch:
    u64 state               # of the random numbers
    u64 candidates          # tried so far
    u64[2] last             # random numbers still in use
    int subsets
    u64[MAX_SUBSETS] keys
    u64[MAX_SUBSETS] attacks
    Seen[MAX_SUBSETS] seen


cdef void search_init(MagicSearch* search, u64 seed) noexcept nogil:
    """Set up once for any number of squares; equal seeds find equal magics in equal order."""
    cdef int index
    search.state = seed
    search.candidates = 0
    search.last[0] = next_random(&search.state)
    search.last[1] = next_random(&search.state)
    for index in range(MAX_SUBSETS):
        search.seen[index].candidate = 0


cdef void search_square(MagicSearch* search, int piece, int square, MagicKind kind) noexcept nogil:
    """Choose the square to search for."""
    cdef u64 mask = relevant_mask(piece, square)
    cdef u64 subset
    cdef int size
    search.subsets = 0
    # Few blockers first: there collisions are destructive most often, and bad factors show soonest.
    for size in range(popcount(mask) + 1):
        subset = 0
        while True:
            if popcount(subset) == <u64>size:
                search.keys[search.subsets] = subset | ~mask if kind == MAGIC_BLACK else subset
                search.attacks[search.subsets] = reference_attacks(piece, square, subset)
                search.subsets += 1
            subset = next_subset(subset, mask)
            if subset == 0:
                break


cdef inline bint fits(MagicSearch* search, u64 magic, int shift) noexcept nogil:
    """Whether no two occupancies with different attacks meet at an index."""
    cdef Seen* seen
    cdef int i
    search.candidates += 1
    for i in range(search.subsets):
        seen = &search.seen[(search.keys[i] * magic) >> shift]
        if seen.candidate != search.candidates:
            seen.candidate = search.candidates
            seen.attacks = search.attacks[i]
        elif seen.attacks != search.attacks[i]:
            return False
    return True


cdef u64 search_magic(MagicSearch* search, int bits, u64 most_candidates) noexcept nogil:
    """The next magic for indices of `bits` (at most 12) bits; 0 if there is none among `most_candidates`."""
    cdef u64 last_candidate = search.candidates + most_candidates
    cdef u64 random, magic
    while search.candidates < last_candidate:
        # Sparse factors, an eighth of the bits set, carry least. Each random number serves three of them.
        random = next_random(&search.state)
        magic = random & search.last[0] & search.last[1]
        search.last[1] = search.last[0]
        search.last[0] = random
        if fits(search, magic, 64 - bits):
            return magic
    return 0


cdef int entries_used(const MagicSearch* search) noexcept nogil:
    """Different indices of the magic just found."""
    cdef int index
    cdef int used = 0
    for index in range(MAX_SUBSETS):
        used += search.seen[index].candidate == search.candidates
    return used
