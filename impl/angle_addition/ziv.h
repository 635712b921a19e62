/* What the rounding test (angle_addition/store.h) leaves open: Ziv's strategy ("Fast evaluation of elementary mathematical
 * functions with correctly rounded last bit", ACM TOMS 17, 1991), each step rarer and dearer than the one before.
 *
 *   1. Rounding test, of every row pair (angle_addition/store.h). A value is a sum of three angles, whose error is below
 *      POSENC_BUDGET_ERROR v, v = 2^-53. In float32, of a value above 2^-12, a unit of the dropped bits is at least 2^-64, so CHECK_WINDOW
 *      units are at least 2^-49, which is more than that error.
 *   2. Recheck, of the row pairs that fail the test: 3.5 % in float32 at random angles. A value is right if value - error and
 *      value + error round alike. The error of a small angle's sine is relative, POSENC_BUDGET_RELATIVE v.
 *   3. Resolve, of the values that fail the recheck: the angle is computed directly (angle_addition/angle.h). The error is below
 *      4 v of the value plus |position| 64 v^2. That decides values near 0.
 *   4. Fallback, of the values that are still open, one in some 77 million: integers (multiprecision/fallback.c).
 *
 * A single row's values (angle_addition/single_rows.h) are more accurate than a sum's, so the same test holds. The proof
 * is verify/proof/README.md.
 */
#ifndef POSENC_ZIV_H
#define POSENC_ZIV_H

#include "angle_addition/row_pair.h"
#include "multiprecision/fallback.h"

/* Sines and cosines of VD_LANES frequencies at one position, and how far they may be off. */
typedef struct intervals {
  angle y, error;
} intervals;

static inline int any_whole(const turns *t, int64_t k) {
  int any = 0;
  for (int l = 0; l < VD_LANES; l++)
    any |= t->whole[k + l] != 0.0;
  return any;
}

/* Between integers a frequency's whole turns count. Position times whole, less its integers, is fraction times whole: a second
 * angle, and exact as a product. */
static inline intervals angle_alone(const turns *t, int64_t k, double position) {
  const double fraction = position - rint(position), size = fabs(position);
  const vd hi = vd_loadu(t->hi + k), reduction = vd_set1(size * (POSENC_BUDGET_PLACE * 0x1p-106));
  angle y = angle_at(vd_set1(position), hi, vd_loadu(t->mid + k));
  if (fraction != 0.0 && any_whole(t, k)) {
    const vd error = vd_set1(POSENC_BUDGET_ERROR * 0x1p-53);
    y = rotated(y, angle_at(vd_set1(fraction), vd_loadu(t->whole + k), vd_set1(0.0)));
    return (intervals){y, {error, error}};
  }
  /* No quarter turn is taken off a small angle: its error is relative. */
  const vd small = vd_ge(vd_set1(0.125), vd_mul(vd_set1(size), vd_abs(hi)));
  const vd rest = vd_sub(reduction, vd_and(reduction, small)), share = vd_set1(POSENC_BUDGET_ALONE * 0x1p-53);
  return (intervals){y, {vd_fma(vd_abs(y.sin), share, rest), vd_fma(vd_abs(y.cos), share, rest)}};
}

/* Products may underflow, or the whole turns of a frequency are not kept. */
static inline int is_beyond_float64(const turns *t, int64_t k, double position) {
  return position != rint(position) && (isinf(t->whole[k]) || fabs(position) < 0x1p-800);
}

/* Do both ends of an interval round to the same bits, *nearest_value? The zeros differ in their sign. */
FLAT int ends_agree(int dtype, double y, double error, double *nearest_value) {
  const double low = nearest(dtype, y - error), high = nearest(dtype, y + error);
  *nearest_value = low;
  return low == high && (low != 0.0 || !signbit(low) == !signbit(high));
}

/* Steps 3 and 4: pairs (sine, cosine) of frequencies from k at any position, correctly rounded to the dtype: the first `wanted`
 * elements of VD_LANES pairs. */
