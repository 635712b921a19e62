/* One row, or a few: each pair directly from its position, because the tables and sums pay only for many rows. For
 * exact only, which rechecks what may be rounded wrongly: anchored promises the bits of its sums.
 *
 *   reduction    quarter turns q, nearest to position * t (t = hi + mid, angle_addition/angle.h), and g = position * t - q in
 *                one float64. The last two bits of q are those of a sum with 1.5 * 2^50, whose last place is a quarter:
 *                2^31 turns have room there
 *   polynomials  sin(2pi g) = g S(g^2), cos(2pi g) = C(g^2) for |g| <= 1/8: minimax, computed for this with Remez'
 *                algorithm, of the error relative to the sine, and of the cosine's with C(0) = 1; coefficients rounded
 *                to float64
 *   rotated      by q after they are rounded to float32: nothing but exchanges and signs
 *
 * So sine and cosine are off by POSENC_BUDGET_SINGLE v at most, v = 2^-53, the sine of an angle of which no quarter is
 * taken by POSENC_BUDGET_SINGLE_RELATIVE v of itself: less than those of a sum of three angles, so the tests of
 * angle_addition/exact.c hold as they are. docs/exact.md says how that is proved.
 */
#ifndef POSENC_DIRECT_H
#define POSENC_DIRECT_H

#include "angle_addition/tile.h"

#define LEAST_DIRECT 0x1p-20

typedef struct reduced {
  vd quarters[SIDE_BY_SIDE];
  angle y[SIDE_BY_SIDE]; /* of the angles less those */
} reduced;

/* Of n angles less their quarters: at most an eighth of a turn, and what mid adds. Several side by side, as the
 * operations of one wait for each other, and a processor looks ahead by few of them. The loop of coefficients stays one,
 * so that each is loaded once for all. */
FLAT void direct_angles(int n, vd position, const vd *hi, const vd *mid, reduced *to) {
  static const double sine[] = {0x1.e3eed0cbbc372p+1, -0x1.e30063925b99dp+3, 0x1.50782fca2a943p+5,
      -0x1.32d2cce2d528dp+6, 0x1.466bc677586ffp+6, -0x1.4abbce625be41p+5, 0x1.921fb54442d18p+2};
  static const double cosine[] = {0x1.f3ef3c7ba0a02p+2, -0x1.a6ca0086bf5b0p+4, 0x1.e1f4fbfbe286fp+5,
      -0x1.55d3c7dcb5da1p+6, 0x1.03c1f081b14bcp+6, -0x1.3bd3cc9be45a5p+4, 1.0};
  const vd shift = vd_set1(0x1.8p50);
  vd g[SIDE_BY_SIDE], z[SIDE_BY_SIDE];
  for (int v = 0; v < n; v++) {
    to->quarters[v] = vd_fma(position, hi[v], shift);
    g[v] = vd_product_plus(position, hi[v], vd_sub(shift, to->quarters[v])); /* +0 at angle 0, as is no quarter */
    g[v] = vd_fma(position, mid[v], g[v]);
    z[v] = vd_mul(g[v], g[v]);
    to->y[v] = (angle){vd_set1(sine[0]), vd_set1(cosine[0])};
  }
#pragma GCC unroll 1
  for (int i = 1; i < 7; i++)
    for (int v = 0; v < n; v++) {
      to->y[v].sin = vd_fma(to->y[v].sin, z[v], vd_set1(sine[i]));
      to->y[v].cos = vd_fma(to->y[v].cos, z[v], vd_set1(cosine[i]));
    }
  for (int v = 0; v < n; v++)
    to->y[v].sin = vd_mul(g[v], to->y[v].sin);
}

FLAT void reduce(const turns *t, int64_t k, vd position, reduced *to) {
  vd hi[SIDE_BY_SIDE], mid[SIDE_BY_SIDE];
  for (int v = 0; v < SIDE_BY_SIDE; v++) {
    hi[v] = vd_loadu(t->hi + k + v * VD_LANES);
    mid[v] = vd_loadu(t->mid + k + v * VD_LANES);
  }
  direct_angles(SIDE_BY_SIDE, position, hi, mid, to);
}

