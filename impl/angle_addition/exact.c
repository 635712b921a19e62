/* exact_*: the nearest value of the dtype to the real one, for every output.
 *
 * Consecutive rows are the sums of anchored, with a rounding test; correct.h has what follows where the test fails, and
 * verify/proof/README.md adds up the errors. A few rows, rows at positions that do not follow each other, and all rows
 * of float64 are computed by themselves (single.h).
 */
enum { EXACT = 1 };
#include "angle_addition/rows.h"

POSENC_KERNEL(POSENC_ALL_DTYPES, "proved", "half a unit in the last place of values just below 1: correctly rounded",
    posenc_bound_sum, 0.0, 0, more_bytes, writes_layout, NULL, prepare, rows);
