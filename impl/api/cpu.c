/* Which instruction sets this machine offers.
 *
 * On x86-64 the CPU's word on instruction sets is not enough: the operating system must also save the wide registers on
 * a context switch, which XGETBV tells. Without that check a kernel would run on a CPU that has AVX-512 under a system
 * that has switched it off, and fault.
 */
#include "kernel.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdatomic.h>

/* XCR0: which register states the operating system saves. */
static unsigned xcr0(void) {
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

enum { AVX = 0x06 /* SSE, AVX */, AVX512 = 0xe6 /* and opmask, upper ZMM, ZMM 16-31 */ };

static unsigned detect(void) {
  unsigned a, b, c, d, saved = 0, leaf_1 = 0, leaf_7 = 0, found = 0;
  if (__get_cpuid(1, &a, &b, &c, &d))
    leaf_1 = c;
  if (leaf_1 & bit_OSXSAVE)
    saved = xcr0();
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
    leaf_7 = b;
#define POSENC_SET(name, flags, registers, one, seven)                                                                 \
  if ((saved & (registers)) == (registers) && (leaf_1 & (one)) == (one) && (leaf_7 & (seven)) == (seven))              \
    found |= 1U << POSENC_SET_##name;
#include "sets.inc"
#undef POSENC_SET
  return found;
}

/* Asked once: under a hypervisor every CPUID is a trap of about 20 microseconds. Threads that ask first at the same
 * time all store the same answer, which is never 0. */
unsigned posenc_cpu(void) {
  static atomic_uint answer;
  unsigned known = atomic_load_explicit(&answer, memory_order_relaxed);
  if (!known) {
    known = detect();
    atomic_store_explicit(&answer, known, memory_order_relaxed);
  }
  return known;
}

#else /* AArch64: the baseline, which has NEON and FMA */

unsigned posenc_cpu(void) { return 1U << POSENC_SET_any | 1U << POSENC_SET_fma | 1U << POSENC_SET_neon; }

#endif
