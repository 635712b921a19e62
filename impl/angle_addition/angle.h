/* Sine and cosine of position x frequency, in float64 vectors: direct, and wide.
 *
 * Both begin with one reduction, in turns. With the frequency hi + lo + removed_turns of frequencies.h,
 *
 *     position x frequency = position (hi + lo) + fraction x removed_turns + whole turns
 *     fraction = position - rint(position)
 *
 * The second term counts only between integers; it is computed where it is not 0, but not at anchors and steps. What is
 * left of quarter turns, |g| <= 1/8, goes into polynomials:
 *
 *   direct  g in one float64; sin(2pi g) = g S(g^2), cos(2pi g) = C(g^2). S and C are minimax polynomials by Remez'
 *           algorithm (verify/proof/make-polynomials): S minimises the relative error of the sine, C the absolute error
 *           of the cosine with C(0) = 1. Within POSENC_BUDGET_DIRECT 2^-53. A sine of which no quarter turn is taken
 *           off is relatively within POSENC_BUDGET_DIRECT_RELATIVE 2^-53
 *   wide    g, and every value from there on, as the sum of two float64; Taylor polynomials. Within POSENC_BUDGET_WIDE
 *           2^-53 of the value, and what the reduction leaves
 *
 * verify/proof/README.md proves both, fused and not fused. */
#ifndef POSENC_ANGLE_H
#define POSENC_ANGLE_H

#include "angle_addition/budget.inc"
#include "angle_addition/frequencies.h"
#include "simd/simd.h"

#define INLINE static inline __attribute__((always_inline)) /* so that constant arguments are constants inside */
enum { LINE_BYTES = 64 /* of a cache line */ };
#define CACHE_ALIGNED __attribute__((aligned(LINE_BYTES)))

typedef struct sin_cos {
  vd sin, cos;
} sin_cos;

/* Independent vectors in flight: the operations of one wait for each other. As many as registers hold. */
enum { SIDE_BY_SIDE = VD_LANES == 1 ? 2 : 4 };

/* ---- the reduction ---- */

/* The factors of position x frequency: position (hi + lo) + fraction x removed_turns. The last two count only where
 * is_fractional. */
typedef struct factors {
  vd position, hi, lo, fraction, removed_turns;
} factors;

/* Frequencies from k on. `fraction` is counted_fraction() the position. */
INLINE factors factors_of(const frequencies *f, int is_fractional, int64_t k, double position, double fraction) {
  factors a = {.position = vd_set1(position), .hi = vd_loadu(f->hi + k), .lo = vd_loadu(f->lo + k)};
  a.fraction = vd_set1(is_fractional ? fraction : 0.0);
  a.removed_turns = is_fractional ? vd_loadu(f->removed_turns + k) : vd_set1(0.0);
  return a;
}

/* Turns that were taken off are stored with this number added. The last place of the sum is 1/4, so adding an angle
 * rounds it to quarter turns, and the last two bits count them. */
#define ZERO_QUARTERS vd_set1(0x1.8p50)

/* Returns a b - q, where q is the product to the nearest quarter turn, and adds q to *quarters. One rounding. */
INLINE vd reduced_product(vd a, vd b, vd *quarters) {
  const vd before = *quarters;
  *quarters = vd_fma(a, b, before);
  return vd_product_plus(a, b, vd_sub(before, *quarters));
}

/* g and the quarter turns taken off. Two parts, each at most an eighth of a turn, may add up to a quarter: so quarter
 * turns are taken off their sum, too. At angle 0, g is +0. */
INLINE vd reduced(factors a, int is_fractional, vd *quarters) {
  *quarters = ZERO_QUARTERS;
  const vd in_turns = is_fractional ? reduced_product(a.fraction, a.removed_turns, quarters) : vd_set1(0.0);
  vd g = reduced_product(a.position, a.hi, quarters);
  if (is_fractional)
    g = reduced_product(vd_add(g, in_turns), vd_set1(1.0), quarters);
  return vd_fma(a.position, a.lo, g);
}

/* Cosine and sine of the quarter turns: 0, 1 or -1. */
INLINE sin_cos sin_cos_of_quarters(vd quarters) {
  const vd turns = vd_sub(quarters, ZERO_QUARTERS);
  const vd q = vd_mul(vd_set1(4.0), vd_sub(turns, vd_round(turns))); /* -2 .. 2 */
  return (sin_cos){.cos = vd_sub(vd_set1(1.0), vd_abs(q)), .sin = vd_mul(q, vd_sub(vd_set1(2.0), vd_abs(q)))};
}

