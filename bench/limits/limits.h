/* What this machine's stores reach when nothing has to be computed: what the implementations are compared with. */
#ifndef POSENC_BENCH_LIMITS_H
#define POSENC_BENCH_LIMITS_H

#include "../shim/bench.h"

typedef struct bench_limit {
  const char *name;                   /* store | stream | convert, with the vector's width in bytes: "store/w:32" */
  const char *needs;                  /* what the CPU must have, NULL for the baseline */
  bool (*supported)(void);            /* NULL: everywhere */
  void (*pass)(float *out, size_t n); /* writes n floats, none of them zero; out is aligned to a float */
} bench_limit;

/* All of this architecture, ended by a NULL name. */
extern const bench_limit limits[];

/* Whether it runs here; if not, it is noted as skipped. */
bool limit_runs_here(const bench_limit *l);

/* All that run here, for as many bytes as the shape's table of that dtype has. */
void bench_register_limits(const bench_shape *shape, posenc_dtype dtype, const bench_offset *at); /* limit/... */
void bench_register_harness(void);                                                                /* harness/... */

/* One number for every store. Not zero, because some CPUs treat lines of zeros specially, and no byte repeats in it,
 * so that no compiler takes the loop for a memset. */
#define LIMIT_VALUE 0.70710678f

/* The pass name_width of a target: from the first multiple of `align` bytes on, blocks of `block` floats at once. */
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

/* The source of limit/convert: as many (sin, cos) pairs as stay in L1 beside the output. */
enum { LIMIT_PAIRS = 256 };
extern const double limit_sin[LIMIT_PAIRS], limit_cos[LIMIT_PAIRS];

/* The end of a convert pass, shorter than LIMIT_PAIRS pairs. */
static inline void limit_convert_rest(float *out, size_t n) {
  for (size_t i = 0; i < n; i++)
    out[i] = (float)(i % 2 ? limit_cos[i / 2] : limit_sin[i / 2]);
}

#endif
