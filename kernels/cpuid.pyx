# cython: language_level=3
"""The raw answers of CPUID and XGETBV on the core that runs the call, and nothing else.

Decoding is in `slidebench.kernels.features`. Processor serial numbers (leaf 3) are never read.
"""

from libc.stdint cimport uint32_t, uint64_t


cdef extern from "cpuid.h" nogil:
    const bint SLIDEBENCH_HAS_CPUID
    void slidebench_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *registers)
    uint64_t slidebench_xgetbv()


# {leaf: how many subleaves to ask for}. The lists end before that at a cache or a topology level of type 0.
_BASIC = {0x0: 1, 0x1: 1, 0x4: 16, 0x7: 2, 0xB: 8, 0xD: 2, 0x15: 1, 0x16: 1, 0x1A: 1, 0x1F: 8, 0x24: 1}
_EXTENDED = {
    0x80000000: 1, 0x80000001: 1, 0x80000002: 1, 0x80000003: 1, 0x80000004: 1, 0x80000005: 1,
    0x80000006: 1, 0x80000007: 1, 0x80000008: 1, 0x8000001D: 16, 0x8000001E: 1, 0x80000021: 1,
    0x80000026: 8,
}
_CACHES = (0x4, 0x8000001D)
_TOPOLOGIES = (0xB, 0x1F, 0x80000026)


def cpuid(uint32_t leaf, uint32_t subleaf=0):
    """Registers (eax, ebx, ecx, edx) that CPUID returns; all 0 on a machine that is not x86-64."""
    cdef uint32_t registers[4]
    slidebench_cpuid(leaf, subleaf, registers)
    return registers[0], registers[1], registers[2], registers[3]


def read():
    """{(leaf, subleaf): (eax, ebx, ecx, edx)} for every leaf this CPU has and this package can use.

    Empty on a machine that is not x86-64. Leaves beyond the CPU's last one are left out: Intel CPUs would
    answer with the contents of another leaf.
    """
    leaves = {}
    if not SLIDEBENCH_HAS_CPUID:
        return leaves
    _collect(leaves, _BASIC, cpuid(0)[0])
    if cpuid(1)[2] >> 31:  # the hypervisor bit: without it this leaf means nothing
        leaves[0x40000000, 0] = cpuid(0x40000000)
    last = cpuid(0x80000000)[0]
    if last >> 31:
        _collect(leaves, _EXTENDED, last)
    return leaves


def _collect(leaves, wanted, last):
    for leaf, subleaves in wanted.items():
        if leaf > last:
            continue
        for subleaf in range(subleaves):
            eax, ebx, ecx, edx = cpuid(leaf, subleaf)
            if leaf in _CACHES and eax & 0x1F == 0 or leaf in _TOPOLOGIES and ecx >> 8 & 0xFF == 0:
                break
            leaves[leaf, subleaf] = eax, ebx, ecx, edx


def xcr0():
    """XCR0, the register state the operating system has enabled; 0 where OSXSAVE is off."""
    return slidebench_xgetbv() if SLIDEBENCH_HAS_CPUID and cpuid(1)[2] >> 27 & 1 else 0
