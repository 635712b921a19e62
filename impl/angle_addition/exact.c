/* exact_*: the nearest value of the dtype to the real one, for every output.
 *
 * Consecutive rows are the sums of three angles in float64 that anchored has, but for its steps (steps.h), and a rounding test;
 * ziv.h has what follows where the test fails, and verify/proof/README.md adds up the errors. Fewer than 12 rows (48 where a
 * plan keeps no factors), and rows at positions that do not follow each other, are single rows (single_rows.h). So are all rows
 * of float64 (float64_rows.h).
 */
enum { EXACT = 1 }; /* 0 in anchored.c, which compiles the same headers */
#include "angle_addition/rows.h"

const posenc_kernel POSENC_THIS = {
    POSENC_ROW,
    .info.family = "exact",
    .info.arithmetic = "float64",
    .info.summary = "correctly rounded: angle addition, a rounding test, integers where it fails",
    .info.bound = "half a unit in the last place of values just below 1: correctly rounded",
    .info.evidence = "proved",
    .info.dtypes = "float32 float64 bfloat16 float16",
    .info.correctly_rounded = 1,
    .bound = posenc_bound_turns,
    .ulp = 0.0,
    .offers_all = 1,
    .state_bytes = TURNS_BYTES,
    .table_bytes = TABLE_BYTES,
    .few_rows = FEW_WITHOUT_FACTORS,
    .prepare = prepare,
    .rows = rows,
};
