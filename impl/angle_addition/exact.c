/* exact_*: the nearest value of the dtype to the real one, for every output.
 *
 * Consecutive rows are the sums of three angles in float64 that anchored has, but for its steps (steps.h), and a rounding test;
 * ziv.h has what follows where the test fails, and verify/proof/README.md adds up the errors. Fewer than 12 rows (48 where a
 * plan keeps no factors), and rows at positions that do not follow each other, are single rows (single_rows.h). So are all rows
 * of float64 (float64_rows.h).
 */
#include "angle_addition/rows.h"

POSENC_KERNEL(POSENC_ALL_DTYPES, "proved", "half a unit in the last place of values just below 1: correctly rounded",
    posenc_bound_turns, 0.0, TURNS_BYTES, TABLE_BYTES, FEW_WITHOUT_FACTORS, NULL, prepare, rows);
