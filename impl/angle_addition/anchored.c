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
enum { EXACT = 0 };
#include "angle_addition/rows.h"

const posenc_kernel POSENC_THIS = {
    POSENC_ROW,
    .info.family = "anchored",
    .info.arithmetic = "float64",
    .info.summary = "angle addition from anchors every 64 positions, rounded once",
    .info.bound =
        "half a unit in the last place of values just below 1 + " POSENC_STR(POSENC_BUDGET_ANCHORED) " * 2^-53",
    .info.evidence = "proved",
    .info.dtypes = "float32 float64 bfloat16 float16",
    .bound = posenc_bound_turns,
    .ulp = POSENC_BUDGET_ANCHORED,
    .offers_all = 1,
    .state_bytes = TURNS_BYTES,
    .table_bytes = TABLE_BYTES,
    .few_rows = FEW_WITHOUT_FACTORS,
    .prepare = prepare,
    .rows = rows,
};
