/* exact_*: the number of the dtype nearest to the real value, for every output. float64 is in rotation/wide.h, bfloat16
 * and float16 are in rotation/bf16.h and dtypes.h, and so is float32 at real positions. Here, float32 at integers:
 *
 * The sum of three angles in float64, as rotation/anchored.c computes it, is off by at most 10 v, v = 2^-53, also where
 * nothing is fused (exact_scalar): docs/exact.md adds it up, and simd/budget.inc holds the numbers. That decides the
 * rounding unless a boundary between two floats lies so close. Four tests, each cheaper and coarser than the next (Ziv,
 * "Fast evaluation of elementary mathematical functions with correctly rounded last bit", ACM TOMS 17, 1991):
 *
 *   1. every output, gathered over a strip of a row: the 29 bits that rounding drops are not within 2^15 of halfway,
 *      and the value is above 2^-12. Then 10 v is less than 2^15 of its last places, 2^-64: the rounding is right.
 *      Sines of small angles pass without the second half (exempt): their error is relative.
 *   2. strips that fail it, 2 %: value - error and value + error round alike.
 *   3. outputs that fail that too: their angle computed by itself, off by less than 4 v of its size and |position| 64
 *      v^2 (1.4 v, and for every position of half a turn what the reduction leaves). That decides what is nearly 0.
 *   4. what is left, one in some 50 million: integers, integer/fallback.c.
 *
 * Up to 7 rows are no sums: rotation/direct.h computes their angles by themselves, off by less than the sums are.
 *
 * Relative errors: where no part of a position turns by an eighth (relative_at), middle and step are at most half of
 * what they are added to, or that is 0 and nothing is rounded. So the products of a sum are at most 3 times the sum,
 * and the sine is off by (3 (3 (1.4 + 1.4 + 1) + 1 + 1.4 + 1) + 1) v < 64 v of itself, fused or not.
 */
#include "rotation/bf16.h"
#include "rotation/gather.h"
#include "rotation/wide.h"

/* Both ends of y +- (share |y| + rest). */
static inline void ends_of(angle y, vd share, vd rest, vp *low, vp *high) {
  const vd sin_error = vd_fma(vd_abs(y.sin), share, rest), cos_error = vd_fma(vd_abs(y.cos), share, rest);
  *low = vd_pack(vd_sub(y.sin, sin_error), vd_sub(y.cos, cos_error));
  *high = vd_pack(vd_add(y.sin, sin_error), vd_add(y.cos, cos_error));
}

static void recheck(const posenc_spec *spec, const turns *t, int64_t position, int64_t k, angle y, vd relative,
    float *out, int64_t from, int64_t to) {
  vp low, high;
  const vd absolute = vd_set1(POSENC_BUDGET_ERROR * 0x1p-53);
  const vd share = vd_and(relative, vd_set1(POSENC_BUDGET_RELATIVE * 0x1p-53));
  const vd rest = vd_sub(absolute, vd_and(relative, absolute)); /* 0 where the error is relative */
  ends_of(y, share, rest, &low, &high);
  if (vp_equal(low, high) || position == 0) /* what was written is between the two, or angle 0, exactly */
    return;
  const double size = (double)(position < 0 ? -position : position);
  ends_of(compute(t, k, position), vd_set1(POSENC_BUDGET_ALONE * 0x1p-53),
      vd_set1(size * (POSENC_BUDGET_PLACE * 0x1p-106)), &low, &high);
  float lows[2 * VD_LANES], highs[2 * VD_LANES];
  vp_store(lows, low);
  vp_store(highs, high);
  for (int64_t c = from > 0 ? from : 0; c < 2 * VD_LANES && c < to; c++)
    out[c] = memcmp(&lows[c], &highs[c], sizeof lows[c]) == 0
                 ? lows[c]
                 : (float)posenc_fallback(spec, (double)position, 2 * k + c);
}

static void rows(const posenc_spec *spec, const void *state, const posenc_rows *r, void *out, int64_t stride) {
  const turns t = turns_of(spec, state);
  if (spec->dtype == POSENC_F64)
    write_wide(spec, &t, r, out, stride);
  else if (spec->dtype == POSENC_F32 && !r->reals)
    write_rows(spec, state, r, out, stride, recheck);
  else if (spec->dtype == POSENC_BF16 && t.steps && !r->positions && !r->reals && r->count >= FEW)
    fill_bf16(spec, &t, r, out, stride, 1);
  else
    write_dtype(spec, &t, r, out, stride, 1);
}

POSENC_KERNEL(POSENC_ALL_DTYPES, "proved", "half a unit in the last place of 1: correctly rounded", posenc_bound_turns,
    0.0, TURNS_BYTES, TABLE_BYTES, posenc_turns_refuse, prepare, rows);
