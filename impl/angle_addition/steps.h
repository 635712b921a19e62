/* Makes the factors of turns.h: for a plan, or for a strip where a plan keeps none. */
#ifndef POSENC_STEPS_H
#define POSENC_STEPS_H

#include "angle_addition/angle.h"

_Static_assert(HALF_STRIP % VD_LANES == 0 && POSENC_TABLES_FREQS % STRIP == 0, "vectors do not cross half strips");

/* Where factor i of half a strip begins: one after the other in a plan; in slots (angle_addition/strip.h), every fourth one of
 * which is left free, 4/3 of that, rounded down. `apart` is in 1024ths, so that the inner loop does not divide. */
enum { APART = 1024, APART_IN_SLOTS = 1366 };
static inline int64_t factor_at(int64_t i, int64_t apart) { return (i * apart >> 10) * FACTOR; }

/* Makes all factors of VD_LANES frequencies from k, at `to` in half a strip.
 *
 * anchored computes each angle, and promises the bits of its sums. exact takes a sum for a step, 8 i + 4 +- (j + 1/2), as its
 * rounding test has room for the error: 12 angles in place of 36. */
enum { PARTS = EXACT ? 4 : 0 };
_Static_assert(PARTS % SIDE_BY_SIDE == 0 && STEPS % SIDE_BY_SIDE == 0 && MIDDLES % SIDE_BY_SIDE == 0, "no rest");
static inline void make_factors(const turns *t, int64_t k, double *to, int64_t apart) {
  angle ahead[4], middle[4];
  for (int j = 0; j < PARTS; j += SIDE_BY_SIDE) {
    compute_several(SIDE_BY_SIDE, t, k, 0, part_of(j), 1.0, ahead + j);
    compute_several(SIDE_BY_SIDE, t, k, 0, 8.0 * j + 4.0, 8.0, middle + j);
  }
  for (int i = 0; i < PARTS; i++)
    for (int j = 0; j < PARTS; j++) {
      const angle behind = {vd_sub(vd_set1(0.0), ahead[j].sin), ahead[j].cos};
      const angle y = rotated(middle[i], ahead[j]), z = rotated(middle[i], behind);
      vd_store_interleaved(to + factor_at(8 * i + 4 + j, apart), y.cos, y.sin);
      vd_store_interleaved(to + factor_at(8 * i + 3 - j, apart), z.cos, z.sin);
    }
  for (int i = 8 * PARTS; i < FACTORS; i += SIDE_BY_SIDE) {
    angle y[SIDE_BY_SIDE];
    compute_several(SIDE_BY_SIDE, t, k, 0, part_of(i), part_of(i + 1) - part_of(i), y);
    for (int v = 0; v < SIDE_BY_SIDE; v++)
      vd_store_interleaved(to + factor_at(i + v, apart), y[v].cos, y[v].sin);
  }
}

/* Fewer rows than this are computed without a table where a plan has no factors, and a table of fewer rows needs none.
 * Measured at 512 columns. */
enum { FEW_WITHOUT_FACTORS = EXACT ? 48 : 16 };

static void prepare(const posenc_spec *spec, void *state) {
  const turns t = turns_of(spec, state, FEW_WITHOUT_FACTORS);
  posenc_turns(spec, &t);
  for (int64_t k = 0; t.factors && k < t.n; k += VD_LANES)
    make_factors(&t, k, factors_of(&t, k / HALF_STRIP * HALF_STRIP) + k % HALF_STRIP * 2, APART);
}

#endif
