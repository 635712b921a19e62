/* The fallback: sin or cos of position * position_scale * w_k with n limbs of 64 bits, n doubled until the rounding is
 * certain.
 *
 * Error budget in units of 2^-64n, relative unless said otherwise (functions state theirs in multiprecision/bigfloat.h):
 *   root of the ladder        8, its k-th power 8k + 4k                     explicit frequency: 3
 *   times scale, position and 2/pi              + 8                         12k + 8 < 2^23 for k < 2^19
 *   fraction f of the turn's quarter, absolute: 2^23 * 2^EXP(y), y the product; folded to [0, 1/2]: exact
 *   angle f * pi/2            + 4 relative
 *   Taylor series             < 2^12: each of fewer than 2^10 terms is off by 2 units of 1 at most, twice
 * Near a zero the absolute error of f counts against a small f: that is the cancellation.
 */
#include "multiprecision/fallback.h"

#include <math.h>

enum { FIRST_LIMBS = 4, ANGLE_BITS = 23, SERIES_BITS = 12 };

int64_t posenc_ladder_degree(const posenc_spec *spec) {
  const double degree = spec->denominator == 0.0 ? (double)spec->d_model : 2.0 * spec->denominator;
  return !spec->freqs && degree >= 1.0 && degree <= 0x1p21 && floor(degree) == degree ? (int64_t)degree : 0;
}

/* Newton on x^D = base^-2 without a division of bigs: x += x (1 - base^2 x^D) / D. An error e becomes (D + 1)/2 e^2, at
 * most D e^2, so D e is squared: 2^-44 D from a start in float64, but for its last product, which may underflow there. The
 * last step adds what one evaluation of base^2 x^D is off by, 4D + 4 units, divided by D. */
void posenc_ladder_root(big *root, double base, int64_t degree, int n) {
  big square, one, power, step;
  big_from_double(&square, base, n);
  big_mul(&square, &square, &square, n);
  big_from_double(&one, 1.0, n);
  big_from_double(root, pow(base, -1.0 / (double)degree), n);
  big_mul(root, root, root, n);
  for (int64_t bits = 44 - (63 - __builtin_clzll(2 * (uint64_t)degree - 1)); bits < 64 * n; bits *= 2) {
    big_pow(&power, root, (uint64_t)degree, n);
    big_mul(&power, &power, &square, n);
    const int too_small = !big_sub(&step, &one, &power, n);
    big_mul(&step, &step, root, n);
    big_div_small(&step, &step, (uint64_t)degree, n);
    if (too_small)
      big_add(root, root, &step, n);
    else
      big_sub(root, root, &step, n);
  }
}

void posenc_explicit(big *w, const posenc_spec *spec, int64_t k, int n) {
  const double low = spec->freqs_low ? spec->freqs_low[k] : 0.0;
  big rest;
  big_from_double(w, spec->freqs[k], n);
  big_from_double(&rest, low, n);
  if (!signbit(spec->freqs[k]) == !signbit(low))
    big_add(w, w, &rest, n);
  else
    big_sub(w, w, &rest, n);
}

static void frequency(big *w, const posenc_spec *spec, int64_t k, int n) {
  if (spec->freqs) {
    posenc_explicit(w, spec, k, n);
  } else if (k == 0) {
    big_from_double(w, 1.0, n);
  } else {
    big root;
    posenc_ladder_root(&root, spec->base, posenc_ladder_degree(spec), n);
    big_pow(w, &root, (uint64_t)k, n);
  }
}

/* sin (first = 1) or cos (first = 0) of an angle in [0, pi/4]: sum of (-1)^i a^(2i + first) / (2i + first)!, the sine
 * divided by its angle so that a small one keeps all its bits. */
static void series(big *r, const big *angle, unsigned first, int n) {
  big square, term, sum[2];
  big_mul(&square, angle, angle, n);
  big_from_double(&term, 1.0, n);
  big_from_double(&sum[0], 1.0, n);
  big_zero(&sum[1], n);
  for (unsigned i = 1;; i++) {
    big_mul(&term, &term, &square, n);
    big_div_small(&term, &term, (uint64_t)(2 * i - 1 + first) * (2 * i + first), n);
    if (big_is_zero(&term, n) || term.exponent < -64 * (int64_t)n)
      break;
    big_add(&sum[i % 2], &sum[i % 2], &term, n);
  }
  big_sub(r, &sum[0], &sum[1], n);
  if (first)
    big_mul(r, r, angle, n);
}

