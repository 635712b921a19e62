/* What the rounding test leaves open: Ziv's strategy ("Fast evaluation of elementary mathematical functions with
 * correctly rounded last bit", ACM TOMS 17, 1991), each step rarer and slower than the one before.
 *
 *   1. Rounding test of every row pair (element.h), v = 2^-53. A sum of anchor and step is off by less than
 *      POSENC_BUDGET_ERROR v. In float32, for a value from 2^-12 on, a unit of the dropped bits is at least 2^-64, so
 *      CHECK_WINDOW units are at least 2^-49, which is more than that error.
 *   2. Recheck of the rows that fail the test: 3.5 % of the row pairs in float32 at random angles. A value is right if
 *      value - error and value + error round alike. The error of a small angle's sine is relative,
 *      POSENC_BUDGET_RELATIVE v.
 *   3. Wide: the values that fail the recheck are computed as the sum of two float64 (angle.h). That decides values
 *      near 0, too.
 *   4. Fallback (multiprecision/fallback.c): the values that are still open, in integers of 256 bits and more.
 *
 * A direct angle is more accurate than a sum, so the same test holds. Elements of float64 begin at step 3. The proof is
 * verify/proof/README.md.
 */
#ifndef POSENC_CORRECT_H
#define POSENC_CORRECT_H

#include "angle_addition/row_pair.h"
#include "multiprecision/fallback.h"

/* ---- wide, and the fallback ---- */

/* The ends of intervals around real values, as sums of two float64: sine, cosine, sine, ... */
typedef struct intervals {
  double low[2 * STRIP] CACHE_ALIGNED, low_rest[2 * STRIP] CACHE_ALIGNED;
  double high[2 * STRIP] CACHE_ALIGNED, high_rest[2 * STRIP] CACHE_ALIGNED;
} intervals;

/* One vector of values. Nothing is known where `unknown` has all bits set: low becomes a NaN. */
INLINE void set_ends(wide sin, wide cos, vd rest, vd unknown, intervals *to, int i) {
  const vd share = vd_set1(POSENC_BUDGET_WIDE * 0x1p-53);
  const vd sin_error = vd_fma(vd_abs(sin.hi), share, rest), cos_error = vd_fma(vd_abs(cos.hi), share, rest);
  const wide sin_low = two_sum(sin.hi, vd_sub(sin.lo, sin_error)), cos_low = two_sum(cos.hi, vd_sub(cos.lo, cos_error));
  const wide sin_high = two_sum(sin.hi, vd_add(sin.lo, sin_error)),
             cos_high = two_sum(cos.hi, vd_add(cos.lo, cos_error));
  vd_store_interleaved(to->low + i, vd_or(sin_low.hi, unknown), vd_or(cos_low.hi, unknown));
  vd_store_interleaved(to->low_rest + i, sin_low.lo, cos_low.lo);
  vd_store_interleaved(to->high + i, sin_high.hi, cos_high.hi);
  vd_store_interleaved(to->high_rest + i, sin_high.lo, cos_high.lo);
}

/* Sets the intervals of frequencies from k on. A wide value is off by POSENC_BUDGET_WIDE v of it, and by what the
 * reduction leaves: 2 POSENC_BUDGET_REDUCTION v^2 of the angle in turns, and POSENC_BUDGET_TURNS v^2 where removed
 * turns count. It may be off by more where products underflow, and where the frequency is a replaced one. Each loop is
 * over short chains of operations, so that a processor looks ahead by several vectors. */
INLINE void set_intervals(
    const frequencies *f, double position, double fraction, int64_t k, int64_t n_freqs, intervals *to) {
  enum { VECTORS = STRIP / VD_LANES };
  wide x[VECTORS], sin[VECTORS], cos[VECTORS];
  vd quarters[VECTORS];
  const int n = (int)((n_freqs + VD_LANES - 1) / VD_LANES);
  const int is_fractional = fraction != 0.0;
  for (int v = 0; v < n; v++)
    x[v] =
        wide_radians(factors_of(f, is_fractional, k + v * VD_LANES, position, fraction), is_fractional, &quarters[v]);
  for (int v = 0; v < n; v++)
    sin[v] = wide_sine(x[v]);
  for (int v = 0; v < n; v++)
    cos[v] = wide_cosine(x[v]);
  for (int v = 0; v < n; v++) {
    const sin_cos q = sin_cos_of_quarters(quarters[v]);
    const vd hi = vd_abs(vd_loadu(f->hi + k + v * VD_LANES)), angle = vd_mul(vd_set1(fabs(position)), hi);
    const vd is_tiny = vd_or(vd_ge(vd_set1(TINY_UNSURE), hi), vd_ge(vd_set1(TINY_UNDERFLOW), angle));
    /* Angle 0 is known: neither the position nor the frequency may be 0. */
    const vd unknown = vd_and(is_tiny, vd_ge(hi, vd_set1(position == 0.0 ? INFINITY : 0x1p-1074)));
    const vd turns = vd_abs(vd_loadu(f->removed_turns + k + v * VD_LANES));
    vd rest = vd_mul(angle, vd_set1(2 * POSENC_BUDGET_REDUCTION * 0x1p-106));
    if (is_fractional)
      rest = vd_add(rest, vd_and(vd_ge(turns, vd_set1(1.0)), vd_set1(POSENC_BUDGET_TURNS * 0x1p-106)));
    set_ends(wide_rotated(sin[v], q.cos, cos[v], q.sin),
        wide_rotated(cos[v], q.cos, sin[v], vd_sub(vd_set1(0.0), q.sin)), rest, unknown, to, 2 * v * VD_LANES);
  }
}

