/* float64: the formula in double with libm, rounded to float32 once. The honest simple answer: half a unit in the last
 * place of 1 at any position a model uses, at the price of two double libm calls per pair. sin and cos are taken to be
 * within 1 ULP; glibc 2.36 states 0.55.
 */
#include "recipes/freqs.h"

#include <math.h>

static void rows(const posenc_problem *problem, const void *state, const posenc_rows *r, const posenc_place *to) {
  const double *w = state;
  for (int64_t i = 0; i < r->count; i++) {
    const double position = posenc_row_real(r, i);
    float *row = posenc_floats_of(to, i);
    for (int64_t k = r->k; k < r->k + r->pairs; k++) {
      const double angle = position * w[k] * problem->scale;
      *row++ = (float)sin(angle);
      *row++ = (float)cos(angle);
    }
  }
}

const posenc_kernel POSENC_THIS = {
    POSENC_ROW,
    .info.family = "float64",
    .info.arithmetic = "float64 libm",
    .info.summary = "the formula in float64, libm: rounded to float32 once",
    .info.bound = "2^-25 + 2^-53 (1 + |pos w| (3 + |ln w|))",
    .info.evidence = "upstream",
    .info.dtypes = "float32",
    .bound = posenc_bound_f64,
    .bound_units = 1.0,
    .frequency_bytes = sizeof(double),
    .prepare = posenc_freqs_f64,
    .rows = rows,
};
