/* Sine and cosine of position * w in float64 vectors, the building block of the anchored and exact kernels.
 *
 * Frequencies come in turns, t = w / 2pi, as three float64 each (t = hi + mid + lo up to 2^-158 of it), so that a
 * position reduces without trouble: the product with hi is split exactly, and whole quarter turns are subtracted exactly.
 *
 *   reduction  g = position * t mod 1/4, |g| <= 1/8, as a pair of float64. Relative error below 2^-100 when no quarter was
 *              taken away; else absolute error below 2^-96: the terms left after the exact steps are at most
 *              2^-42 (P t up to 2^94), and their sums are rounded, 2^-53 each.
 *   Taylor     x = 2pi g as a pair; degree 17 and 18 leave 2^-62 of the sine and 2^-67 of the cosine
 *   rounding   sine: x^3 S is at most 0.103 x and its four roundings 0.4 * 2^-53 x, the last addition 2^-53;
 *              cosine: half an ulp, 0.71 * 2^-53 of it, and z^2 C less than 0.1 * 2^-53
 *
 * So sine and cosine are within 1.4 * 2^-53 of their size, beside the reduction's own error. Fused or not: the products
 * that would be rounded once more are counted as rounded.
 */
#ifndef POSENC_ANGLE_H
#define POSENC_ANGLE_H

#include "simd.h"

typedef struct angle {
  vd sin, cos;
  vd turned; /* 0 in lanes where no quarter turn was subtracted: their error is relative */
} angle;

static inline vd two_sum(vd a, vd b, vd *e)
{
  const vd s = vd_add(a, b), bb = vd_sub(s, a);
  *e = vd_add(vd_sub(a, vd_sub(s, bb)), vd_sub(b, bb));
  return s;
}

/* a minus the nearest multiple of 1/4, exact; the number of quarters is added to *quarters. */
static inline vd off_quarter(vd a, vd *quarters)
{
  const vd q = vd_round(vd_mul(a, vd_set1(4.0)));
  *quarters = vd_add(*quarters, q);
  return vd_sub(a, vd_mul(q, vd_set1(0.25)));
}

static inline angle angle_at(vd position, vd hi, vd mid, vd lo)
{
  /* Quarters of one term are counted modulo 4 before they are added up: a large one would swallow the others. */
  vd e0, e1, r0, r1, g_lo, q0 = vd_set1(0.0), q1 = q0, q2 = q0, q3 = q0;
  const vd p0 = off_quarter(vd_two_product(position, hi, &e0), &q0);
  const vd f1 = off_quarter(e0, &q1);
  const vd f2 = off_quarter(vd_two_product(position, mid, &e1), &q2);
  vd g = two_sum(two_sum(p0, f1, &r0), f2, &r1);
  g = off_quarter(g, &q3);
  const vd rest = vd_add(vd_add(r0, r1), vd_fma(position, lo, e1));
  g = two_sum(g, rest, &g_lo);
  const vd turned = vd_add(vd_add(vd_abs(q0), vd_abs(q1)), vd_add(vd_abs(q2), vd_abs(q3)));
  vd quarter = vd_set1(0.0);
#define MOD4(q) vd_sub(q, vd_mul(vd_set1(4.0), vd_round(vd_mul(q, vd_set1(0.25)))))
  quarter = vd_add(vd_add(MOD4(q0), MOD4(q1)), vd_add(MOD4(q2), q3));
  quarter = MOD4(quarter); /* -2, -1, 0, 1 or 2 */
#undef MOD4

  /* x + x_lo = 2pi (g + g_lo); 2pi = 0x1.921fb54442d18p+2 + 0x1.1a62633145c07p-52 + ... */
  vd x_lo;
  const vd x = vd_two_product(g, vd_set1(0x1.921fb54442d18p+2), &x_lo);
  x_lo = vd_add(x_lo, vd_fma(g, vd_set1(0x1.1a62633145c07p-52), vd_mul(g_lo, vd_set1(0x1.921fb54442d18p+2))));

  vd z_lo;
  const vd z = vd_two_product(x, x, &z_lo);
  static const double sine[] = {1 / 355687428096000.0, -1 / 1307674368000.0, 1 / 6227020800.0, -1 / 39916800.0,
                                1 / 362880.0,          -1 / 5040.0,          1 / 120.0,        -1 / 6.0};
  static const double cosine[] = {-1 / 6402373705728000.0,  1 / 20922789888000.0, -1 / 87178291200.0, 1 / 479001600.0,
                                  -1 / 3628800.0,          1 / 40320.0,          -1 / 720.0,         1 / 24.0};
  vd s = vd_set1(sine[0]), c = vd_set1(cosine[0]);
  for (int i = 1; i < 8; i++) {
    s = vd_fma(s, z, vd_set1(sine[i]));
    c = vd_fma(c, z, vd_set1(cosine[i]));
  }
  /* sin = x + (x_lo cos + x^3 S), cos x_lo to first order; cos = 1 - z/2 + (z^2 C - x x_lo), 1 - z/2 with its tail. */
  const vd half = vd_mul(z, vd_set1(0.5));
  s = vd_fma(vd_mul(x, z), s, vd_sub(x_lo, vd_mul(half, x_lo)));
  const vd sin_x = vd_add(x, s);
  const vd one = vd_set1(1.0), head = vd_sub(one, half);
  vd tail = vd_sub(vd_sub(vd_sub(one, head), half), vd_mul(z_lo, vd_set1(0.5)));
  tail = vd_sub(tail, vd_mul(x, x_lo));
  const vd cos_x = vd_add(head, vd_fma(vd_mul(z, z), c, tail));

  /* Turned by quarter * pi/2, whose cosine a and sine b are 0, 1 or -1: exact. */
  const vd a = vd_sub(one, vd_abs(quarter)), b = vd_mul(quarter, vd_sub(vd_set1(2.0), vd_abs(quarter)));
  const vd sine_q = vd_add(vd_mul(sin_x, a), vd_mul(cos_x, b)), cosine_q = vd_sub(vd_mul(cos_x, a), vd_mul(sin_x, b));
  return (angle){vd_add(sine_q, vd_set1(0.0)), cosine_q, turned}; /* no sine of -0: angle 0 gives +0 */
}

#endif