/* Do both ends of an interval round to the same number? The zeros differ in their sign. */
INLINE int agree(double low, double high) { return low == high && (low != 0.0 || !signbit(low) == !signbit(high)); }

/* A row that is computed without a table, or the row of a single element. */
typedef struct row_at {
  const frequencies *f;
  double position, fraction; /* counted_fraction() the position */
  posenc_ratio *ratio; /* of the ladder, once a fallback has computed it for this call, or for this rechecked row */
  format fmt;
} row_at;

INLINE void decide_as(int dtype, const row_at *row, int64_t k, int64_t columns, double *elements) {
  const int64_t n_freqs = (columns + 1) / 2;
  intervals x;
  if (row->fraction == 0.0)
    set_intervals(row->f, row->position, 0.0, k, n_freqs, &x);
  else
    set_intervals(row->f, row->position, row->fraction, k, n_freqs, &x);
  for (int i = 0; i < columns; i++) {
    const double high = nearest_of_sum(dtype, x.high[i], x.high_rest[i]);
    elements[i] = nearest_of_sum(dtype, x.low[i], x.low_rest[i]);
    if (!agree(elements[i], high))
      elements[i] = posenc_fallback(row->f->problem, row->ratio, row->position, 2 * k + i);
  }
}

/* Steps 3 and 4: elements at any position, correctly rounded: sine, cosine, sine, ... from frequency k on, at most of a
 * strip. Each is a number of the dtype. The dtype float64 and a fraction of 0 are constants in the calls made here. */
__attribute__((noinline)) static void decide(const row_at *row, int64_t k, int64_t columns, double *elements) {
  if (row->position == 0.0 && signbit(row->position)) { /* the fallback keeps the sign of -0.0 */
    for (int i = 0; i < columns; i++)
      elements[i] = posenc_fallback(row->f->problem, row->ratio, row->position, 2 * k + i);
    return;
  }
  if (row->fmt.dtype == POSENC_DTYPE_F64)
    decide_as(POSENC_DTYPE_F64, row, k, columns, elements);
  else
    decide_as(row->fmt.dtype, row, k, columns, elements);
}

/* ---- recheck ---- */

/* Do all of 2 VD_LANES values round alike for certain? For 16 bits the interval is wider by a unit of float32, as both
 * ends are rounded to float32 first. */
INLINE int vectors_agree(int dtype, const double *y) {
  const int is_float = dtype == POSENC_DTYPE_F32;
  const vd error = vd_set1(is_float ? POSENC_BUDGET_ERROR * 0x1p-53 : 0x1p-23), a = vd_load(y),
           b = vd_load(y + VD_LANES);
  const vp low = vp_join(vd_sub(a, error), vd_sub(b, error)), high = vp_join(vd_add(a, error), vd_add(b, error));
  return is_float                     ? vu_equal(vp_bits(low), vp_bits(high))
         : dtype == POSENC_DTYPE_BF16 ? vh_equal(vp_to_bf16(low), vp_to_bf16(high))
                                      : vh_equal(vp_to_f16(low), vp_to_f16(high));
}

/* Step 2, for one row of a strip: its values y, and where its elements are. They may have been streamed just now;
 * stores of one thread to one address stay in order. */
static inline void recheck_row(const strip *p, int cosines_first, int64_t position, const double *y, destination to) {
  const int dtype = p->fmt.dtype;
  posenc_ratio ratio = {0};
  const row_at row = {p->f, (double)position, 0.0, &ratio, p->fmt};
  for (int i = 0; i < 2 * p->width; i += 2 * VD_LANES) {
    if (vectors_agree(dtype, y + i)) /* nearly always, so the branch is predicted */
      continue;
    for (int c = i; c < i + 2 * VD_LANES && c < 2 * p->selected.n; c++) {
      const double error = 0x1p-53 * (is_relative(p->hi[c / 2], p->furthest) ? POSENC_BUDGET_RELATIVE * fabs(y[c])
                                                                             : POSENC_BUDGET_ERROR);
      const double low = nearest(dtype, y[c] - error), high = nearest(dtype, y[c] + error);
      double pair[2] = {low, low};
      if (!agree(low, high))
        decide(&row, frequency_of(&p->selected, c / 2), 2, pair);
      store_element(p->fmt, to, c, pair[(c % 2) ^ cosines_first]);
    }
  }
}

/* Step 2, for row pair b of a run: its values again, in float64, by write_f64 (an INSTANCE of row_pair.h). Of `failed`,
 * bit 0 is the row ahead, bit 1 the row behind. */
__attribute__((noinline)) static void recheck(
    const strip *p, int cosines_first, int64_t run, int b, unsigned failed, const row_pairs *wanted) {
  double y[2][2 * STRIP] CACHE_ALIGNED;
  const row_pairs again = {.from = b,
      .end = b + 1,
      .ahead = destination_in((unsigned char *)y[0]),
      .behind = destination_in((unsigned char *)y[1])};
  const int64_t further = b - wanted->from;
  write_f64(p, &again);
  if (wanted->has_ahead && failed & 1)
    recheck_row(p, cosines_first, run + STEPS + b, y[0], advanced(wanted->ahead, further * wanted->next_ahead));
  if (wanted->has_behind && failed & 2)
    recheck_row(p, cosines_first, run + STEPS - 1 - b, y[1], advanced(wanted->behind, further * wanted->next_behind));
}

#endif
