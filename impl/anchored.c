/* anchored_*: angle addition in float64, twice, rounded to float32 once.
 *
 *     position = 8192 c + 64 m + b         (coarse * middle) * step         two complex products, see turns.h
 *
 * Coarse angles are computed afresh, middles and steps once per plan, so errors do not add up along the table. Bound as complex
 * numbers of size 1, v = 2^-53: the three are within 1.4 v (angle.h); each product rounds one product of a pair, v times its
 * size, and the sum, v: (sin, cos) off by at most 2 v. 3 * 1.4 v + 2 * 2 v = 8.2 v, and less than 0.3 v for what angle.h's
 * reduction leaves. Then half an ulp of float32.
 *
 * All members run this one sequence of fused operations, so they agree bit for bit.
 */
#include "scatter.h"

static void rows(const posenc_spec *spec, const void *state, const posenc_rows *r, float *out, int64_t stride)
{
  write_rows(spec, state, r, out, stride, NULL);
}

POSENC_KERNEL("proved", "2^-25 + " POSENC_STR(POSENC_BUDGET_ANCHORED) " * 2^-53", posenc_bound_turns, POSENC_BUDGET_ANCHORED,
              TURNS_BYTES, TABLE_BYTES, posenc_turns_refuse, prepare_turns, rows);
