/* Tables whose bits are pinned: the rows of hashes.inc. */
#ifndef POSENC_TESTS_HASHED_H
#define POSENC_TESTS_HASHED_H

#include <math.h>
#include <stdint.h>

#include "posenc.h"
#include "tools/random.h"
#include "tools/spec.h"

typedef struct hashed {
  const char *family;
  int32_t dtype, layout;
  int64_t first, rows, d_model;
  double base;
  uint64_t freqs; /* 0: the ladder of base; else a seed of explicit frequencies */
  uint64_t hash;
} hashed;

static const hashed hashed_tables[] = {
#define POSENC_HASH(family, dtype, layout, ...) {#family, POSENC_DTYPE_##dtype, POSENC_LAYOUT_##layout, __VA_ARGS__},
#include "hashes.inc"
#undef POSENC_HASH
};
enum {
  HASHED_TABLES = sizeof hashed_tables / sizeof hashed_tables[0],
  HASHED_MOST_FREQS = 256,
  HASHED_MOST_BYTES = 1 << 18
};

/* The Taylor series of arcsin for |x| <= 1/2, accurate to a few units in the last place. The function of libm may
 * differ between machines; the four basic operations do not. */
static inline double hashed_asin(double x) {
  double power = x, sum = x;
  for (int n = 1; n < 64; n += 2) {
    power *= x * x * n / (n + 1);
    sum += power / (n + 2);
  }
  return sum;
}

/* Explicit frequency k. Rounding to a narrower type hides most bits of the float64 behind it, so ordinary outputs would
 * hardly show that the arithmetic has changed. Three of four frequencies therefore have, in some row of the table, an
 * output as near to the midpoint of two numbers of the dtype as float64 can express: there the last bits decide. The
 * other frequencies are of every size and sign. */
static inline double hashed_frequency(const hashed *t, int64_t k, uint64_t *random) {
  if (k % 4 == 0) {
    const double significand = 1 + (double)(next_random(random) >> 12) * 0x1p-52;
    return ldexp(k % 8 ? -significand : significand, (int)random_between(random, -60, 2));
  }
  /* the midpoint of two neighbouring numbers from 1/4 to 1/2 */
  const int digits = t->dtype == POSENC_DTYPE_BF16 ? 8 : t->dtype == POSENC_DTYPE_F16 ? 11 : 24;
  const int64_t significand = random_between(random, 1 << (digits - 1), (1 << digits) - 1);
  const double midpoint = ldexp((double)significand + 0.5, -digits - 1);
  double angle = hashed_asin(k % 4 == 3 ? midpoint * 0x1p-9 : midpoint);
  angle = k % 4 == 1 ? 0x1.921fb54442d18p+0 - angle : angle; /* this frequency's cosine is the midpoint */
  angle += (double)random_between(random, 0, 1) * 0x1.921fb54442d18p+2;
  const int64_t position = t->first + random_between(random, 0, t->rows - 1);
  return angle / (double)(position ? position : 1);
}

/* The table's spec. Explicit frequencies are written to freqs, and the spec points there. */
static inline posenc_spec hashed_spec(const hashed *t, double freqs[HASHED_MOST_FREQS]) {
  posenc_spec spec = paper_spec(t->d_model);
  spec.base = t->base;
  spec.dtype = t->dtype;
  spec.layout = t->layout;
  if (t->freqs) {
    uint64_t random = t->freqs;
    spec.freqs = freqs;
    spec.n_freqs = (t->d_model + 1) / 2;
    for (int64_t k = 0; k < spec.n_freqs && k < HASHED_MOST_FREQS; k++)
      freqs[k] = hashed_frequency(t, k, &random);
    freqs[0] = 0;
  }
  return spec;
}

#endif
