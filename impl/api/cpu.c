/* Which instruction sets this machine offers. On x86-64 the CPU's word is not enough: the operating system must also
 * save the wide registers on a context switch, which XGETBV tells. Without that check a kernel would run on a CPU that
 * has AVX-512 under a system that has switched it off, and fault.
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

static unsigned detect(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX) || !(c & bit_FMA))
    return 0;
  const int has_f16c = (c & bit_F16C) != 0;
  const unsigned saved = xcr0(), ymm = 0x06 /* SSE, AVX */, zmm = 0xe6 /* and opmask, upper ZMM, ZMM 16-31 */;
  if ((saved & ymm) != ymm)
    return 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2) || !has_f16c)
    return POSENC_CPU_fma;
  const unsigned needed = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
  return POSENC_CPU_fma | POSENC_CPU_avx2 | ((saved & zmm) == zmm && (b & needed) == needed ? POSENC_CPU_avx512 : 0u);
}

/* Asked once: under a hypervisor every CPUID is a trap, some 20 microseconds. Threads that ask first at the same time
 * all store the same answer. */
unsigned posenc_cpu(void) {
  enum { KNOWN = 1 << 16 };
  static atomic_uint answer;
  unsigned known = atomic_load_explicit(&answer, memory_order_relaxed);
  if (!known) {
    known = detect() | KNOWN;
    atomic_store_explicit(&answer, known, memory_order_relaxed);
  }
  return known & ~(unsigned)KNOWN;
}

#elif defined(__aarch64__)

unsigned posenc_cpu(void) { return POSENC_CPU_neon | POSENC_CPU_fma; /* part of the baseline */ }

#else
#error "posenc supports x86-64 and AArch64"
#endif
