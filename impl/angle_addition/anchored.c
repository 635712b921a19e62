/* anchored_*: angle addition in float64, rounded once.
 *
 *     position = anchor + step      (sin, cos)(anchor +- step), one complex product: see frequencies.h
 *
 * Anchors are computed afresh for each run, rotations once per plan, so errors do not add up along the table. As
 * complex numbers of size 1, v = 2^-53, a direct anchor and a direct step are within 4.0 v each and their product
 * within 2.02 v (verify/proof/README.md). So the sum is within POSENC_BUDGET_ANCHORED v, and is then rounded once to
 * the dtype.
 *
 * All members run this one sequence of fused operations in float32 and float64, so they agree bit for bit. bfloat16,
 * float16, and rows at positions between integers are the values of exact.
 */
enum { EXACT = 0 };
#include "angle_addition/rows.h"

const posenc_kernel POSENC_THIS = {
    POSENC_ROW,
    .info.family = "anchored",
    .info.arithmetic = "float64",
    .info.summary = "as exact, rounding unchecked: angle addition from anchors every 64 positions, rounded once",
    .info.bound = "u/2 + " POSENC_STR(POSENC_BUDGET_ANCHORED) " * 2^-53, u: the dtype's spacing just below 1",
    .info.evidence = "proved",
    .info.dtypes = POSENC_EVERY_DTYPE,
    .bound = posenc_bound_sum,
    .bound_units = POSENC_BUDGET_ANCHORED,
    .extra_bytes = extra_bytes,
    .prepare = prepare,
    .rows = write_rows,
    .table = table,
    .phases = posenc_compute_phases,
};
