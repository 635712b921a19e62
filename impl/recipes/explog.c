/* explog: frequencies once by exp and log, then a float32 product, sine and cosine per element: what the PyTorch
 * tutorial and most framework code computes. The angle position * w_k is rounded to float32, which is where its error
 * comes from: 2^-24 of the angle, 4e-3 rad at position 131071. sinf and cosf are taken to be within 1 ULP; glibc 2.36
 * states 0.56.
 */
#include "recipes/freqs.h"

#include <math.h>

static void rows(const posenc_problem *problem, const void *state, const posenc_rows *r, const posenc_place *to) {
  const float *w = state, scale = (float)problem->scale;
  for (int64_t i = 0; i < r->count; i++) {
    const float position = (float)posenc_row_real(r, i);
    float *row = posenc_floats_of(to, i);
    for (int64_t k = r->k; k < r->k + r->pairs; k++) {
      const float angle = position * w[k] * scale;
      *row++ = sinf(angle);
      *row++ = cosf(angle);
    }
  }
}

const posenc_kernel POSENC_THIS = {
    POSENC_ROW,
    .info.family = "explog",
    .info.arithmetic = "float32 libm",
    .info.summary = "the PyTorch tutorial's formula: frequencies exp(-ln(base) k/denominator) once, then sin and cos",
    .info.bound = "2^-24 (1 + |pos w| (4 + 2 |ln w|))",
    .info.evidence = "upstream",
    .info.dtypes = "float32",
    .bound = posenc_bound_explog,
    .bound_units = 1.0,
    .frequency_bytes = sizeof(float),
    .prepare = posenc_freqs_explog,
    .rows = rows,
};
