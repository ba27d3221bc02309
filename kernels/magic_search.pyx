# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Search for magic factors: see `find`."""

from libc.stdlib cimport free, malloc

include "board.pxi"
include "popcounts/builtin.pxi"
include "reference.pxi"
include "random.pxi"
include "magic_search.pxi"

KINDS = {"masked": MAGIC_MASKED, "black": MAGIC_BLACK}


def relevant_bits(str piece, int square):
    """Squares of the relevant mask of a "rook" or "bishop": the index bits of an ordinary magic."""
    return popcount(relevant_mask(BISHOP if piece == "bishop" else ROOK, square))


cdef class Finder:
    """A reproducible stream of candidates: equal seeds and equal questions give equal magics."""
    cdef MagicSearch* search

    def __cinit__(self, u64 seed):
        self.search = <MagicSearch*>malloc(sizeof(MagicSearch))
        if self.search == NULL:
            raise MemoryError
        search_init(self.search, seed)

    def __dealloc__(self):
        free(self.search)

    @property
    def candidates(self):
        """How many factors have been tried so far."""
        return self.search.candidates

    def find(self, str piece, int square, int bits, str kind, u64 candidates):
        """A (magic, indices used) for a "rook" or "bishop" on `square`, or None after so many candidates.

        `bits` is the width of the index: 64 - bits is the shift. `kind` is "masked", for
        (occupied & mask) * magic, or "black", for (occupied | ~mask) * magic. Any magic returned maps
        occupancies with different attacks to different indices. Ask again for others; releases the GIL.
        Raises ValueError for a square not on the board, or bits outside 1 to 12.
        """
        cdef u64 magic
        cdef int code = BISHOP if piece == "bishop" else ROOK
        cdef MagicKind chosen = KINDS[kind]
        if not 0 <= square < SQUARES:
            raise ValueError(f"square {square} is not on the board; give 0 (a1) to 63 (h8)")
        if not 1 <= bits <= 12:
            raise ValueError(f"an index of {bits} bits is not searched for; give 1 to 12")
        with nogil:
            search_square(self.search, code, square, chosen)
            magic = search_magic(self.search, bits, candidates)
        return (magic, entries_used(self.search)) if magic else None
