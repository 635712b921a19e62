/* Sine and cosine of position * w in float64 vectors, the building block of the anchored and exact kernels.
 *
 * Frequencies come as fractions of a turn, t = w / 2pi less the nearest integer (angle_addition/turns.h), as two float64
 * each: t = hi + mid up to 2^-105 of it, |t| <= 1/2.
 *
 *   reduction  g = position * t mod 1/4, |g| <= 1/8, as a pair of float64. position * hi is split exactly and whole
 *              quarter turns are subtracted exactly. Relative error below 2^-102 when no quarter was taken away; else
 *              absolute error below 2^-71 (P t up to 2^31; mid and the rounding of the lower half leave 2^-103 of it)
 *   Taylor     x = 2pi g as a pair; degree 17 and 18 leave 2^-62 of the sine and 2^-67 of the cosine
 *
 * So sine and cosine are within 1.4 * 2^-53 of their size, beside the reduction's own error, fused or not:
 * verify/proof/README.md says how that is proved.
 */
#ifndef POSENC_ANGLE_H
#define POSENC_ANGLE_H

#include "angle_addition/turns.h"
#include "simd/simd.h"

typedef struct angle {
  vd sin, cos;
} angle;

#define FLAT static inline __attribute__((always_inline)) /* inlined, so that constant arguments are constants there */
#define LINE __attribute__((aligned(64)))

/* Vectors whose operations take turns: those of one wait for each other, and a processor looks ahead by few vectors.
 * As many as registers hold. */
enum { SIDE_BY_SIDE = VD_LANES == 1 ? 2 : 4 };

/* x + x_lo in radians, what is left of an angle less its quarter turns; z + z_lo = x^2. */
typedef struct radians {
  vd quarters, x, x_lo, z, z_lo;
} radians;

static inline radians radians_at(vd position, vd hi, vd mid) {
  vd e;
  const vd p = vd_two_product(position, hi, &e), quarters = vd_round(vd_mul(p, vd_set1(4.0)));
  const vd r = vd_sub(p, vd_mul(quarters, vd_set1(0.25))), low = vd_fma(position, mid, e);
  /* r is 0 or a multiple of low's last place, so this sum loses nothing (Dekker, Numer. Math. 18, 1971). */
  const vd g = vd_add(r, low), g_lo = vd_sub(low, vd_sub(g, r));

  /* x + x_lo = 2pi (g + g_lo); 2pi = 0x1.921fb54442d18p+2 + 0x1.1a62633145c07p-52 + ... */
  vd x_lo, z_lo;
  const vd x = vd_two_product(g, vd_set1(0x1.921fb54442d18p+2), &x_lo);
  x_lo = vd_add(x_lo, vd_fma(g, vd_set1(0x1.1a62633145c07p-52), vd_mul(g_lo, vd_set1(0x1.921fb54442d18p+2))));
  const vd z = vd_two_product(x, x, &z_lo);
  return (radians){quarters, x, x_lo, z, z_lo};
}

/* Given the polynomials' values. */
static inline angle angle_of_radians(radians a, vd s, vd c) {
  const vd x = a.x, z = a.z;
  /* sin = x + (x_lo cos + x^3 S), cos x_lo to first order; cos = 1 - z/2 + (z^2 C - x x_lo), 1 - z/2 with its tail. */
  const vd half = vd_mul(z, vd_set1(0.5));
  s = vd_fma(vd_mul(x, z), s, vd_fnma(half, a.x_lo, a.x_lo));
  const vd sin_x = vd_add(x, s);
  const vd one = vd_set1(1.0), head = vd_sub(one, half);
  vd tail = vd_fnma(a.z_lo, vd_set1(0.5), vd_sub(vd_sub(one, head), half));
  tail = vd_fnma(x, a.x_lo, tail);
  const vd cos_x = vd_add(head, vd_fma(vd_mul(z, z), c, tail));

  /* Rotated by quarters * pi/2, whose cosine and sine are 0, 1 or -1: exact. */
  const vd q = vd_fnma(vd_set1(4.0), vd_round(vd_mul(a.quarters, vd_set1(0.25))), a.quarters); /* -2 .. 2 */
  const vd cosine = vd_sub(one, vd_abs(q)), sine = vd_mul(q, vd_sub(vd_set1(2.0), vd_abs(q)));
  const vd sin = vd_fma(sin_x, cosine, vd_mul(cos_x, sine)), cos = vd_fnma(sin_x, sine, vd_mul(cos_x, cosine));
  return (angle){vd_add(sin, vd_set1(0.0)), cos}; /* no sine of -0: angle 0 gives +0 */
}

FLAT void angles_at(int n, const vd *position, const vd *hi, const vd *mid, angle *y) {
  static const double sine[] = {1 / 355687428096000.0, -1 / 1307674368000.0, 1 / 6227020800.0, -1 / 39916800.0,
      1 / 362880.0, -1 / 5040.0, 1 / 120.0, -1 / 6.0};
  static const double cosine[] = {-1 / 6402373705728000.0, 1 / 20922789888000.0, -1 / 87178291200.0, 1 / 479001600.0,
      -1 / 3628800.0, 1 / 40320.0, -1 / 720.0, 1 / 24.0};
  radians a[SIDE_BY_SIDE];
  for (int v = 0; v < n; v++) {
    a[v] = radians_at(position[v], hi[v], mid[v]);
    y[v] = (angle){vd_set1(sine[0]), vd_set1(cosine[0])};
  }
  for (int i = 1; i < 8; i++)
    for (int v = 0; v < n; v++)
      y[v] = (angle){vd_fma(y[v].sin, a[v].z, vd_set1(sine[i])), vd_fma(y[v].cos, a[v].z, vd_set1(cosine[i]))};
  for (int v = 0; v < n; v++)
    y[v] = angle_of_radians(a[v], y[v].sin, y[v].cos);
}

static inline angle angle_at(vd position, vd hi, vd mid) {
  angle y;
  angles_at(1, &position, &hi, &mid, &y);
  return y;
}

/* Of VD_LANES frequencies from k, anywhere. */
static inline angle compute(const turns *t, int64_t k, double position) {
  return angle_at(vd_set1(position), vd_loadu(t->hi + k), vd_loadu(t->mid + k));
}

/* n vectors at once: each is `apart` frequencies and `further` positions from the one before. */
FLAT void compute_several(int n, const turns *t, int64_t k, int apart, double position, double further, angle *y) {
  vd at[SIDE_BY_SIDE], hi[SIDE_BY_SIDE], mid[SIDE_BY_SIDE];
  for (int v = 0; v < n; v++) {
    at[v] = vd_set1(position + v * further);
    hi[v] = vd_loadu(t->hi + k + v * apart);
    mid[v] = vd_loadu(t->mid + k + v * apart);
  }
  angles_at(n, at, hi, mid, y);
}

/* The sum of two angles from their sines and cosines: one sequence of operations for everyone (angle_addition/row_pair.h has it
 * for sines and cosines in turn), so that all agree bit for bit. Each result is off by 2^-53 (|product that is
 * rounded| + |result|) where the row may fuse. */
static inline angle rotated(angle a, angle b) {
  return (angle){vd_fma(a.cos, b.sin, vd_mul(a.sin, b.cos)), vd_fnma(a.sin, b.sin, vd_mul(a.cos, b.cos))};
}

#endif
