/* What this machine's stores reach when nothing has to be computed: what the implementations are held against. */
#ifndef POSENC_BENCH_LIMITS_H
#define POSENC_BENCH_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct limit {
  const char *name;                  /* store | stream | convert, with the vector's width in bytes: "store/w:32" */
  const char *needs;                 /* what the CPU must have, NULL for the baseline */
  bool (*supported)(void);           /* NULL: everywhere */
  void (*pass)(float *out, size_t n); /* writes n floats, none of them zero; out is aligned to a float */
} limit;

/* All of this architecture, ended by a NULL name. */
extern const limit limits[];

/* Or else it is left out. */
bool limit_runs_here(const limit *l);

/* One number for every store. Not zero, because some CPUs treat lines of zeros specially, and no byte repeats in it,
 * so that no compiler takes the loop for a memset. */
#define LIMIT_VALUE 0.70710678f

/* The source of limit/convert: as many (sin, cos) pairs as stay in L1 beside the output. */
enum { LIMIT_PAIRS = 256 };
extern const double limit_sin[LIMIT_PAIRS], limit_cos[LIMIT_PAIRS];

/* The end of a convert pass, shorter than LIMIT_PAIRS pairs. */
static inline void limit_convert_rest(float *out, size_t n)
{
  for (size_t i = 0; i < n; i++)
    out[i] = (float)(i % 2 ? limit_cos[i / 2] : limit_sin[i / 2]);
}

#endif
