/* CPUID and XGETBV as two C functions, for gcc and clang.
 *
 * Written out instead of using the compiler's own <cpuid.h>: that header would be hidden by this file's name, and
 * the compiler's feature tests answer 0 for vendors they do not know (gcc 12 on HygonGenuine).
 */
#ifndef SLIDEBENCH_CPUID_H
#define SLIDEBENCH_CPUID_H

#include <stdint.h>

#if defined(__x86_64__)

#define SLIDEBENCH_HAS_CPUID 1

static void slidebench_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(registers[0]), "=b"(registers[1]), "=c"(registers[2]), "=d"(registers[3])
                     : "0"(leaf), "2"(subleaf));
}

/* Faults unless CPUID says OSXSAVE: the caller checks. */
static uint64_t slidebench_xgetbv(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return ((uint64_t)high << 32) | low;
}

#else /* not x86-64: a reader that reports nothing */

#define SLIDEBENCH_HAS_CPUID 0

static void slidebench_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
    (void)leaf;
    (void)subleaf;
    registers[0] = registers[1] = registers[2] = registers[3] = 0;
}

static uint64_t slidebench_xgetbv(void)
{
    return 0;
}

#endif

#endif