/* ---- direct ---- */

/* Sines and cosines of n angles less their quarter turns, which are at most 1/8 of a turn: within POSENC_BUDGET_DIRECT
 * (verify/proof/direct.sollya and direct.gappa). verify/proof/make-polynomials prints the coefficients. The sine
 * polynomial's own relative error is at most 0.448 2^-53, at g = 0.1221. The cosine polynomial's own error is at most
 * 0.594 2^-53, at g = 0.1218. The loop over coefficients is not unrolled, so that each is loaded once for all
 * angles. */
INLINE void direct_reduced(int n, int is_fractional, const factors *a, vd *quarters, sin_cos *y) {
  static const double sine[] = {0x1.e3eed0cbbc372p+1, -0x1.e30063925b99dp+3, 0x1.50782fca2a943p+5,
      -0x1.32d2cce2d528dp+6, 0x1.466bc677586ffp+6, -0x1.4abbce625be41p+5, 0x1.921fb54442d18p+2};
  static const double cosine[] = {0x1.f3ef3c7ba0a02p+2, -0x1.a6ca0086bf5b0p+4, 0x1.e1f4fbfbe286fp+5,
      -0x1.55d3c7dcb5da1p+6, 0x1.03c1f081b14bcp+6, -0x1.3bd3cc9be45a5p+4, 1.0};
  vd g[SIDE_BY_SIDE], z[SIDE_BY_SIDE];
  for (int v = 0; v < n; v++) {
    g[v] = reduced(a[v], is_fractional, &quarters[v]);
    z[v] = vd_mul(g[v], g[v]);
    y[v] = (sin_cos){vd_set1(sine[0]), vd_set1(cosine[0])};
  }
#pragma GCC unroll 1
  for (int i = 1; i < 7; i++)
    for (int v = 0; v < n; v++) {
      y[v].sin = vd_fma(y[v].sin, z[v], vd_set1(sine[i]));
      y[v].cos = vd_fma(y[v].cos, z[v], vd_set1(cosine[i]));
    }
  for (int v = 0; v < n; v++)
    y[v].sin = vd_mul(g[v], y[v].sin);
}

/* y, turned by its quarter turns. One product of each sum is 0. */
INLINE sin_cos with_quarters(sin_cos y, vd quarters) {
  const sin_cos q = sin_cos_of_quarters(quarters);
  return (sin_cos){vd_fma(y.sin, q.cos, vd_mul(y.cos, q.sin)), vd_fnma(y.sin, q.sin, vd_mul(y.cos, q.cos))};
}

/* Sines and cosines of n angles at integer positions, anchors or steps: there, both may have the opposite sign, which
 * cancels in the product (frequencies.h). */
INLINE void direct(int n, const factors *a, sin_cos *y) {
  vd quarters[SIDE_BY_SIDE];
  direct_reduced(n, 0, a, quarters, y);
  for (int v = 0; v < n; v++)
    y[v] = with_quarters(y[v], quarters[v]);
}

/* ---- wide ---- */

/* A sum of two float64; the literature calls it double-double. */
typedef struct wide {
  vd hi, lo;
} wide;

/* a + b exactly (Knuth's TwoSum). */
INLINE wide two_sum(vd a, vd b) {
  const vd sum = vd_add(a, b), of_b = vd_sub(sum, a);
  return (wide){sum, vd_add(vd_sub(a, vd_sub(sum, of_b)), vd_sub(b, of_b))};
}

/* a + a_lo + b, where |a| >= |b.hi|. Only the sums of the tails are rounded. */
INLINE wide wide_sum(vd a, vd a_lo, wide b) {
  const vd sum = vd_add(a, b.hi), rest = vd_add(vd_sub(a, sum), b.hi);
  return (wide){sum, vd_add(rest, vd_add(b.lo, a_lo))};
}

INLINE wide wide_product(wide a, wide b) {
  wide p;
  p.hi = vd_two_product(a.hi, b.hi, &p.lo);
  p.lo = vd_fma(a.hi, b.lo, vd_fma(a.lo, b.hi, p.lo));
  return p;
}

