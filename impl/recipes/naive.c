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

static double naive_bound(const posenc_angle *a, double ulp) {
  const double u = 0x1p-24;
  const double relative = expm1((4.0 + a->scaling + a->exponent + 2.0 * a->ln_w) * u);
  return ulp * u + fabs(a->position * a->w) * relative;
}

/* Everything happens per element, so there is nothing to keep. */
static void prepare_nothing(const posenc_spec *spec, void *state) {
  (void)spec;
  (void)state;
}

static void rows(const posenc_spec *spec, const void *state, const posenc_rows *r, void *out, int64_t stride) {
  const float base = (float)spec->base, denominator = (float)posenc_denominator(spec);
  const float scale = (float)spec->position_scale;
  (void)state;
  for (int64_t i = 0; i < r->count; i++) {
    const float position = (float)posenc_row_real(r, i);
    float *row = (float *)out + i * stride;
    for (int64_t c = r->from; c < r->to; c++) {
      const int64_t k = c / 2;
      const float angle =
          spec->freqs ? position * (float)spec->freqs[k] : position / powf(base, (float)k / denominator);
      *row++ = c % 2 == 0 ? sinf(angle * scale) : cosf(angle * scale);
    }
  }
}

const posenc_kernel POSENC_THIS = {
    POSENC_ROW,
    .info.family = "naive",
    .info.arithmetic = "float32 libm",
    .info.summary = "pow, sin and cos for every element, as the formula reads",
    .info.bound = "2^-24 (1 + |pos w| (4 + k/denominator + 2 |ln w|))",
    .info.evidence = "upstream",
    .info.dtypes = "float32",
    .bound = naive_bound,
    .ulp = 1.0,
    .float32_base = 1,
    .prepare = prepare_nothing,
    .rows = rows,
};
