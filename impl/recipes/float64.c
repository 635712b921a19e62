/* float64: the formula in double with libm, rounded to float32 once. The honest simple answer: half a unit in the last
 * place of 1 at any position a model uses, at the price of two double libm calls per pair. sin and cos are taken to be
 * within 1 ULP; glibc 2.36 states 0.55.
 */
#include "recipes/freqs.h"

#include <math.h>

static void rows(const posenc_spec *spec, const void *state, const posenc_rows *r, void *out, int64_t stride) {
  const double *w = state;
  for (int64_t i = 0; i < r->count; i++) {
    const double position = posenc_row_real(r, i);
    float *row = (float *)out + i * stride;
    for (int64_t c = r->from; c < r->to; c += 2) {
      const double angle = position * w[c / 2] * spec->position_scale;
      *row++ = (float)sin(angle);
      if (c + 1 < r->to)
        *row++ = (float)cos(angle);
    }
  }
}

const posenc_kernel POSENC_THIS = {
    POSENC_ROW,
    .info.family = "float64",
    .info.arithmetic = "float64 libm",
    .info.summary = "the formula in double, rounded to float32 once",
    .info.bound = "2^-25 + 2^-53 (1 + |pos w| (3 + |ln w|))",
    .info.evidence = "upstream",
    .info.dtypes = "float32",
    .bound = posenc_bound_f64,
    .ulp = 1.0,
    .state_bytes = sizeof(double),
    .prepare = posenc_freqs_f64,
    .rows = rows,
};
