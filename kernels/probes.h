/* Blocks of one instruction, in a dependent chain and independent of each other, for timing in core cycles.
 *
 * Written in assembly, so that no compiler flag, level or optimiser changes what is timed. Each function runs
 * `blocks` times STEPS copies of its instruction on a chain value x and an operand y, and returns x: a caller that
 * passes it on carries the chain across calls. It faults on a CPU without the features in `needs`.
 */
#ifndef SLIDEBENCH_PROBES_H
#define SLIDEBENCH_PROBES_H

#include <stdint.h>

#define SLIDEBENCH_STEPS 64

typedef uint64_t (*SlidebenchBlocks)(uint64_t x, uint64_t y, uint64_t blocks);

typedef struct {
    const char *instruction;
    const char *needs;
    SlidebenchBlocks latency;
    SlidebenchBlocks throughput;
} SlidebenchProbe;

#if defined(__x86_64__)

/* Ticks of the time stamp counter, once everything before has been done. */
static uint64_t slidebench_ticks(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return ((uint64_t)high << 32) | low;
}

#define BLOCKS(name, before, steps, after)                                                             \
    static uint64_t name(uint64_t x, uint64_t y, uint64_t blocks)                                      \
    {                                                                                                  \
        __asm__ volatile(before "\n\t.p2align 5\n1:\n\t" steps "\n\tdec %[blocks]\n\tjnz 1b\n\t" after \
                         : [x] "+r"(x), [blocks] "+r"(blocks)                                          \
                         : [y] "r"(y)                                                                  \
                         : "cc", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",                 \
                           "xmm0", "xmm1", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",         \
                           "xmm14", "xmm15");                                                          \
        return x;                                                                                      \
    }

/* The assembler writes the copies. In an independent step, \d is each of the registers 8 to 15 in turn. */
#define CHAIN(step) ".rept 64\n\t" step "\n\t.endr"
#define EIGHT_AT_ONCE(step) ".rept 8\n\t.irp d,8,9,10,11,12,13,14,15\n\t" step "\n\t.endr\n\t.endr"

#define PROBE(name, before, dependent, independent, after)             \
    BLOCKS(name##_latency, before, CHAIN(dependent), after)            \
    BLOCKS(name##_throughput, before, EIGHT_AT_ONCE(independent), after)

#define SCALAR(name, dependent, independent) PROBE(name, "", dependent, independent, "")

/* x in every lane of register 0, y in every lane of register 1; VZEROUPPER spares SSE code after it a penalty. */
#define VECTOR(name, dependent, independent)                                                           \
    PROBE(name,                                                                                        \
          "vmovq %[x], %%xmm0\n\tvpbroadcastq %%xmm0, %%ymm0\n\t"                                      \
          "vmovq %[y], %%xmm1\n\tvpbroadcastq %%xmm1, %%ymm1",                                         \
          dependent, independent, "vmovq %%xmm0, %[x]\n\tvzeroupper")

SCALAR(add, "add %[y], %[x]", "add %[y], %%r\\d")
SCALAR(imul, "imul %[y], %[x]", "imul %[y], %%r\\d")
SCALAR(mul_shift, "imul %[y], %[x]\n\tshr $52, %[x]", "imul %[y], %%r\\d\n\tshr $52, %%r\\d")
SCALAR(bswap, "bswap %[x]", "bswap %%r\\d")
SCALAR(popcnt, "popcnt %[x], %[x]", "popcnt %[x], %%r\\d")
SCALAR(lzcnt, "lzcnt %[x], %[x]", "lzcnt %[x], %%r\\d")
SCALAR(tzcnt, "tzcnt %[x], %[x]", "tzcnt %[x], %%r\\d")
SCALAR(andn, "andn %[y], %[x], %[x]", "andn %[y], %[x], %%r\\d")
SCALAR(blsr, "blsr %[x], %[x]", "blsr %[x], %%r\\d")
SCALAR(bzhi, "bzhi %[y], %[x], %[x]", "bzhi %[y], %[x], %%r\\d")
SCALAR(pext, "pext %[y], %[x], %[x]", "pext %[y], %[x], %%r\\d")
SCALAR(pdep, "pdep %[y], %[x], %[x]", "pdep %[y], %[x], %%r\\d")
SCALAR(vmovq, "vmovq %[x], %%xmm0\n\tvmovq %%xmm0, %[x]", "vmovq %[x], %%xmm\\d\n\tvmovq %%xmm\\d, %%r\\d")
VECTOR(vpshufb, "vpshufb %%ymm1, %%ymm0, %%ymm0", "vpshufb %%ymm1, %%ymm0, %%ymm\\d")
VECTOR(vpaddq, "vpaddq %%ymm1, %%ymm0, %%ymm0", "vpaddq %%ymm1, %%ymm0, %%ymm\\d")
VECTOR(vpsubq, "vpsubq %%ymm1, %%ymm0, %%ymm0", "vpsubq %%ymm1, %%ymm0, %%ymm\\d")
VECTOR(vpsllvq, "vpsllvq %%ymm1, %%ymm0, %%ymm0", "vpsllvq %%ymm1, %%ymm0, %%ymm\\d")
VECTOR(vpermq, "vpermq $0x1b, %%ymm0, %%ymm0", "vpermq $0x1b, %%ymm0, %%ymm\\d")
VECTOR(vpternlogq, "vpternlogq $0x96, %%zmm1, %%zmm1, %%zmm0", "vpternlogq $0x96, %%zmm1, %%zmm0, %%zmm\\d")
VECTOR(vplzcntq, "vplzcntq %%zmm0, %%zmm0", "vplzcntq %%zmm0, %%zmm\\d")
VECTOR(vpopcntq, "vpopcntq %%zmm0, %%zmm0", "vpopcntq %%zmm0, %%zmm\\d")
VECTOR(vgf2p8affineqb, "vgf2p8affineqb $0, %%ymm1, %%ymm0, %%ymm0", "vgf2p8affineqb $0, %%ymm1, %%ymm0, %%ymm\\d")

#define ROW(name, needs) {#name, needs, name##_latency, name##_throughput}

static const SlidebenchProbe SLIDEBENCH_PROBES[] = {
    ROW(add, ""), ROW(imul, ""), ROW(mul_shift, ""), ROW(bswap, ""),
    ROW(popcnt, "popcnt"), ROW(lzcnt, "lzcnt"), ROW(tzcnt, "bmi1"), ROW(andn, "bmi1"), ROW(blsr, "bmi1"),
    ROW(bzhi, "bmi2"), ROW(pext, "bmi2"), ROW(pdep, "bmi2"),
    ROW(vmovq, "avx"), ROW(vpshufb, "avx2"), ROW(vpaddq, "avx2"), ROW(vpsubq, "avx2"), ROW(vpsllvq, "avx2"),
    ROW(vpermq, "avx2"), ROW(vgf2p8affineqb, "avx2 gfni"),
    ROW(vpternlogq, "avx512f"), ROW(vplzcntq, "avx512cd"), ROW(vpopcntq, "avx512_vpopcntdq"),
};

#define SLIDEBENCH_PROBE_COUNT ((int)(sizeof SLIDEBENCH_PROBES / sizeof SLIDEBENCH_PROBES[0]))

#else /* not x86-64: no probes */

#define SLIDEBENCH_PROBE_COUNT 0

static const SlidebenchProbe SLIDEBENCH_PROBES[1];

static uint64_t slidebench_ticks(void)
{
    return 0;
}

#endif

#endif
