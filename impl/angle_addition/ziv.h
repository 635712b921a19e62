/* What the rounding test (simd/simd.h) leaves open, for exact: Ziv's strategy ("Fast evaluation of elementary
 * mathematical functions with correctly rounded last bit", ACM TOMS 17, 1991), each step rarer and dearer than the one
 * before.
 *
 *   1. Every output: the sum of three angles, off by less than POSENC_BUDGET_ERROR v, v = 2^-53. The 29 bits that rounding
 *      drops are not within CHECK_WINDOW = 2^15 of halfway, and the value is above 2^-12: then the error is less than that
 *      many of its last places, 2^-64 or more, and the rounding is right. Sines of small angles pass without the second
 *      half (exempt): their error is relative.
 *   2. Tiles that fail it, 3.6 % of random angles: value - error and value + error round alike.
 *   3. What fails that too: its angle by itself (angle_addition/angle.h), off by less than 4 v of its size and |position| 64 v^2.
 *      That decides what is nearly 0.
 *   4. What is left, one in some 50 million: integers, multiprecision/fallback.c.
 *
 * A single row's values (angle_addition/direct.h) are nearer to the real ones than a sum's.
 */
#ifndef POSENC_ZIV_H
#define POSENC_ZIV_H

#include "multiprecision/fallback.h"
#include "angle_addition/angle.h"

/* Whether the file that includes this is compiled as exact, which tests and corrects, or as anchored (list.inc). */
enum { EXACT = POSENC_VARIANT };

/* Lanes of frequencies of which neither a part of the positions around this anchor nor a sum of parts turns by an
 * eighth: all bits set. No quarter turn is taken off, so errors are relative: docs/exact.md adds them up. */
static inline double furthest(double anchor) { return (anchor < 0 ? -anchor : anchor) + (SPAN + RUN) / 2; }
static inline vd relative_near(const turns *t, int64_t k, double anchor) {
  return vd_ge(vd_set1(0.125), vd_mul(vd_set1(furthest(anchor)), vd_abs(vd_loadu(t->hi + k))));
}
static inline int is_relative_near(double turns_each, double anchor) { return furthest(anchor) * turns_each <= 0.125; }

/* Of those the pairs, of which sines need not be above 2^-12: from position 2^-20 on they are normal in float32, or below
 * 2^-167 and 0 there. And the sines of no frequency, which are 0. Cosines are above 2^-12 here anyway. */
static inline vx exempt_near(const turns *t, int64_t k, double anchor) {
  const vd size = vd_abs(vd_loadu(t->hi + k)), nothing = vd_set1(0x1p-202);
  const vd sized = vd_or(vd_ge(size, vd_set1(0x1p-100)), vd_ge(nothing, size));
  return vx_of(vd_and(relative_near(t, k, anchor), sized));
}

/* The pairs of frequencies k, k + 1, ... at a position other than 0, to `out`: steps 3 and 4. */
__attribute__((noinline, unused)) static void resolve(
    const posenc_spec *spec, const turns *t, double position, int64_t k, float *out) {
  const double size = position < 0.0 ? -position : position;
  const vd share = vd_set1(POSENC_BUDGET_ALONE * 0x1p-53), reduction = vd_set1(size * (POSENC_BUDGET_PLACE * 0x1p-106));
  const vd rest = vd_sub(reduction, vd_and(reduction, relative_near(t, k, position)));
  const angle y = compute(t, k, position);
  const vd sin_error = vd_fma(vd_abs(y.sin), share, rest), cos_error = vd_fma(vd_abs(y.cos), share, rest);
  const vp low = vd_pack(vd_sub(y.sin, sin_error), vd_sub(y.cos, cos_error));
  const vp high = vd_pack(vd_add(y.sin, sin_error), vd_add(y.cos, cos_error));
  vp_store(out, low);
  float highs[2 * VD_LANES];
  vp_store(highs, high);
  for (int64_t i = 0; i < 2 * VD_LANES; i++) {
    const int64_t column = 2 * k + i;
    if (column >= 0 && column < spec->d_model && memcmp(&out[i], &highs[i], sizeof *out) != 0)
      out[i] = (float)posenc_fallback(spec, position, column);
  }
}

#endif
