# cython: language_level=3
"""Timed blocks of single instructions, each run only on a CPU that has it.

What the times mean is in `slidebench.harness.machine.probes`.
"""

from libc.stdint cimport uint64_t

from slidebench.kernels.errors import UnavailableError
from slidebench.kernels.features import detect


cdef extern from "probes.h" nogil:
    ctypedef uint64_t (*SlidebenchBlocks)(uint64_t x, uint64_t y, uint64_t blocks) noexcept
    ctypedef struct SlidebenchProbe:
        const char* instruction
        const char* needs
        SlidebenchBlocks latency
        SlidebenchBlocks throughput
    const SlidebenchProbe* SLIDEBENCH_PROBES
    const int SLIDEBENCH_PROBE_COUNT
    const int SLIDEBENCH_STEPS
    uint64_t slidebench_ticks()


cdef dict TABLE = {SLIDEBENCH_PROBES[i].instruction.decode(): i for i in range(SLIDEBENCH_PROBE_COUNT)}

INSTRUCTIONS = tuple(TABLE)
STEPS = SLIDEBENCH_STEPS


def why_not(str instruction):
    """One sentence on why this CPU has no such instruction; None if it has. Raises UnavailableError for no name."""
    if instruction not in TABLE:
        there = ", ".join(TABLE) or "none: this machine is not x86-64"
        raise UnavailableError(f"no instruction called {instruction!r} can be probed; there are {there}")
    needs = SLIDEBENCH_PROBES[<int>TABLE[instruction]].needs.decode().split()
    return next((reason for reason in map(detect().why_missing, needs) if reason), None)


cdef class Probe:
    """One instruction ready to be timed. Raises UnavailableError if this CPU lacks it."""
    cdef const SlidebenchProbe* probe
    cdef uint64_t operand
    cdef uint64_t chain

    def __init__(self, str instruction not None, uint64_t operand=0x9E3779B97F4A7C15):
        """`operand` is the mask of pext and pdep, the factor, the shifts and the index of the others."""
        reason = why_not(instruction)
        if reason:
            raise UnavailableError(f"{instruction}: {reason}")
        self.probe = &SLIDEBENCH_PROBES[<int>TABLE[instruction]]
        self.operand = operand
        self.chain = operand

    def latency_ticks(self, uint64_t blocks):
        """Time stamp ticks of `blocks` >= 1 times STEPS instructions, each waiting for the one before."""
        return self._ticks(self.probe.latency, blocks)

    def throughput_ticks(self, uint64_t blocks):
        """Time stamp ticks of `blocks` >= 1 times STEPS instructions that the CPU may overlap."""
        return self._ticks(self.probe.throughput, blocks)

    cdef _ticks(self, SlidebenchBlocks run, uint64_t blocks):
        cdef uint64_t ticks
        if blocks == 0:
            raise ValueError("0 blocks; give 1 or more")
        with nogil:
            ticks = slidebench_ticks()
            self.chain = run(self.chain, self.operand, blocks)
            ticks = slidebench_ticks() - ticks
        return ticks
