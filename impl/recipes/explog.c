/* explog: frequencies once by exp and log, then a float32 product, sine and cosine per element: what the PyTorch
 * tutorial and most framework code computes. The angle position * w_k is rounded to float32, which is where its error
 * comes from: 2^-24 of the angle, 4e-3 rad at position 131071. sinf and cosf are taken to be within 1 ULP; glibc 2.36
 * states 0.56.
 */
#include "recipes/freqs.h"

#include <math.h>

static void rows(const posenc_spec *spec, const void *state, const posenc_rows *r, void *out, int64_t stride) {
  const float *w = state, scale = (float)spec->position_scale;
  for (int64_t i = 0; i < r->count; i++) {
    const float position = (float)posenc_row_real(r, i);
    float *row = (float *)out + i * stride;
    for (int64_t c = r->from; c < r->to; c += 2) {
      const float angle = position * w[c / 2] * scale;
      *row++ = sinf(angle);
      if (c + 1 < r->to)
        *row++ = cosf(angle);
    }
  }
}

const posenc_kernel POSENC_THIS = {
    POSENC_ROW,
    .info.family = "explog",
    .info.arithmetic = "float32 libm",
    .info.summary = "frequencies exp(-ln(base) k/denominator) once, then sin and cos",
    .info.bound = "2^-24 (1 + |pos w| (4 + 2 |ln w|))",
    .info.evidence = "upstream",
    .info.dtypes = "float32",
    .bound = posenc_bound_explog,
    .ulp = 1.0,
    .state_bytes = sizeof(float),
    .prepare = posenc_freqs_explog,
    .rows = rows,
};