/* Digits of a dtype, and the exponent of its least normal number: below it digits are fewer. */
static const struct format {
  int digits, least;
} formats[] = {[POSENC_DTYPE_F32] = {24, -126},
    [POSENC_DTYPE_F64] = {53, -1022},
    [POSENC_DTYPE_BF16] = {8, -126},
    [POSENC_DTYPE_F16] = {11, -14}};

double posenc_big_nearest(const big *a, int32_t dtype, int n) {
  const int64_t below = a->exponent - 1 - formats[dtype].least, keep = formats[dtype].digits + (below < 0 ? below : 0);
  if (big_is_zero(a, n) || keep < 0)
    return 0.0;
  const uint64_t top = a->limb[n - 1];
  uint64_t rest = top << keep << 1;
  for (int i = 0; i < n - 1; i++)
    rest |= a->limb[i];
  uint64_t digits = keep ? top >> (64 - keep) : 0;
  if (top >> (63 - keep) & 1 && (rest || digits & 1))
    digits++;
  return ldexp((double)digits, (int)(a->exponent - keep));
}

/* One attempt with n limbs; returns whether *result is certain. */
static int attempt(const posenc_spec *spec, double position, int64_t column, int n, double *result) {
  big y, quarter, bound, value;
  const double w = spec->freqs ? spec->freqs[column / 2] : 1.0;
  unsigned sine = column % 2 == 0;
  if (position == 0.0 || w == 0.0) {
    const double zero = position == 0.0 && signbit(position) ? position * w * spec->position_scale : 0.0;
    *result = sine ? zero : 1.0;
    return 1;
  }
  frequency(&y, spec, column / 2, n);
  big_from_double(&value, spec->position_scale, n);
  big_mul(&y, &y, &value, n);
  big_from_double(&value, position, n);
  big_mul(&y, &y, &value, n);
  big_two_over_pi(&value, n);
  big_mul(&y, &y, &value, n);
  const int64_t absolute = (y.exponent > 0 ? y.exponent : 0) + ANGLE_BITS - 64 * (int64_t)n; /* error of f: 2^this */
  const int64_t relative = ANGLE_BITS + 1 - 64 * (int64_t)n;                                 /* when nothing was cut */
  int cut = y.exponent > 0;
  const unsigned q = big_split(&y, &y, n);

  /* sin and cos of (q + f) quarters: odd q swaps the two, then f > 1/2 folds to 1 - f and swaps again. */
  int negative = sine ? (q >= 2) ^ ((position < 0.0) ^ (w < 0.0) ^ (spec->position_scale < 0.0)) : q == 1 || q == 2;
  if (q % 2)
    sine = !sine;
  if (y.exponent >= 0 && !big_is_zero(&y, n)) { /* f >= 1/2 */
    big one;
    big_from_double(&one, 1.0, n);
    big_sub(&y, &one, &y, n);
    sine = !sine;
    cut = 1; /* 1 - f is off by as much as f */
  }
  if (big_is_zero(&y, n))
    return 0; /* a zero to this precision only: position * w is no multiple of pi/2 */
  big_half_pi(&quarter, n);
  const int64_t small = y.exponent - 1; /* f >= 2^small */
  big_mul(&y, &y, &quarter, n);
  series(&value, &y, sine, n);

  /* Relative error of value: 2^-good. */
  const int64_t by_angle = cut || !sine ? absolute + 1 - (sine ? small : -1) : relative + 1;
  const int64_t by_series = SERIES_BITS - 64 * (int64_t)n;
  const int64_t good = -(by_angle > by_series ? by_angle : by_series) - 1;
  if (good < 30)
    return 0;
  big low, high;
  big_from_double(&bound, 1.0, n);
  big_mul(&bound, &bound, &value, n);
  bound.exponent -= good;
  big_sub(&low, &value, &bound, n);
  big_add(&high, &value, &bound, n);
  const double magnitude = posenc_big_nearest(&low, spec->dtype, n);
  *result = negative ? -magnitude : magnitude;
  return magnitude == posenc_big_nearest(&high, spec->dtype, n);
}

/* Sine and cosine of a nonzero algebraic number are transcendental, so no rounding boundary is met and some n decides.
 * 4096 bits are more than the smallest angle needs whose sine is not 0 (2^-1075: the sine is 2^-2150 of it below); that
 * any other value lies that close to a boundary has odds of one in 2^4000. */
double posenc_fallback(const posenc_spec *spec, double position, int64_t column) {
  double result = 0.0;
  for (int n = FIRST_LIMBS; n <= BIG_LIMBS; n *= 2)
    if (attempt(spec, position, column, n, &result))
      break;
  return result;
}
