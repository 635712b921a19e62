/* float64, correctly rounded: each pair directly from its position, as a sum of two float64, then Ziv's rounding test.
 *
 *   reduction  g + g_lo = position * t less quarter turns, as in angle_addition/angle.h
 *   x + x_lo   2pi (g + g_lo), |x| <= pi/4 + 2^-17, as the quarters are those of position * hi; z + z_lo = x^2
 *   Taylor     sin x = x + x z (-1/6 + z (1/120 + z T)), cos x = 1 + z (-1/2 + z (1/24 + z (-1/720 + z T'))): T, of
 *              seven terms, is one float64; all else is a sum of two. z T is at most 1/68 of what it is added to.
 *
 * So sine and cosine are off by POSENC_BUDGET_WIDE v of their size, 2^-65, v = 2^-53, and by what the reduction leaves:
 * 128 v^2 of position * t. verify/proof/README.md adds it up. Where all of that interval rounds alike, it is the answer.
 * About one output in 3000 is not decided and goes to the integers (multiprecision/fallback.c), as do frequencies that
 * angle_addition/turns.c replaces, products that may underflow, and whole turns between integers.
 */
#ifndef POSENC_FLOAT64_ROWS_H
#define POSENC_FLOAT64_ROWS_H

#include "multiprecision/fallback.h"
#include "angle_addition/angle.h"

#include <math.h>

typedef struct wide {
  vd hi, lo;
} wide;

/* |a| >= |b.hi|: exact but for the tails. */
static inline wide wide_sum(vd a, vd a_lo, wide b) {
  const vd sum = vd_add(a, b.hi), rest = vd_add(vd_sub(a, sum), b.hi);
  return (wide){sum, vd_add(rest, vd_add(b.lo, a_lo))};
}

static inline wide wide_product(wide a, wide b) {
  wide p;
  p.hi = vd_two_product(a.hi, b.hi, &p.lo);
  p.lo = vd_fma(a.hi, b.lo, vd_fma(a.lo, b.hi, p.lo));
  return p;
}

/* head[0] + z (head[1] + z T) for the series' head, each coefficient and its tail, and T from its last term on. */
static inline wide wide_series(wide z, const double head[2][2], const double tail[7]) {
  vd t = vd_set1(tail[0]);
  for (int i = 1; i < 7; i++)
    t = vd_fma(t, z.hi, vd_set1(tail[i]));
  const wide last = {vd_mul(t, z.hi), vd_mul(t, z.lo)};
  const wide second = wide_sum(vd_set1(head[1][0]), vd_set1(head[1][1]), last);
  return wide_sum(vd_set1(head[0][0]), vd_set1(head[0][1]), wide_product(z, second));
}

