/* Included after Cython's own preamble: from here on `inline` functions are always inlined, so that the
 * generator's compile-time arguments (colour, depth kind, moved piece) really are constants. At -O2 this
 * is worth about a fifth of the speed. */
#pragma once
#include <stdint.h>

#undef CYTHON_INLINE
#define CYTHON_INLINE inline __attribute__((always_inline))

/* The opposite, as a return type, because Cython has no attribute syntax. */
#define NOINLINE_U64 __attribute__((noinline)) uint64_t

/* Keeps `value` alive and opaque at this point, at no cost. */
#define DO_NOT_OPTIMIZE(value) __asm__ volatile("" : "+r"(value))
/* Makes the compiler believe that memory is read and written here: stores before it really happen. */
#define CLOBBER_MEMORY() __asm__ volatile("" ::: "memory")
