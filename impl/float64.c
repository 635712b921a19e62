/* float64: the formula in double with libm, rounded to float32 once. The honest simple answer: half a unit in the last
 * place of 1 at any position a model uses, at the price of two double libm calls per pair. sin and cos are taken to be within 1 ULP; glibc 2.36
 * states 0.55.
 */
#include "freqs.h"

#include <math.h>

static void rows(const posenc_spec *spec, const void *state, const posenc_rows *r, float *out, int64_t stride)
{
  const double *w = state;
  const int64_t pairs = spec->d_model / 2;
  for (int64_t i = 0; i < r->count; i++) {
    const double position = (double)posenc_row_position(r, i);
    float *row = out + i * stride;
    for (int64_t k = 0; k < pairs; k++) {
      const double angle = position * w[k];
      row[2 * k] = (float)sin(angle);
      row[2 * k + 1] = (float)cos(angle);
    }
    if (spec->d_model % 2)
      row[2 * pairs] = (float)sin(position * w[pairs]);
  }
}

POSENC_KERNEL("upstream", "2^-25 + 2^-53 (1 + |pos w| (3 + |ln w|))", posenc_bound_f64, 1.0, sizeof(double), 0, NULL,
              posenc_freqs_f64, rows);
