/* Which instruction sets this machine offers, and from which size it streams tables.
 *
 * On x86-64 the CPU's word on instruction sets is not enough: the operating system must also save the wide registers on
 * a context switch, which XGETBV tells. Without that check a kernel would run on a CPU that has AVX-512 under a system
 * that has switched it off, and fault.
 */
#include "kernel.h"

/* Streaming begins here at the latest, and where the size of the last-level cache is not known. */
enum { STREAM_MOST = 24 << 20 };

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

/* Bytes of the level-3 cache that this core shares with others; 0 if unknown. One of two leaves has a subleaf for each
 * cache, in the same form:
 *   4           Intel: SDM, volume 2A, CPUID, "Deterministic Cache Parameters Leaf"
 *   0x8000001D  AMD and Hygon, where TOPOEXT is set: AMD APM, volume 3, "Function 8000_001Dh", Cache Topology
 *               Information. Their leaf 4 is reserved, and 0. */
static uint64_t shared_cache(void) {
  enum { TOPOEXT = 1 << 22, DATA = 1, UNIFIED = 3, MOST_CACHES = 16 };
  unsigned a, b, c, d;
  __cpuid(0x80000001, a, b, c, d); /* every x86-64 CPU has this leaf */
  const unsigned leaf = c & TOPOEXT ? 0x8000001d : 4;
  if (leaf == 4 && __get_cpuid_max(0, NULL) < 4)
    return 0;
  for (unsigned i = 0; i < MOST_CACHES; i++) {
    __cpuid_count(leaf, i, a, b, c, d);
    const unsigned type = a & 31, level = a >> 5 & 7;
    if (type == 0) /* no more caches */
      return 0;
    const uint64_t ways = (b >> 22) + 1, partitions = (b >> 12 & 1023) + 1, line = (b & 4095) + 1,
                   sets = (uint64_t)c + 1;
    if (level == 3 && (type == DATA || type == UNIFIED))
      return ways * partitions * line * sets;
  }
  return 0;
}

static uint64_t stream_bytes(void) {
  const uint64_t cache = shared_cache(), least = 4 << 20;
  return cache >= least && cache < STREAM_MOST ? cache : STREAM_MOST;
}

/* The bytes from which tables are streamed, in the upper half, and the instruction sets. Asked once: under a hypervisor
 * every CPUID is a trap of about 20 microseconds. Threads that ask first at the same time all store the same answer. */
static uint64_t machine(void) {
  static _Atomic uint64_t answer;
  uint64_t known = atomic_load_explicit(&answer, memory_order_relaxed);
  if (!known) {
    known = stream_bytes() << 32 | detect();
    atomic_store_explicit(&answer, known, memory_order_relaxed);
  }
  return known;
}

unsigned posenc_cpu(void) { return (unsigned)(machine() & UINT32_MAX); }

int64_t posenc_stream_bytes(void) { return (int64_t)(machine() >> 32); }

#else /* AArch64: the baseline, which has NEON and FMA */

unsigned posenc_cpu(void) { return 1U << POSENC_SET_any | 1U << POSENC_SET_fma | 1U << POSENC_SET_neon; }

int64_t posenc_stream_bytes(void) { return STREAM_MOST; }

#endif
