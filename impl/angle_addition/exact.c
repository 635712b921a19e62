/* exact_*: the nearest value of the dtype to the real one, for every output.
 *
 * Consecutive rows are the sums of anchored, with a rounding test; correct.h has what follows where the test fails, and
 * verify/proof/README.md adds up the errors. A few rows, rows at positions that do not follow each other, and all rows
 * of float64 are computed as single rows (single.h).
 */
enum { EXACT = 1 }; /* 0 in anchored.c, which compiles the same headers */
#include "angle_addition/rows.h"

const posenc_kernel POSENC_THIS = {
    POSENC_ROW,
    .info.family = "exact",
    .info.arithmetic = "float64",
    .info.summary = "correctly rounded: angle addition, a rounding test, and more digits where it fails",
    .info.bound = "u/2, u: the dtype's spacing just below 1 (correctly rounded)",
    .info.evidence = "proved",
    .info.dtypes = POSENC_EVERY_DTYPE,
    .info.correctly_rounded = 1,
    .bound = posenc_bound_sum,
    .bound_units = 0.0,
    .extra_bytes = extra_bytes,
    .prepare = prepare,
    .rows = write_rows,
    .table = table,
    .phases = posenc_compute_phases,
};