/* a less the quarter turns nearest to it, which are added to *quarters: exact. */
INLINE vd take_quarters(vd a, vd *quarters) {
  const vd before = *quarters;
  *quarters = vd_add(a, before);
  return vd_sub(a, vd_sub(*quarters, before));
}

/* reduced(), as the sum of two float64. The tail of fraction x turns may be 2^-7 of a turn, so g may exceed an eighth
 * by that. */
INLINE wide wide_reduced(factors a, int is_fractional, vd *quarters) {
  *quarters = ZERO_QUARTERS;
  vd e;
  vd r = take_quarters(vd_two_product(a.position, a.hi, &e), quarters);
  vd low = vd_fma(a.position, a.lo, e);
  if (is_fractional) {
    vd tail;
    const wide sum = two_sum(r, take_quarters(vd_two_product(a.fraction, a.removed_turns, &tail), quarters));
    const wide all = two_sum(take_quarters(sum.hi, quarters), tail);
    r = all.hi;
    low = vd_add(low, vd_add(sum.lo, all.lo));
  }
  const vd g = vd_add(r, low);
  return (wide){g, vd_sub(low, vd_sub(g, r))};
}

/* head[0] + z (head[1] + z T): each coefficient of the head with its tail, and T, of seven terms, in one float64. */
INLINE wide wide_series(wide z, const double head[2][2], const double terms[7]) {
  vd t = vd_set1(terms[0]);
  for (int i = 1; i < 7; i++)
    t = vd_fma(t, z.hi, vd_set1(terms[i]));
  const wide last = {vd_mul(t, z.hi), vd_mul(t, z.lo)};
  const wide second = wide_sum(vd_set1(head[1][0]), vd_set1(head[1][1]), last);
  return wide_sum(vd_set1(head[0][0]), vd_set1(head[0][1]), wide_product(z, second));
}

/* Radians of an angle less its quarter turns. */
INLINE wide wide_radians(factors a, int is_fractional, vd *quarters) {
  const wide two_pi = {vd_set1(0x1.921fb54442d18p+2), vd_set1(0x1.1a62633145c07p-52)};
  return wide_product(wide_reduced(a, is_fractional, quarters), two_pi);
}

/* sin x = x + x z (-1/6 + z (1/120 + z T)), z = x^2: within 2^-12 v (verify/proof/wide.sollya and wide_sine.gappa).
 * The polynomial's own relative error is at most 2^-70.8 (wide.sollya), at the largest x, 0.8345. */
INLINE wide wide_sine(wide x) {
  static const double head[2][2] = {{-1 / 6.0, -0x1.5555555555555p-57}, {1 / 120.0, 0x1.1111111111111p-63}};
  static const double terms[] = {-1 / 121645100408832000.0, 1 / 355687428096000.0, -1 / 1307674368000.0,
      1 / 6227020800.0, -1 / 39916800.0, 1 / 362880.0, -1 / 5040.0};
  const wide z = wide_product(x, x);
  return wide_sum(x.hi, x.lo, wide_product(x, wide_product(z, wide_series(z, head, terms))));
}

/* cos x = 1 + z (-1/2 + z (1/24 + z (-1/720 + z T))): within 2^-12 v (verify/proof/wide.sollya and wide_cosine.gappa).
 * The polynomial's own relative error is at most 2^-75.2 (wide.sollya), at the largest x, 0.8345. */
INLINE wide wide_cosine(wide x) {
  static const double head[2][2] = {{1 / 24.0, 0x1.5555555555555p-59}, {-1 / 720.0, 0x1.f49f49f49f49fp-65}};
  static const double terms[] = {1 / 2432902008176640000.0, -1 / 6402373705728000.0, 1 / 20922789888000.0,
      -1 / 87178291200.0, 1 / 479001600.0, -1 / 3628800.0, 1 / 40320.0};
  const vd zero = vd_set1(0.0);
  const wide z = wide_product(x, x);
  const wide less_half = wide_sum(vd_set1(-0.5), zero, wide_product(z, wide_series(z, head, terms)));
  return wide_sum(vd_set1(1.0), zero, wide_product(z, less_half));
}

/* a x + b y, of x and y one is 0 and the other 1 or -1 */
INLINE wide wide_rotated(wide a, vd x, wide b, vd y) {
  return (wide){vd_fma(a.hi, x, vd_mul(b.hi, y)), vd_fma(a.lo, x, vd_mul(b.lo, y))};
}

#endif
