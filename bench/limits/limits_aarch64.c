/* One vector width, 16 bytes; a pair of them is what STP and the non-temporal STNP write at once. */
#if defined(__aarch64__)
#include "limits.h"

#include <arm_neon.h>
#include <stdint.h>

static float *align(float *out, size_t *n, size_t bytes) {
  for (; *n > 0 && (uintptr_t)out % bytes != 0; --*n)
    *out++ = LIMIT_VALUE;
  return out;
}

static void rest(float *out, size_t n) {
  for (; n > 0; n--)
    *out++ = LIMIT_VALUE;
}

static void store_16(float *out, size_t n) {
  const float32x4_t v = vdupq_n_f32(LIMIT_VALUE);
  out = align(out, &n, 16);
  for (; n >= 16; n -= 16, out += 16) {
    vst1q_f32(out, v);
    vst1q_f32(out + 4, v);
    vst1q_f32(out + 8, v);
    vst1q_f32(out + 12, v);
  }
  rest(out, n);
}

/* A compiler may pair stores or not, and offers no STNP to C: these say what they mean. */
#define PAIR(name, instruction)                                                                                        \
  static void name(float *out, size_t n) {                                                                             \
    const float32x4_t v = vdupq_n_f32(LIMIT_VALUE);                                                                    \
    out = align(out, &n, 64);                                                                                          \
    for (; n >= 16; n -= 16, out += 16)                                                                                \
      __asm__ volatile(instruction " %q0, %q0, [%1]\n\t" instruction " %q0, %q0, [%1, #32]"                            \
                       :                                                                                               \
                       : "w"(v), "r"(out)                                                                              \
                       : "memory");                                                                                    \
    rest(out, n);                                                                                                      \
  }

PAIR(store_32, "stp")
PAIR(stream_32, "stnp")

static void convert_16(float *out, size_t n) {
  for (; n >= 2 * LIMIT_PAIRS; n -= 2 * LIMIT_PAIRS, out += 2 * LIMIT_PAIRS)
    for (size_t k = 0; k < LIMIT_PAIRS; k += 4) {
      const float32x4x2_t pairs = {{
          vcvt_high_f32_f64(vcvt_f32_f64(vld1q_f64(limit_sin + k)), vld1q_f64(limit_sin + k + 2)),
          vcvt_high_f32_f64(vcvt_f32_f64(vld1q_f64(limit_cos + k)), vld1q_f64(limit_cos + k + 2)),
      }};
      vst2q_f32(out + 2 * k, pairs);
    }
  limit_convert_rest(out, n);
}

const bench_limit limits[] = {
    {"store/w:16", NULL, NULL, store_16},
    {"store/w:32", NULL, NULL, store_32},
    {"stream/w:32", NULL, NULL, stream_32},
    {"convert/w:16", NULL, NULL, convert_16},
    {NULL, NULL, NULL, NULL},
};

#else
typedef int posenc_bench_not_aarch64; /* an empty translation unit is not C */
#endif
