/* The speed that this machine's stores reach when nothing has to be computed. Implementations are compared with it. */
#ifndef POSENC_BENCH_LIMITS_H
#define POSENC_BENCH_LIMITS_H

#include "../shim/bench.h"

typedef struct bench_limit {
  const char *kind, *width;           /* store | stream, and the vector's width in bytes: "w:32" */
  const char *needs;                  /* instructions that it needs; NULL for the baseline */
  bool (*supported)(void);            /* NULL: on every CPU */
  void (*pass)(float *out, size_t n); /* writes n floats, none of them zero; out is aligned to a float */
} bench_limit;

/* The limits of this architecture, ended by a NULL kind. */
extern const bench_limit limits[];

/* limit/...: registers the limits that run here, for the size of the shape's table in this dtype. */
void bench_register_limits(const bench_shape *shape, posenc_dtype dtype, const bench_offset *at);
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

#endif
