# A table of counted positions: what perft has seen at the same remaining depth is not counted again. Off unless
# asked for, and never used when kernels are timed.

cdef extern from *:
    """
    /* The 128-bit product folded to 64 bits: every bit of both factors reaches every bit of the result. */
    static inline uint64_t fold_product(uint64_t a, uint64_t b) {
        __uint128_t product = (__uint128_t)a * b;
        return (uint64_t)product ^ (uint64_t)(product >> 64);
    }
    """
    u64 fold_product(u64 a, u64 b) nogil
    ctypedef unsigned long long u128 "unsigned __int128"    # in C alone: Cython knows no such number

cdef extern from *:
    """
    #include <stdlib.h>
    #include <string.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif
    /* Cleared memory on huge pages where the system grants them: look-ups at random places otherwise spend as
     * long in address translation as in memory. Cleared now, so that counting does not pay for the pages. */
    static void *cleared_huge_pages(size_t bytes) {
        void *memory = NULL;
        if (posix_memalign(&memory, (size_t)1 << 21, bytes) != 0) return NULL;
    #if defined(__linux__)
        madvise(memory, bytes, MADV_HUGEPAGE);
    #endif
        return memset(memory, 0, bytes);
    }
    """
    void* cleared_huge_pages(size_t bytes) nogil

cdef struct HashKey:
    u64 check           # compared
    u64 bucket          # where to look

cdef struct HashEntry:
    u64 check           # the key's, XORed with the next word: a torn write fits no key (Hyatt, 1999)
    u64 nodes_and_depth

cdef enum:
    HASH_BUCKET = 4         # entries of one cache line
    HASH_DEPTH_BITS = 7
    HASH_NODES_BITS = 55    # no position has 512 moves, so sums of smaller counts fit 64 bits
    MIN_HASH_DEPTH = 2    # below that counting costs less than looking

cdef struct HashTable:
    HashEntry* entries
    u64 bucket_mask
    bint overflow       # some count was too large to be sure that sums of such counts fit 64 bits


cdef inline HashKey position_key(const Side* us, const Side* them, u64 castling, u64 en_passant, bint white,
                                 int depth) noexcept nogil:
    """What depends on all of a position and on the depth: products of pairs of its sets, made odd by constants.

    The constants are the golden ratio's and other irrational numbers' bits. The bits that are compared say nothing
    of those that find the bucket, so an entry that is not the position's own passes by a chance of 2^-64: with
    four compared at each of 10^10 look-ups, a wrong count is less likely than 10^-8.
    """
    cdef HashKey key
    cdef u128 products = (
        <u128>(us.pawns ^ <u64>0x9E3779B97F4A7C15) * (them.pawns ^ <u64>0xD6E8FEB86659FD93)
        + <u128>(us.knights ^ <u64>0xA0761D6478BD642F) * (them.knights ^ <u64>0xE7037ED1A0B428DB)
        + <u128>(us.diagonal ^ <u64>0x8EBC6AF09C88C6E3) * (them.diagonal ^ <u64>0x589965CC75374CC3)
        + <u128>(us.orthogonal ^ <u64>0x1D8E4E27C47D124F) * (them.orthogonal ^ <u64>0xEB44ACCAB455D165)
        + <u128>(us.king ^ <u64>0xC2B2AE3D27D4EB4F) * (them.king ^ <u64>0x165667B19E3779F9))
    cdef u64 low = <u64>products
    cdef u64 high = <u64>(products >> 64)
    # The depth belongs to it: a position met at many depths would else fill its bucket alone.
    cdef u64 rest = (fold_product(en_passant ^ <u64>0xC4CEB9FE1A85EC53, <u64>0x9FB21C651E98DF25)
                     ^ <u64>depth * <u64>0x9E3779B97F4A7C15)
    key.check = rest ^ fold_product(
        low ^ high, castling ^ <u64>0x27D4EB2F165667C5 ^ (<u64>0xFF51AFD7ED558CCD if white else 0))
    # The top bits of a sum of products depend on all bits of both halves.
    key.bucket = key.check ^ (low * <u64>0xBF58476D1CE4E5B9 + high * <u64>0x94D049BB133111EB) >> 24
    return key


cdef inline bint hash_probe(const HashTable* table, HashKey key, int depth, u64* nodes) noexcept nogil:
    """Whether the position has been counted at this depth; `nodes` then holds its leaves."""
    cdef const HashEntry* bucket = &table.entries[(key.bucket & table.bucket_mask) * HASH_BUCKET]
    cdef int i
    cdef u64 word
    for i in range(HASH_BUCKET):
        word = bucket[i].nodes_and_depth
        if bucket[i].check ^ word == key.check and <int>(word & ((1 << HASH_DEPTH_BITS) - 1)) == depth:
            nodes[0] = word >> HASH_DEPTH_BITS
            return True
    return False


cdef inline void hash_store(HashTable* table, HashKey key, int depth, u64 nodes) noexcept nogil:
    """Keep a count, in place of the bucket's shallowest; a count that is too large is marked."""
    cdef HashEntry* bucket = &table.entries[(key.bucket & table.bucket_mask) * HASH_BUCKET]
    cdef HashEntry* victim = bucket
    cdef int i
    cdef u64 depth_mask = (1 << HASH_DEPTH_BITS) - 1
    if nodes >> HASH_NODES_BITS:
        table.overflow = True
        return
    for i in range(1, HASH_BUCKET):
        if bucket[i].nodes_and_depth & depth_mask < victim.nodes_and_depth & depth_mask:
            victim = &bucket[i]
    victim.nodes_and_depth = nodes << HASH_DEPTH_BITS | <u64>depth
    victim.check = key.check ^ victim.nodes_and_depth
