/* Quotients, exponentials and logarithms, for ladders and for the frequencies of scaled rotary embeddings. Errors are
 * in units of 2^-64n and hold for every n up to BIG_LIMBS. */
#include "multiprecision/bigfloat.h"

#include <math.h>

/* Newton's iteration on 1/b without its exponent: z += z (1 - b z). It starts within 2^-50 and squares the error e of
 * z. The last iteration adds its own rounding: 2 units for b z, 2 for the difference and 2 for z. */
void big_div(big *r, const big *a, const big *b, int n) {
  big one, z, change, significand = *b;
  significand.exponent = 0;
  big_from_double(&one, 1.0, n);
  big_from_double(&z, 0x1p64 / (double)significand.limb[n - 1], n);
  for (int bits = 50; bits < 64 * n; bits *= 2) {
    big_mul(&change, &significand, &z, n);
    const int too_large = big_sub(&change, &one, &change, n);
    big_mul(&change, &change, &z, n);
    if (too_large)
      big_sub(&z, &z, &change, n);
    else
      big_add(&z, &z, &change, n);
  }
  z.exponent -= b->exponent;
  big_mul(r, a, &z, n);
}

/* e^-a = (e^-u)^(2^s), where u = a / 2^s < 1/32. The series of e^-u has fewer than 10 n terms (-u)^i / i! of at least
 * 2^-64n. Term i is off by at most 4 i units of itself, all terms together by less than 1 unit. Each addition adds at
 * most 2 units. So the sum is off by fewer than 28 n units. Each squaring doubles that and adds 2 units: fewer than
 * 2^5 n 2^s in all, and 2^s is 1 or at most 64 a. */
void big_exp_minus(big *r, const big *a, int n) {
  const int64_t squarings = a->exponent > -5 ? a->exponent + 5 : 0;
  big u = *a, term, sum[2];
  u.exponent -= squarings;
  big_from_double(&term, 1.0, n);
  big_from_double(&sum[0], 1.0, n);
  big_zero(&sum[1], n);
  for (unsigned i = 1;; i++) {
    big_mul(&term, &term, &u, n);
    big_div_small(&term, &term, i, n);
    if (big_is_zero(&term, n) || term.exponent < -64 * (int64_t)n)
      break;
    big_add(&sum[i % 2], &sum[i % 2], &term, n);
  }
  big_sub(r, &sum[0], &sum[1], n);
  for (int64_t i = 0; i < squarings; i++)
    big_mul(r, r, r, n);
}

/* Newton's iteration on e^y = a: y += a e^-y - 1. It starts within 2^-40; an error e of y becomes e^2 / 2. The last
 * iteration adds the error of the exponential, 5 units and 2 units of y, which is no more than the error of the
 * exponential again. */
void big_log(big *r, const big *a, int n) {
  big one, y, change;
  big_from_double(&one, 1.0, n);
  big_from_double(&y, log(ldexp((double)a->limb[n - 1], -64)) + (double)a->exponent * 0x1.62e42fefa39efp-1, n);
  for (int bits = 40; bits < 64 * n; bits *= 2) {
    big_exp_minus(&change, &y, n);
    big_mul(&change, &change, a, n);
    if (big_sub(&change, &change, &one, n))
      big_sub(&y, &y, &change, n);
    else
      big_add(&y, &y, &change, n);
  }
  *r = y;
}
