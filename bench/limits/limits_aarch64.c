/* AArch64 has one vector width, 16 bytes. STP, and STNP, which is non-temporal, write a pair of vectors at once. */
#if defined(__aarch64__)
#include "limits.h"

#include <arm_neon.h>
#include <stdint.h>

/* Assembly, because a compiler may or may not pair two stores, and offers no STNP in C. */
static inline void store_pair(float *out, float32x4_t v) {
  __asm__ volatile("stp %q0, %q0, [%1]" : : "w"(v), "r"(out) : "memory");
}

static inline void stream_pair(float *out, float32x4_t v) {
  __asm__ volatile("stnp %q0, %q0, [%1]" : : "w"(v), "r"(out) : "memory");
}

LIMIT_STORES(store, 16, , float32x4_t, vdupq_n_f32, vst1q_f32, 16, 16, (void)0)
LIMIT_STORES(store, 32, , float32x4_t, vdupq_n_f32, store_pair, 64, 16, (void)0)
LIMIT_STORES(stream, 32, , float32x4_t, vdupq_n_f32, stream_pair, 64, 16, (void)0)

const bench_limit limits[] = {
    {"store", "w:16", NULL, NULL, store_16},
    {"store", "w:32", NULL, NULL, store_32},
    {"stream", "w:32", NULL, NULL, stream_32},
    {NULL, NULL, NULL, NULL, NULL},
};

#else
typedef int posenc_bench_not_aarch64; /* an empty translation unit is not C */
#endif
