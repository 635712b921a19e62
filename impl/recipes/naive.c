/* naive: the formula as it reads, float32 throughout, everything recomputed for every element.
 *
 * Kept as people write it: the exponent, the power and the quotient are rounded to float32 one after the other, so the
 * angle of a late position is wrong long before its sine is. Not to be improved: users compare with it.
 *
 * Bound, u = 2^-24, e = k/denominator: base u (times e in the power), exponent 2u (denominator, quotient; times
 * |ln w|), powf 2u (1 ULP), position u, quotient u; then sinf/cosf within 1 ULP, at most u below 1. expm1 as in
 * recipes/freqs.c.
 */
#include "recipes/freqs.h"

#include <math.h>

static double naive_bound(const posenc_angle *a, double units) {
  const double u = 0x1p-24;
  const double relative = expm1((4.0 + a->scale_roundings + a->exponent + 2.0 * a->ln_w) * u);
  return units * u + fabs(a->position * a->w) * relative;
}

static void rows(const posenc_problem *problem, const void *state, const posenc_rows *r, const posenc_place *to) {
  const float base = (float)problem->base, denominator = (float)problem->denominator;
  const float scale = (float)problem->scale;
  (void)state;
  for (int64_t i = 0; i < r->count; i++) {
    const float position = (float)posenc_row_real(r, i);
    float *row = posenc_floats_of(to, i);
    for (int64_t c = 2 * r->k; c < 2 * (r->k + r->pairs); c++) {
      const int64_t k = c / 2;
      const float angle =
          problem->freqs ? position * (float)problem->freqs[k] : position / powf(base, (float)k / denominator);
      *row++ = c % 2 == 0 ? sinf(angle * scale) : cosf(angle * scale);
    }
  }
}

const posenc_kernel POSENC_THIS = {
    POSENC_ROW,
    .info.family = "naive",
    .info.arithmetic = "float32 libm",
    .info.summary = "the formula as it reads: pow, sin and cos for every element",
    .info.bound = "2^-24 (1 + |pos w| (4 + k/denominator + 2 |ln w|))",
    .info.evidence = "upstream",
    .info.dtypes = "float32",
    .bound = naive_bound,
    .bound_units = 1.0,
    .float32_base = 1,
    .rows = rows,
};
