/* The float64 reference, the formula in double as most people would check a table: sin and cos of
 * (double)position * position_scale * pow(base, -k / denominator).
 *
 * Its error has a law, so it is a check of the MPFR reference, with which it shares no arithmetic: posenc-verify compares
 * both at every output, and a fault of one of them breaks the law.
 */
#ifndef POSENC_FLOAT64_REFERENCE_H
#define POSENC_FLOAT64_REFERENCE_H

#include "mpfr_reference.h"

/* The law: |reference - real value| <= |position scale| w 2^-53 (3 + |ln w|) + 2^-53. The error adds up from
 *   - one rounding of the product, and one more if there is a scale;
 *   - little more than one rounding in pow(), and |ln w| roundings in its exponent. An explicit frequency has no pow():
 *     leaving out freqs_low is one rounding;
 *   - one rounding of the sine. */
double float64_reference_bound(const posenc_spec *spec, int64_t position, double w);

/* Returns the largest difference from rows of the MPFR reference; INFINITY if one is beyond the law.
 * rows: n * d_model values, row by row, of these positions. */
double float64_reference_error(
    const posenc_spec *spec, const int64_t *positions, int64_t n, const reference_value *rows);

#endif
