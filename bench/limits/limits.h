/* The speed that this machine's stores reach when nothing has to be computed. Implementations are compared with it. */
#ifndef POSENC_BENCH_LIMITS_H
#define POSENC_BENCH_LIMITS_H

#include "../shim/bench.h"

typedef struct bench_limit {
  const char *kind, *width;           /* store | stream | convert, and the vector's width in bytes: "w:32" */
  const char *needs;                  /* instructions that it needs; NULL for the baseline */
  bool (*supported)(void);            /* NULL: on every CPU */
  void (*pass)(float *out, size_t n); /* writes n floats, none of them zero; out is aligned to a float */
} bench_limit;

/* The limits of this architecture, ended by a NULL kind. */
extern const bench_limit limits[];

/* limit/...: registers the limits that run here, for the size of the shape's table in this dtype. all: `convert` too. */
void bench_register_limits(const bench_shape *shape, posenc_dtype dtype, bool all, const bench_offset *at);
void bench_register_harness(void); /* harness/... */

/* The number that every store writes. It is not zero, because some CPUs treat cache lines of zeros specially, and none
 * of its bytes repeats, so that no compiler turns the loop into a memset. */
#define LIMIT_VALUE 0.70710678f

/* Defines the pass name_width for a target. It stores blocks of `block` floats, starting at the first multiple of
 * `align` bytes. */
#define LIMIT_LANES(width) ((width) / sizeof(float))
#define LIMIT_STORES(name, width, target, vector, set1, store, align, block, end)                                      \
  target static void name##_##width(float *out, size_t n) {                                                            \
    const vector v = set1(LIMIT_VALUE);                                                                                \
    for (; n > 0 && (uintptr_t)out % (align) != 0; n--)                                                                \
      *out++ = LIMIT_VALUE;                                                                                            \
    for (; n >= (block); n -= (block), out += (block))                                                                 \
      for (size_t i = 0; i < (block); i += LIMIT_LANES(width))                                                         \
        store(out + i, v);                                                                                             \
    for (; n > 0; n--)                                                                                                 \
      *out++ = LIMIT_VALUE;                                                                                            \
    end;                                                                                                               \
  }

/* The source of limit/convert: a number of (sin, cos) pairs that stays in L1 beside the output. */
enum { LIMIT_PAIRS = 256 };
extern const double limit_sin[LIMIT_PAIRS], limit_cos[LIMIT_PAIRS];

/* Writes the end of a convert pass, which is shorter than LIMIT_PAIRS pairs. */
static inline void limit_convert_rest(float *out, size_t n) {
  for (size_t i = 0; i < n; i++)
    out[i] = (float)(i % 2 ? limit_cos[i / 2] : limit_sin[i / 2]);
}

#endif
