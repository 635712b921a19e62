/* Tables whose bits are promised, and the hashes of these bits. A `hashed` is a row of hashes.inc. */
#ifndef POSENC_VERIFY_HASHED_H
#define POSENC_VERIFY_HASHED_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "posenc.h"
#include "../reference/columns.h"
#include "../tools/random.h"
#include "../tools/spec.h"

typedef struct hashed {
  const char *family;
  int64_t first, rows, d_model;
  double base, denominator;
  uint64_t freqs; /* 0: the ladder of base and denominator; else a seed of explicit frequencies */
  uint64_t hash;
} hashed;

/* The families that promise their bits. */
static const char *const hashed_families[] = {"exact", "anchored"};
enum { HASHED_FAMILIES = 2, HASHED_MOST_FREQS = 256 };

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

/* Explicit frequency k. Rounding to float32 hides most bits of the float64 behind it, so ordinary outputs would hardly
 * show that the arithmetic has changed. Three of four frequencies therefore have, in some row of the table, an output
 * as near to the midpoint of two floats as float64 can express: there the last bits decide. The other frequencies are
 * of every size and sign. */
static inline double hashed_frequency(const hashed *t, int64_t k, uint64_t *random) {
  if (k % 4 == 0) {
    const double significand = 1 + (double)(next_random(random) >> 12) * 0x1p-52;
    return ldexp(k % 8 ? -significand : significand, (int)random_between(random, -60, 2));
  }
  /* the midpoint of two neighbouring floats from 1/4 to 1/2 */
  const double midpoint = ((double)random_between(random, 1 << 23, (1 << 24) - 1) + 0.5) * 0x1p-25;
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
  spec.denominator = t->denominator;
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

/* 64-bit FNV-1a (Fowler, Noll, Vo) over the bytes of the outputs, row by row, each float32 with its low byte first. */
#define HASHED_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t hashed_row(uint64_t hash, const float *row, int64_t d_model) {
  for (int64_t c = 0; c < d_model; c++) {
    uint32_t bits;
    memcpy(&bits, row + c, sizeof bits);
    for (int i = 0; i < 4; i++, bits >>= 8)
      hash = (hash ^ (bits & 0xff)) * UINT64_C(0x100000001b3);
  }
  return hash;
}

#endif
