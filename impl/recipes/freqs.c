#include "recipes/freqs.h"

#include <math.h>

void posenc_freqs_f64(const posenc_problem *problem, void *state) {
  double *w = state;
  for (int64_t k = 0; k < problem->n; k++)
    w[k] = problem->freqs ? problem->freqs[k] : pow(problem->base, -(double)k / problem->denominator);
}

void posenc_freqs_explog(const posenc_problem *problem, void *state) {
  float *w = state;
  /* The tutorial writes exp(arange(0, d, 2) * (-log(10000.0) / d)): the scalar is a float64 that meets a float32
   * tensor, so it is rounded once, and everything after it is float32. */
  const float step = (float)(-log(problem->base) / (2.0 * problem->denominator));
  for (int64_t k = 0; k < problem->n; k++)
    w[k] = problem->freqs ? (float)problem->freqs[k] : expf((float)(2 * k) * step);
}

/* Angle relative error, u = 2^-24: step u, product u (both act on |ln w|), expf 2u, position u (beyond 2^24),
 * position * w u. scale u each for its own rounding and the product's. expm1 turns the sum of first-order terms into a
 * bound that holds when they are large. An underflow of w to a float32 subnormal or zero moves the angle by less than
 * 2^32 * 2^-149, far inside the slack of `units`. An explicit frequency is rounded once; freqs_low, half a unit of
 * float64 that is left out, is far inside the rest of what expf has here. */
double posenc_bound_explog(const posenc_angle *a, double units) {
  const double u = 0x1p-24;
  return units * u + fabs(a->position * a->w) * expm1((4.0 + a->scale_roundings + 2.0 * a->ln_w) * u);
}

/* Final rounding to float32 2^-25 (values below 1), sincos units * v with v = 2^-53; angle: exponent v on |ln w|, pow
 * 2v, product v. An explicit frequency has no pow: freqs_low, left out, is v of its 2v. */
double posenc_bound_f64(const posenc_angle *a, double units) {
  const double v = 0x1p-53;
  return 0x1p-25 + units * v + fabs(a->position * a->w) * expm1((3.0 + a->scale_roundings + a->ln_w) * v);
}
