# Room for the attacks of all relevant occupancies in one page of 2 MiB, where the system grants it: Linux
# with transparent huge pages set to "always" or "madvise". Elsewhere the table lies in ordinary pages.

cdef extern from "<sys/mman.h>" nogil:
    void* mmap(void* address, size_t length, int protection, int flags, int file, long offset)
    int madvise(void* address, size_t length, int advice)
    int PROT_READ
    int PROT_WRITE
    int MAP_PRIVATE
    int MAP_ANONYMOUS
    int MADV_HUGEPAGE
    void* MAP_FAILED

cdef enum:
    HUGE_PAGE = 1 << 21
    ATTACK_SPACE_BYTES = HUGE_PAGE


cdef u64* attack_space() except NULL:
    """Mapped for the life of the process."""
    # Twice the size, since a mapping starts at any small page: a whole huge page lies within.
    cdef void* mapping = mmap(NULL, 2 * HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    cdef size_t start
    if mapping == MAP_FAILED:
        raise MemoryError("no room for 4 MiB of attack tables")
    start = (<size_t>mapping + HUGE_PAGE - 1) & ~<size_t>(HUGE_PAGE - 1)
    madvise(<void*>start, HUGE_PAGE, MADV_HUGEPAGE)
    return <u64*>start
