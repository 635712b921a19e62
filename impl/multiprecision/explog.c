/* Quotients, exponentials and logarithms, for the frequencies of scaled rotary embeddings. Units are of 2^-64n. */
#include "multiprecision/bigfloat.h"

#include <math.h>

/* Newton on 1/b without its exponent: z += z (1 - b z). An error e becomes e^2, from 2^-50 on, and the last step adds
 * what it is off by itself: b z by 2, the difference by 2, z by 2 more. */
void big_div(big *r, const big *a, const big *b, int n) {
  big one, z, step, fraction = *b;
  fraction.exponent = 0;
  big_from_double(&one, 1.0, n);
  big_from_double(&z, 0x1p64 / (double)fraction.limb[n - 1], n);
  for (int bits = 50; bits < 64 * n; bits *= 2) {
    big_mul(&step, &fraction, &z, n);
    const int too_large = big_sub(&step, &one, &step, n);
    big_mul(&step, &step, &z, n);
    if (too_large)
      big_sub(&z, &z, &step, n);
    else
      big_add(&z, &z, &step, n);
  }
  z.exponent -= b->exponent;
  big_mul(r, a, &z, n);
}

/* (e^-u)^(2^16), u = a / 2^16 < 1/32: the sum of (-u)^i / i!, whose i-th term is off by 4 i units of itself, and each of
 * whose additions by 2: fewer than 2^7 units. Each squaring doubles that and adds 2. */
void big_exp_minus(big *r, const big *a, int n) {
  enum { SQUARINGS = 16 };
  big u = *a, term, sum[2];
  u.exponent -= big_is_zero(a, n) ? 0 : SQUARINGS;
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
  for (int i = 0; i < SQUARINGS; i++)
    big_mul(r, r, r, n);
}

/* Newton on e^y = a: y += a e^-y - 1. An error e becomes e^2 / 2, from 2^-40 on, and the last step adds that of the
 * exponential and fewer than 2^13 units for a sum below 2^11. */
void big_log(big *r, const big *a, int n) {
  big one, y, step;
  big_from_double(&one, 1.0, n);
  big_from_double(&y, log(ldexp((double)a->limb[n - 1], -64)) + (double)a->exponent * 0x1.62e42fefa39efp-1, n);
  for (int bits = 40; bits < 64 * n; bits *= 2) {
    big_exp_minus(&step, &y, n);
    big_mul(&step, &step, a, n);
    if (big_sub(&step, &step, &one, n))
      big_sub(&y, &y, &step, n);
    else
      big_add(&y, &y, &step, n);
  }
  *r = y;
}
