/* The fallback: the sine or cosine of position * position_scale * w_k, computed with n limbs of 64 bits. n is doubled
 * until the rounding is certain, up to 64 (posenc_fallback).
 *
 * Error budget in units of 2^-64n, relative unless said otherwise (multiprecision/bigfloat.h states the errors of the
 * functions). A frequency is off by less than 2^68 n, which is at most 2^74 (multiprecision/ladder.h). The value is
 * computed from it in these steps:
 *   times scale, position and 2/pi                    + 8, less than 2^ANGLE_BITS together
 *   fraction f of the quarter turn                    absolute: 2^(ANGLE_BITS + max(0, exponent of the product));
 *                                                     folded to [0, 1/2]: exact
 *   angle f * pi/2                                    + 4
 *   Taylor series                                     < 2^12: each of fewer than 2^10 terms is off by 2 units of 1 at
 *                                                     most, twice
 * Near a zero the absolute error of f counts against a small f: that is the cancellation.
 */
#include "multiprecision/fallback.h"

#include "multiprecision/ladder.h"

#include <math.h>
#include <string.h>

#ifndef POSENC_FALLBACK_LIMBS /* tests: an early end */
#define POSENC_FALLBACK_LIMBS BIG_LIMBS
#endif
enum { FIRST_LIMBS = POSENC_RATIO_LIMBS, ANGLE_BITS = 75, SERIES_BITS = 12 };

/* The ratio with n limbs. Those of the first attempt are kept for the next outputs of the same call. */
static void ratio_of(big *ratio, const posenc_problem *problem, posenc_ratio *kept, int n) {
  if (n == FIRST_LIMBS && kept->is_known) {
    ratio->exponent = kept->exponent;
    memcpy(ratio->limb, kept->limb, sizeof kept->limb);
    return;
  }
  posenc_ladder_ratio(ratio, problem, n);
  if (n == FIRST_LIMBS) {
    *kept = (posenc_ratio){.is_known = 1, .exponent = ratio->exponent};
    memcpy(kept->limb, ratio->limb, sizeof kept->limb);
  }
}

static void frequency(big *w, const posenc_problem *problem, posenc_ratio *kept, int64_t k, int n) {
  if (problem->freqs) {
    posenc_explicit_frequency(w, problem, k, n);
  } else if (k == 0) {
    big_from_double(w, 1.0, n);
  } else {
    big ratio;
    ratio_of(&ratio, problem, kept, n);
    big_pow(w, &ratio, (uint64_t)k, n);
  }
}

/* The sine (is_sine 1) or cosine (0) of an angle in [0, pi/4]: the sum of (-1)^i a^(2i + is_sine) / (2i + is_sine)!.
 * The sine is summed without its first factor a, so that a small one keeps all
 * its bits. */
static void series(big *r, const big *angle, unsigned is_sine, int n) {
  big square, term, sum[2];
  big_mul(&square, angle, angle, n);
  big_from_double(&term, 1.0, n);
  big_from_double(&sum[0], 1.0, n);
  big_zero(&sum[1], n);
  for (unsigned i = 1;; i++) {
    big_mul(&term, &term, &square, n);
    big_div_small(&term, &term, (uint64_t)(2 * i - 1 + is_sine) * (2 * i + is_sine), n);
    if (big_is_zero(&term, n) || term.exponent < -64 * (int64_t)n)
      break;
    big_add(&sum[i % 2], &sum[i % 2], &term, n);
  }
  big_sub(r, &sum[0], &sum[1], n);
  if (is_sine)
    big_mul(r, r, angle, n);
}

/* Do both ends of the interval around value, 2^-good of it wide on each side, round alike? */
static int is_certain(const big *value, int64_t good, int32_t dtype, int n) {
  big bound = *value, low, high;
  if (good < 30)
    return 0;
  bound.exponent -= good;
  big_sub(&low, value, &bound, n);
  big_add(&high, value, &bound, n);
  return big_nearest(&low, dtype, n) == big_nearest(&high, dtype, n);
}

/* One attempt with n limbs, for an angle that is not 0. *result is the number nearest to the approximation; returns
 * whether it is certain. */
