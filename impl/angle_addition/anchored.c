/* anchored_*: angle addition in float64, twice, rounded once.
 *
 *     position = coarse + middle + step       (coarse * middle) * step       two complex products, see angle_addition/turns.h
 *
 * Coarse angles are computed afresh, middles and steps once per plan, so errors do not add up along the table. Bound as
 * complex numbers of size 1, v = 2^-53: the three are within 1.4 v (angle_addition/angle.h), and a product is off by 2.02 v.
 * 3 * 1.4 v + 2 * 2.02 v = 8.24 v, and less than 0.3 v for what angle_addition/angle.h's reduction leaves. Then one
 * rounding to the dtype.
 *
 * All members run this one sequence of fused operations, so they agree bit for bit.
 */
#include "angle_addition/bf16.h"
#include "angle_addition/gather.h"

static void rows(const posenc_spec *spec, const void *state, const posenc_rows *r, void *out, int64_t stride) {
  const turns t = turns_of(spec, state);
  if (spec->dtype == POSENC_DTYPE_F32 && !r->reals)
    write_rows(spec, &t, r, out, stride);
  else if (spec->dtype == POSENC_DTYPE_BF16 && t.steps && !r->positions && !r->reals && r->count >= FEW_OF_BF16)
    fill_bf16(spec, &t, r, out, stride);
  else if (spec->dtype == POSENC_DTYPE_F16 && !r->positions && !r->reals && r->count >= FEW_OF_F16)
    fill_half(spec, &t, r, out, stride);
  else
    write_dtype(spec, &t, r, out, stride);
}

POSENC_KERNEL(POSENC_ALL_DTYPES, "proved",
    "half a unit in the last place of 1 + " POSENC_STR(POSENC_BUDGET_ANCHORED) " * 2^-53", posenc_bound_turns,
    POSENC_BUDGET_ANCHORED, TURNS_BYTES, TABLE_BYTES, FEW_WITHOUT_STEPS, NULL, prepare, rows);
