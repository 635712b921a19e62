#include "recipes/freqs.h"

#include <math.h>

void posenc_freqs_f64(const posenc_spec *spec, void *state) {
  double *w = state;
  for (int64_t k = 0; k < posenc_n_freqs(spec); k++)
    w[k] = spec->freqs ? spec->freqs[k] : pow(spec->base, -(double)k / posenc_denominator(spec));
}

void posenc_freqs_explog(const posenc_spec *spec, void *state) {
  float *w = state;
  /* The tutorial writes exp(arange(0, d, 2) * (-log(10000.0) / d)): the scalar is a float64 that meets a float32
   * tensor, so it is rounded once, and everything after it is float32. */
  const float step = (float)(-log(spec->base) / (2.0 * posenc_denominator(spec)));
  for (int64_t k = 0; k < posenc_n_freqs(spec); k++)
    w[k] = spec->freqs ? (float)spec->freqs[k] : expf((float)(2 * k) * step);
}

/* Angle relative error, u = 2^-24: step u, product u (both act on |ln w|), expf 2u, position u (beyond 2^24),
 * position * w u. scale u each for its own rounding and the product's. expm1 turns the sum of first-order terms into a
 * bound that holds when they are large. An underflow of w to a float32 subnormal or zero moves the angle by less than
 * 2^32 * 2^-149, far inside the slack of `ulp`. An explicit frequency is rounded once; freqs_low, half a unit of float64
 * that is left out, is far inside the rest of what expf has here. */
double posenc_bound_explog(const posenc_angle *a, double ulp) {
  const double u = 0x1p-24;
  return ulp * u + fabs(a->position * a->w) * expm1((4.0 + a->scaling + 2.0 * a->ln_w) * u);
}

/* Final rounding to float32 2^-25 (values below 1), sincos ulp * v with v = 2^-53; angle: exponent v on |ln w|, pow 2v,
 * product v. An explicit frequency has no pow: freqs_low, left out, is v of its 2v. */
double posenc_bound_f64(const posenc_angle *a, double ulp) {
  const double v = 0x1p-53;
  return 0x1p-25 + ulp * v + fabs(a->position * a->w) * expm1((3.0 + a->scaling + a->ln_w) * v);
}
