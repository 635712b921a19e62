/* The ratio of a ladder: a root where 2 * denominator is a whole number, else the exponential of a logarithm. Errors
 * are in units of 2^-64n (multiprecision/bigfloat.h states those of the functions).
 *
 *                                                 ratio       its k-th power
 *   2 * denominator is a whole number up to 2^21  8           8k, and 4k by big_pow(): 12k, below 2^23
 *   any other denominator                                     2^68 n, at most 2^74 (ratio_by_logarithm)
 */
#include "multiprecision/ladder.h"

#include <math.h>

int64_t posenc_ladder_degree(const posenc_problem *problem) {
  const double degree = 2.0 * problem->denominator;
  return !problem->freqs && degree >= 1.0 && degree <= 0x1p21 && floor(degree) == degree ? (int64_t)degree : 0;
}

/* Newton's iteration on x^D = base^-2 without a division of bigs: x += x (1 - base^2 x^D) / D. An error e becomes
 * (D + 1)/2 e^2, at most D e^2, so D e is squared. It starts at 2^-44 D in float64; x is squared as a big, because it
 * may underflow there. The last iteration adds the error of one evaluation of base^2 x^D, 4D + 4 units, divided by
 * D. */
static void ratio_by_root(big *ratio, double base, int64_t degree, int n) {
  big square, one, power, change;
  big_from_double(&square, base, n);
  big_mul(&square, &square, &square, n);
  big_from_double(&one, 1.0, n);
  big_from_double(ratio, pow(base, -1.0 / (double)degree), n);
  big_mul(ratio, ratio, ratio, n);
  for (int64_t bits = 44 - (63 - __builtin_clzll(2 * (uint64_t)degree - 1)); bits < 64 * n; bits *= 2) {
    big_pow(&power, ratio, (uint64_t)degree, n);
    big_mul(&power, &power, &square, n);
    const int too_small = !big_sub(&change, &one, &power, n);
    big_mul(&change, &change, ratio, n);
    big_div_small(&change, &change, (uint64_t)degree, n);
    if (too_small)
      big_add(ratio, ratio, &change, n);
    else
      big_sub(ratio, ratio, &change, n);
  }
}

/* e^-x, x = ln(base) / denominator. A base below 1 is replaced by its reciprocal, and the result by its reciprocal.
 *
 * Error of the k-th power, k < 2^19, in units of 2^-64n. k x is at most 1022 ln 2 < 709, or 64 ln 2 < 45 with a base
 * below 1 (api/spec.c). L = |ln base| is at least 2^-52, or 2^-53 with a base below 1; so
 * k/denominator = k x / L < 2^62.
 *   logarithm, L < 1/32       (2^6 n + 16) k/denominator, at most 2^6 n 709 2^52 or (2^6 n + 16) 45 2^53  < 2^67.6 n
 *             else            (2^12 n L + 16) k x / L                                                     < 2^22 n
 *   quotient                  16 k x                                                                      < 2^14
 *   exponential, reciprocal, product                            k (2^21 n + 16 + 4)                       < 2^41 n
 * Together they are less than 2^68 n. */
static void ratio_by_logarithm(big *ratio, double base, double denominator, int n) {
  big one, x;
  big_from_double(&one, 1.0, n);
  big_from_double(&x, base, n);
  if (base < 1.0)
    big_div(&x, &one, &x, n);
  big_log(&x, &x, n);
  big_from_double(ratio, denominator, n);
  big_div(&x, &x, ratio, n);
  big_exp_minus(ratio, &x, n);
  if (base < 1.0)
    big_div(ratio, &one, ratio, n);
}

void posenc_ladder_ratio(big *ratio, const posenc_problem *problem, int n) {
  const int64_t degree = posenc_ladder_degree(problem);
  if (problem->base == 1.0)
    big_from_double(ratio, 1.0, n);
  else if (degree)
    ratio_by_root(ratio, problem->base, degree, n);
  else
    ratio_by_logarithm(ratio, problem->base, problem->denominator, n);
}

void posenc_explicit_frequency(big *w, const posenc_problem *problem, int64_t k, int n) {
  const double low = problem->freqs_low ? problem->freqs_low[k] : 0.0;
  big rest;
  big_from_double(w, problem->freqs[k], n);
  big_from_double(&rest, low, n);
  if (!signbit(problem->freqs[k]) == !signbit(low))
    big_add(w, w, &rest, n);
  else
    big_sub(w, w, &rest, n);
}