static int attempt(
    const posenc_problem *problem, posenc_ratio *kept, double position, int64_t column, int n, double *result) {
  big y, quarter, value;
  const double w = problem->freqs ? problem->freqs[column / 2] : 1.0;
  unsigned sine = column % 2 == 0;
  frequency(&y, problem, kept, column / 2, n);
  big_from_double(&value, problem->scale, n);
  big_mul(&y, &y, &value, n);
  big_from_double(&value, position, n);
  big_mul(&y, &y, &value, n);
  big_two_over_pi(&value, n);
  big_mul(&y, &y, &value, n);
  const int64_t absolute = (y.exponent > 0 ? y.exponent : 0) + ANGLE_BITS - 64 * (int64_t)n; /* error of f: 2^this */
  const int64_t relative = ANGLE_BITS + 1 - 64 * (int64_t)n;                                 /* when nothing was cut */
  int cut = y.exponent > 0;
  const unsigned q = big_split(&y, &y, n);

  /* Sine and cosine of (q + f) quarters: an odd q swaps the two; f > 1/2 folds to 1 - f and swaps them again. */
  int negative = sine ? (q >= 2) ^ ((position < 0.0) ^ (w < 0.0) ^ (problem->scale < 0.0)) : q == 1 || q == 2;
  if (q % 2)
    sine = !sine;
  if (y.exponent >= 0 && !big_is_zero(&y, n)) { /* f >= 1/2 */
    big one;
    big_from_double(&one, 1.0, n);
    big_sub(&y, &one, &y, n);
    sine = !sine;
    cut = 1; /* 1 - f is off by as much as f */
  }
  big_half_pi(&quarter, n);
  const int64_t small = y.exponent - 1; /* f >= 2^small */
  big_mul(&y, &y, &quarter, n);
  series(&value, &y, sine, n);

  const double nearest = big_nearest(&value, problem->dtype, n);
  *result = negative ? -nearest : nearest;
  if (big_is_zero(&value, n))
    return 0; /* zero with n limbs only: the angle is no multiple of pi/2 */

  /* Relative error of value: 2^-good. */
  const int64_t by_angle = cut || !sine ? absolute + 1 - (sine ? small : -1) : relative + 1;
  const int64_t by_series = SERIES_BITS - 64 * (int64_t)n;
  return is_certain(&value, -(by_angle > by_series ? by_angle : by_series) - 1, problem->dtype, n);
}

/* Which outputs 4096 bits decide. The angle is a nonzero algebraic number, so its sine and cosine are transcendental
 * (Lindemann) and never equal a boundary, the middle between two numbers of a dtype. They are known to 2^-3900 of
 * themselves, or some hundred bits less next to a zero.
 *
 * Values that are near a boundary for a reason are decided. Such a value is the sine of a small angle, and the angle is
 * near the boundary.
 *   - sin x is smaller than x by about x^2 / 6, relatively. The smallest angle x that counts is 2^-1075, half of the
 *     least float64. So sine and angle are 2^-2153 apart.
 *   - A frequency is near a number with few digits where k/denominator is near 0 or another whole number (or, if the
 *     base is a power, near a fraction with a small divisor). Unless they are equal, they differ by at least 2^-1024,
 *     and |ln base| is at least 2^-53. So the frequency and the number are at least 2^-1077 apart.
 *   - These two differences may cancel, but hardly in more digits than the spec and the position have: 5 float64.
 * A cosine near 1 is no such value: the nearest boundary is 2^-54 away. (Angle 0 is answered at once.)
 *
 * Every other value is as good as random: it is within 2^-3900 of a boundary with odds of 2^-3840. Should that happen,
 * the result is the number nearest to the last approximation. */
double posenc_fallback(const posenc_problem *problem, posenc_ratio *kept, double position, int64_t column) {
  const double w = problem->freqs ? problem->freqs[column / 2] : 1.0;
  double result = 0.0;
  if (position == 0.0 || w == 0.0) { /* the angle is 0 */
    const double zero = position == 0.0 && signbit(position) ? position * w * problem->scale : 0.0;
    return column % 2 == 0 ? zero : 1.0;
  }
  for (int n = FIRST_LIMBS; n <= POSENC_FALLBACK_LIMBS; n *= 2)
    if (attempt(problem, kept, position, column, n, &result))
      break;
  return result;
}
