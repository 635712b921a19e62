/* anchored_*: angle addition in float64, twice, rounded once.
 *
 *     position = coarse + middle + step       (coarse * middle) * step       two complex products, see turns.h
 *
 * Coarse angles are computed afresh, middles and steps once per plan, so errors do not add up along the table. Bound as
 * complex numbers of size 1, v = 2^-53: the three are within 1.4 v (angle.h), and a product is off by 2.02 v.
 * 3 * 1.4 v + 2 * 2.02 v = 8.24 v, and less than 0.3 v for what the reduction of angle.h leaves. Then one rounding to the dtype.
 *
 * All members run this one sequence of fused operations in float32 and float64, so they agree bit for bit. bfloat16, float16, and
 * rows at positions between integers are the values of exact.
 */
#include "angle_addition/rows.h"

POSENC_KERNEL(POSENC_ALL_DTYPES, "proved",
    "half a unit in the last place of values just below 1 + " POSENC_STR(POSENC_BUDGET_ANCHORED) " * 2^-53",
    posenc_bound_turns, POSENC_BUDGET_ANCHORED, TURNS_BYTES, TABLE_BYTES, FEW_WITHOUT_FACTORS, NULL, prepare, rows);
