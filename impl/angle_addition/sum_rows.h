/* Single rows of anchored: for each frequency the sum of three angles, with the bits that a table has.
 *
 * The coarse angle is rotated by a middle (set_anchor in angle_addition/strip.h), then by a step (angle_addition/row_pair.h).
 * Where a plan keeps no factors, two of them are made. */
#ifndef POSENC_SUM_ROWS_H
#define POSENC_SUM_ROWS_H

#include "angle_addition/table_rows.h"

/* Factor i of VD_LANES frequencies from k, a multiple of VD_LANES: pairs in the plan, or made in `here`. */
static inline const double *factor_of(const turns *t, int64_t k, int i, double *here) {
  if (t->factors)
    return factors_of(t, k - k % HALF_STRIP) + factor_at(i, APART) + k % HALF_STRIP * 2;
  const angle y = compute(t, k, part_of(i));
  vd_store_interleaved(here, y.cos, y.sin);
  return here;
}

/* Sine and cosine, in turn, of VD_LANES frequencies from k at an integer position that is not 0: two vectors. `coarse` is their
 * angle at the coarse position. */
static inline void sum_pairs(const turns *t, int64_t k, int64_t position, angle coarse, vd *y) {
  double sines[2 * VD_LANES] LINE, turned[2 * VD_LANES] LINE, here[2][2 * VD_LANES] LINE;
  const int64_t run = run_of(position), upper = run + STEPS;
  const int is_ahead = position >= upper;
  double sign;
  const double *const by = factor_of(t, k, STEPS + middle_of(run, &sign), here[0]);
  const double *const step = factor_of(t, k, (int)(is_ahead ? position - upper : upper - 1 - position), here[1]);
  vd_store_interleaved(sines, coarse.sin, coarse.cos);
  vd_store_interleaved(turned, coarse.cos, vd_sub(vd_set1(0.0), coarse.sin));
  for (int h = 0; h < 2; h++) {
    vd first = vd_load(sines + h * VD_LANES), second = vd_load(turned + h * VD_LANES);
    rotate_pairs(&first, &second, vd_cosines_of(by, h), vd_sines_of(by, h), sign);
    const vd product = vd_mul(first, vd_cosines_of(step, h)), s = vd_sines_of(step, h);
    y[h] = is_ahead ? vd_fma(second, s, product) : vd_fnma(second, s, product);
  }
}

/* So many columns of a row in float32 or float64, from those of frequency k on, a multiple of STRIP. */
__attribute__((noinline)) static void sum_row(
    const turns *t, int dtype, int64_t position, int64_t k, int64_t columns, unsigned char *to) {
  enum { AT_ONCE = SIDE_BY_SIDE, FREQUENCIES = AT_ONCE * VD_LANES };
  const form f = {.dtype = dtype};
  rounding_test none = test_none();
  const vu words[2] = {vu_set1(0), vu_set1(0)};
  for (; columns > 0; k += FREQUENCIES, columns -= 2 * FREQUENCIES, to += 2 * FREQUENCIES * size_of(f)) {
    unsigned char row[FREQUENCIES * 2 * sizeof(double)] LINE;
    angle coarse[AT_ONCE];
    compute_several(AT_ONCE, t, k, VD_LANES, coarse_of(position), 0.0, coarse);
    for (int v = 0; v < AT_ONCE; v++) {
      vd y[2];
      sum_pairs(t, k + v * VD_LANES, position, coarse[v], y);
      store_values(f, &none, y, words, (destination){row, row}, 2 * v * VD_LANES);
    }
    for (int c = 0; position == 0 && c < 2 * FREQUENCIES; c++)
      store_element(f, (destination){row, row}, c, c % 2);
    memcpy(to, row, (size_t)(least(columns, 2 * FREQUENCIES) * size_of(f)));
  }
}

#endif
