/* Single rows, in float32 and 16 bits: each pair directly from its position, correctly rounded. For a few rows, rows at
 * positions in any order, and rows at real positions; a table's anchors and steps pay only for many rows.
 *
 *   reduction    quarter turns q, nearest to position * t (t = hi + mid, angle_addition/angle.h), and g = position * t - q in
 *                one float64. The last two bits of q are those of a sum with 1.5 * 2^50, whose last place is a quarter:
 *                2^31 turns have room there
 *   polynomials  sin(2pi g) = g S(g^2), cos(2pi g) = C(g^2) for |g| <= 1/8: minimax, computed for this with Remez'
 *                algorithm, of the error relative to the sine, and of the cosine's with C(0) = 1; coefficients rounded
 *                to float64
 *   rotated      by q after they are rounded to float32: nothing but exchanges and signs
 *
 * So sine and cosine are off by POSENC_BUDGET_SINGLE v at most, v = 2^-53, and the sine of an angle of which no quarter is
 * taken by POSENC_BUDGET_SINGLE_RELATIVE v of itself: less than those of a sum of three angles, so the same rounding test
 * holds. verify/proof/README.md says how that is proved.
 */
#ifndef POSENC_SINGLE_ROWS_H
#define POSENC_SINGLE_ROWS_H

#include "angle_addition/ziv.h"

#define LEAST_DIRECT 0x1p-20 /* of positions */

/* -0 is none: the sine of its angle is -0. */
static inline int is_integer(double position) {
  return position == rint(position) && !(position == 0.0 && signbit(position));
}

typedef struct reduced {
  vd quarters[SIDE_BY_SIDE];
  angle y[SIDE_BY_SIDE]; /* of the angles less those */
} reduced;

/* n angles less their quarters: at most an eighth of a turn, and what mid adds. Several side by side, as the operations of one
 * wait for each other, and a processor looks ahead by few of them. The loop over coefficients is not unrolled, so that each is
 * loaded once for all angles. */
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

/* The values of y rotated, tested and stored: VD_LANES pairs. Rotation leaves a value as near to half-way, and as small. */
FLAT void store_pairs(form f, rounding_test *test, angle y, vd quarters, vu exempt, unsigned char *to) {
  const vp packed = vp_interleave_rotated(y.sin, y.cos, quarters);
  test_values(f, test, y.sin, y.cos, packed, exempt);
  store_packed(f, to, packed);
}

FLAT void direct_pairs(form f, rounding_test *test, const turns *t, double position, int64_t k, const uint32_t *exempt,
    unsigned char *to) {
  vd quarters;
  const angle y = direct_angle(vd_set1(position), vd_loadu(t->hi + k), vd_loadu(t->mid + k), &quarters);
  store_pairs(f, test, y, quarters, vu_load(exempt), to);
}

/* The pairs of VD_LANES frequencies from k, of which `columns` elements are wanted. */
static inline void resolve_to(
    form f, const posenc_spec *spec, const turns *t, double position, int64_t k, int64_t columns, unsigned char *to) {
  double pairs[2 * VD_LANES];
  resolve(spec, t, position, k, columns, pairs);
  for (int c = 0; c < 2 * VD_LANES && c < columns; c++)
    store_element(f, (destination){to, to}, c, pairs[c]);
}

/* After a test that failed: columns of frequencies from k on, vector by vector, and now with exempt frequencies. */
__attribute__((noinline)) static void recheck_single(
    form f, const posenc_spec *spec, const turns *t, double position, int64_t k, int64_t columns, unsigned char *to) {
  for (; columns > 0; k += VD_LANES, columns -= 2 * VD_LANES, to += 2 * VD_LANES * size_of(f)) {
    uint32_t exempt[2 * VD_LANES] LINE;
    unsigned char again[2 * VD_LANES * sizeof(float)] LINE;
    rounding_test test = test_none();
    vd_store((double *)(void *)exempt, exempt_of(f, vd_loadu(t->hi + k), fabs(position)));
    for (int64_t c = columns; c < 2 * VD_LANES; c++)
      exempt[c] = UINT32_MAX;
    direct_pairs(f, &test, t, position, k, exempt, again);
    if (test_failed(f, &test))
      resolve_to(f, spec, t, position, k, columns, to);
  }
}

/* So many columns of a row, from those of frequency k on. The position is 0 or at least LEAST_DIRECT in size, and an integer
 * where frequencies have lost whole turns. */
FLAT void direct_row(
    form f, const posenc_spec *spec, const turns *t, double position, int64_t k, int64_t columns, unsigned char *to) {
  enum { AT_ONCE = SIDE_BY_SIDE * VD_LANES, EACH = 2 * VD_LANES };
  const vd at = vd_set1(position);
  const int64_t whole = k + columns / (2 * STRIP) * STRIP, end = k + (columns + 1) / 2;
  reduced now, next; /* the next angles are begun before these are rounded: that goes on while they wait */
  if (k < whole)
    reduce(t, k, at, &now);
  for (; k < whole; k += STRIP, to += 2 * STRIP * size_of(f)) {
    rounding_test test = test_none();
#pragma GCC unroll 8
    for (int64_t i = 0; i < STRIP; i += AT_ONCE) {
      if (k + i + AT_ONCE < whole)
        reduce(t, k + i + AT_ONCE, at, &next);
      for (int v = 0; v < SIDE_BY_SIDE; v++)
        store_pairs(
            f, &test, now.y[v], now.quarters[v], vu_set1(UINT32_C(1) << 31), to + 2 * (i + v * VD_LANES) * size_of(f));
      now = next;
    }
    if (test_failed(f, &test) && position != 0.0)
      recheck_single(f, spec, t, position, k, 2 * STRIP, to);
  }
  for (columns %= 2 * STRIP; k < end; k += VD_LANES, columns -= EACH, to += EACH * size_of(f)) {
    uint32_t exempt[EACH] LINE; /* columns that do not exist are */
    unsigned char last[EACH * sizeof(float)] LINE;
    rounding_test test = test_none();
    for (int c = 0; c < EACH; c++)
      exempt[c] = c >= columns ? UINT32_MAX : UINT32_C(1) << 31;
    direct_pairs(f, &test, t, position, k, exempt, columns < EACH ? last : to);
    if (columns < EACH)
      memcpy(to, last, (size_t)(columns * size_of(f)));
    if (test_failed(f, &test) && position != 0.0)
      recheck_single(f, spec, t, position, k, columns < EACH ? columns : EACH, to);
  }
}

/* Columns of one row at any position, correctly rounded. has_whole: a frequency has lost whole turns. */
__attribute__((noinline)) static void single_row(const posenc_spec *spec, const turns *t, double position,
    int has_whole, int64_t k, int64_t columns, unsigned char *to) {
  const form f = {.dtype = spec->dtype};
  if ((fabs(position) < LEAST_DIRECT && !is_integer(position)) || (has_whole && position != rint(position)))
    for (; columns > 0; k += VD_LANES, columns -= 2 * VD_LANES, to += 2 * VD_LANES * size_of(f))
      resolve_to(f, spec, t, position, k, columns, to);
  else if (f.dtype == POSENC_DTYPE_F32)
    direct_row((form){.dtype = POSENC_DTYPE_F32}, spec, t, position, k, columns, to);
  else if (f.dtype == POSENC_DTYPE_BF16)
    direct_row((form){.dtype = POSENC_DTYPE_BF16}, spec, t, position, k, columns, to);
  else
    direct_row((form){.dtype = POSENC_DTYPE_F16}, spec, t, position, k, columns, to);
}

#endif