static inline angle direct_angle(vd position, vd hi, vd mid, vd *quarters) {
  reduced r;
  direct_angles(1, position, &hi, &mid, &r);
  *quarters = r.quarters[0];
  return r.y[0];
}

/* Rounded and rotated, which leaves it as near to halfway, and as small, as before. */
static inline vp rotated_pairs(angle y, vd quarters, vx exempt, rounding_test *test) {
  const vp packed = vd_pack_rotated(y.sin, y.cos, quarters);
  test_pairs(test, y.sin, y.cos, packed, exempt);
  return packed;
}
static inline vp direct_pairs(const turns *t, int64_t k, vd position, vx exempt, rounding_test *test) {
  vd quarters;
  const angle y = direct_angle(position, vd_loadu(t->hi + k), vd_loadu(t->mid + k), &quarters);
  return rotated_pairs(y, quarters, exempt, test);
}

/* Rechecks the columns of frequencies k, k + 1, ... up to column `end`, vector by vector, and now looks for exempt
 * lanes. */
__attribute__((noinline)) static void recheck_direct(
    const posenc_spec *spec, const turns *t, double position, int64_t k, int64_t end, float *row) {
  for (; 2 * k < end; k += VD_LANES) {
    rounding_test test = test_none();
    direct_pairs(t, k, vd_set1(position), exempt_near(t, k, position), &test);
    if (test_failed(&test)) {
      float pairs[EACH];
      resolve(spec, t, position, k, pairs);
      memcpy(row + 2 * k, pairs, (size_t)(end - 2 * k < EACH ? end - 2 * k : EACH) * sizeof *row);
    }
  }
}

/* Columns of a row from those of frequency `first` >= 0 up to `end`. At position 0 all are exact. Others are at least
 * LEAST_DIRECT in size, and whole numbers where frequencies have lost whole turns. */
static inline void direct_row(
    const posenc_spec *spec, const turns *t, double position, float *row, int64_t first, int64_t end) {
  static const double lane[GROUP] LINE = {0, 1, 2, 3, 4, 5, 6, 7};
  enum { AT_ONCE = SIDE_BY_SIDE * VD_LANES };
  const vd at = vd_set1(position);
  const int64_t whole = first + (end / 2 - first) / WINDOW * WINDOW;
  int64_t k = first;
  reduced now, next; /* the next angles are begun before these are rounded: that goes on while they wait */
  if (k < whole)
    reduce(t, k, at, &now);
  for (; k < whole; k += WINDOW) {
    rounding_test test = test_none();
#pragma GCC unroll 8
    for (int64_t i = k; i < k + WINDOW; i += AT_ONCE) {
      if (i + AT_ONCE < whole)
        reduce(t, i + AT_ONCE, at, &next);
      for (int v = 0; v < SIDE_BY_SIDE; v++)
        vp_store(row + 2 * i + v * EACH, rotated_pairs(now.y[v], now.quarters[v], vx_of(vd_set1(0.0)), &test));
      now = next;
    }
    if (test_failed(&test) && position != 0.0)
      recheck_direct(spec, t, position, k, 2 * (k + WINDOW), row);
  }
  for (; 2 * k < end; k += VD_LANES) { /* lanes of no column are not looked at */
    const int64_t columns = end - 2 * k, to = columns < EACH ? columns : EACH, pairs = (to + 1) / 2;
    rounding_test test = test_none();
    const vd none = vd_ge(vd_loadu(lane), vd_set1((double)pairs));
    const vp packed = direct_pairs(t, k, at, vx_of(none), &test);
    if (to == EACH)
      vp_store(row + 2 * k, packed);
    else
      vp_store_part(row + 2 * k, packed, 0, to);
    if (test_failed(&test) && position != 0.0)
      recheck_direct(spec, t, position, k, 2 * k + to, row);
  }
}

#endif