/* Sine and cosine, and the position times hi, the first of a frequency's two float64 in turns. */
static inline vd wide_angle(vd position, vd hi, vd mid, wide *sin, wide *cos) {
  static const double sine[2][2] = {{-1 / 6.0, -0x1.5555555555555p-57}, {1 / 120.0, 0x1.1111111111111p-63}};
  static const double sine_tail[] = {-1 / 121645100408832000.0, 1 / 355687428096000.0, -1 / 1307674368000.0,
      1 / 6227020800.0, -1 / 39916800.0, 1 / 362880.0, -1 / 5040.0};
  static const double cosine[2][2] = {{1 / 24.0, 0x1.5555555555555p-59}, {-1 / 720.0, 0x1.f49f49f49f49fp-65}};
  static const double cosine_tail[] = {1 / 2432902008176640000.0, -1 / 6402373705728000.0, 1 / 20922789888000.0,
      -1 / 87178291200.0, 1 / 479001600.0, -1 / 3628800.0, 1 / 40320.0};
  const vd zero = vd_set1(0.0), one = vd_set1(1.0);
  vd e;
  const vd p = vd_two_product(position, hi, &e), quarters = vd_round(vd_mul(p, vd_set1(4.0)));
  const vd r = vd_sub(p, vd_mul(quarters, vd_set1(0.25))), low = vd_fma(position, mid, e), g = vd_add(r, low);
  const wide part = {g, vd_sub(low, vd_sub(g, r))};
  const wide two_pi = {vd_set1(0x1.921fb54442d18p+2), vd_set1(0x1.1a62633145c07p-52)};
  const wide x = wide_product(part, two_pi), z = wide_product(x, x);

  const wide sin_x = wide_sum(x.hi, x.lo, wide_product(x, wide_product(z, wide_series(z, sine, sine_tail))));
  const wide less_half = wide_sum(vd_set1(-0.5), zero, wide_product(z, wide_series(z, cosine, cosine_tail)));
  const wide cos_x = wide_sum(one, zero, wide_product(z, less_half));

  /* Rotated by quarters * pi/2, whose cosine a and sine b are 0, 1 or -1: exact. */
  const vd q = vd_fnma(vd_set1(4.0), vd_round(vd_mul(quarters, vd_set1(0.25))), quarters); /* -2 .. 2 */
  const vd a = vd_sub(one, vd_abs(q)), b = vd_mul(q, vd_sub(vd_set1(2.0), vd_abs(q)));
  *sin = (wide){vd_fma(sin_x.hi, a, vd_mul(cos_x.hi, b)), vd_fma(sin_x.lo, a, vd_mul(cos_x.lo, b))};
  *cos = (wide){vd_fnma(sin_x.hi, b, vd_mul(cos_x.hi, a)), vd_fnma(sin_x.lo, b, vd_mul(cos_x.lo, a))};
  return p;
}

typedef struct wide_values {
  double y[2][STRIP] LINE;   /* sines, cosines, rounded */
  double low[2][STRIP] LINE; /* the other end of the interval, or NaN where something else is not known */
} wide_values;

static inline void round_wide(wide y, vd rest, vd unknown, double *nearest, double *low) {
  const vd error = vd_fma(vd_abs(y.hi), vd_set1(POSENC_BUDGET_WIDE * 0x1p-53), rest);
  vd_store(nearest, vd_add(vd_add(y.hi, vd_add(y.lo, error)), vd_set1(0.0)));
  vd_store(low, vd_or(vd_add(vd_add(y.hi, vd_sub(y.lo, error)), vd_set1(0.0)), unknown));
}

static inline void wide_pairs(vd position, vd hi, vd mid, wide_values *to, int at) {
  wide sin, cos;
  const vd size = vd_abs(wide_angle(position, hi, mid, &sin, &cos));
  const vd rest = vd_mul(size, vd_set1(2 * POSENC_BUDGET_PLACE * 0x1p-106));
  const vd replaced = vd_or(vd_ge(vd_set1(0x1p-202), vd_abs(hi)), vd_ge(vd_set1(0x1p-900), size));
  const vd unknown = vd_and(replaced, vd_ge(size, vd_set1(0x1p-1074)));
  round_wide(sin, rest, unknown, to->y[0] + at, to->low[0] + at);
  round_wide(cos, rest, unknown, to->y[1] + at, to->low[1] + at);
}

/* Columns from .. to-1 of a row at any position; both are even. */
__attribute__((noinline)) static void float64_row(
    const posenc_spec *spec, const turns *t, double position, int64_t from, int64_t to, double *out) {
  const int is_integer = position == rint(position) && !(position == 0.0 && signbit(position));
  wide_values x;
  for (int64_t c = from; c < to; c += 2 * STRIP, out += 2 * STRIP) {
    for (int v = 0; v < STRIP; v += VD_LANES)
      wide_pairs(vd_set1(position), vd_loadu(t->hi + c / 2 + v), vd_loadu(t->mid + c / 2 + v), &x, v);
    for (int64_t k = 0; k < STRIP && c + 2 * k < to; k++)
      for (int f = 0; f < 2; f++) {
        const int certain =
            x.low[f][k] == x.y[f][k] && (is_integer || (fabs(position) >= 0x1p-800 && t->whole[c / 2 + k] == 0.0));
        out[2 * k + f] = certain ? x.y[f][k] : posenc_fallback(spec, position, c + 2 * k + f);
      }
  }
}

#endif