__attribute__((noinline)) static void resolve(
    const posenc_spec *spec, const turns *t, double position, int64_t k, int64_t wanted, double *pairs) {
  const intervals x = angle_alone(t, k, position);
  double error[2 * VD_LANES] LINE, y[2 * VD_LANES] LINE;
  const int is_minus_0 = position == 0.0 && signbit(position);
  vd_store_interleaved(y, x.y.sin, x.y.cos);
  vd_store_interleaved(error, x.error.sin, x.error.cos);
  if (spec->dtype == POSENC_DTYPE_F32 && !is_minus_0 && position == rint(position)) { /* nearly all at once */
    const vd a = vd_load(y), b = vd_load(y + VD_LANES), e = vd_load(error), g = vd_load(error + VD_LANES);
    const vp low = vp_join(vd_sub(a, e), vd_sub(b, g)), high = vp_join(vd_add(a, e), vd_add(b, g));
    if (vu_equal(vp_bits(low), vp_bits(high))) {
      float values[2 * VD_LANES];
      vp_put(values, low, 0);
      for (int c = 0; c < 2 * VD_LANES; c++)
        pairs[c] = (double)values[c];
      return;
    }
  }
  for (int c = 0; c < 2 * VD_LANES && c < wanted; c++) {
    const int64_t at = k + c / 2;
    if (!ends_agree(spec->dtype, y[c], error[c], &pairs[c]) || is_minus_0 || is_beyond_float64(t, at, position))
      if (at < t->there)
        pairs[c] = posenc_fallback(spec, position, 2 * at + c % 2);
  }
}

/* Do all of 2 VD_LANES values round alike for certain? For 16 bits the interval is wider by a unit of float32, as both ends are
 * rounded to float32 first. */
FLAT int vectors_agree(int dtype, const double *y) {
  const int is_float = dtype == POSENC_DTYPE_F32;
  const vd error = vd_set1(is_float ? POSENC_BUDGET_ERROR * 0x1p-53 : 0x1p-23), a = vd_load(y),
           b = vd_load(y + VD_LANES);
  const vp low = vp_join(vd_sub(a, error), vd_sub(b, error)), high = vp_join(vd_add(a, error), vd_add(b, error));
  return is_float                     ? vu_equal(vp_bits(low), vp_bits(high))
         : dtype == POSENC_DTYPE_BF16 ? vh_equal(vp_to_bf16(low), vp_to_bf16(high))
                                      : vh_equal(vp_to_f16(low), vp_to_f16(high));
}

/* Step 2, for one row of a strip: its values y, and where its elements are. */
static inline void recheck_row(
    const posenc_spec *spec, const strip *p, int64_t position, const double *y, destination to) {
  for (int i = 0; i < 2 * p->n; i += 2 * VD_LANES) {
    if (vectors_agree(spec->dtype, y + i)) /* nearly always, so the branch is predicted */
      continue;
    for (int c = i; c < i + 2 * VD_LANES; c++) {
      const int is_small = is_relative(p->hi[c / 2], furthest_of(p->coarse_at));
      const double error = is_small ? POSENC_BUDGET_RELATIVE * fabs(y[c]) : POSENC_BUDGET_ERROR;
      double value;
      if (!ends_agree(spec->dtype, y[c], error * 0x1p-53, &value)) {
        double pairs[2 * VD_LANES];
        if (c / 2 >= p->there)
          continue;
        resolve(spec, p->t, (double)position, frequency_of(p, c / 2), 2, pairs);
        value = pairs[(c % 2) ^ p->cosines_first];
      }
      store_element(p->f, to, c, value);
    }
  }
}

/* Step 2, for a row pair whose test failed: its values again, in float64. */
__attribute__((noinline)) static void recheck(
    const posenc_spec *spec, const strip *p, int b, int64_t run, const row_pairs *r, int has_ahead, int has_behind) {
  double y[2][2 * STRIP] LINE;
  unsigned char *const ahead = (unsigned char *)y[0], *const behind = (unsigned char *)y[1];
  const row_pairs again = {.first = b, .end = b + 1, .ahead = {ahead, ahead}, .behind = {behind, behind}};
  narrow_f64(p, &again);
  if (has_ahead)
    recheck_row(spec, p, run + STEPS + b, y[0], further(r->ahead, (b - r->first) * r->next_ahead));
  if (has_behind)
    recheck_row(spec, p, run + STEPS - 1 - b, y[1], further(r->behind, (b - r->first) * r->next_behind));
}

#endif
