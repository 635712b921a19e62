/* The float64 reference, the formula in double as most people would check a table: sin and cos of
 * (double)position * position_scale * pow(base, -k / denominator).
 *
 * Its error has a law, so it is a check of the MPFR reference, with which it shares no arithmetic: posenc-verify compares
 * both at every output of integer positions, and a fault of one of them breaks the law.
 */
#ifndef POSENC_FLOAT64_REFERENCE_H
#define POSENC_FLOAT64_REFERENCE_H

#include "mpfr_reference.h"

/* The law, for an angle a = position * scale * w:
 *
 *   |reference - y| <= (|a| (r + |ln |w||) + 1) 2^-53        r = 3, or 4 with a scale other than 1
 *
 * y is the double nearest to the real value. A rounding is a relative error of 2^-53. The error adds up from
 *   - r: one rounding of the product with w, one more of the product with the scale, and little more than one in pow(), so
 *     almost one is left over. An explicit frequency has no pow(): leaving out freqs_low is one rounding;
 *   - |ln |w||: the rounding of the exponent in pow();
 *   - 1: the roundings of the sine and of y, about half of 2^-53 each. */
double float64_reference_bound(const posenc_spec *spec, int64_t position, double w);

/* Returns the largest difference from rows of the MPFR reference; INFINITY if one is beyond the law.
 * rows: n * d_model values, row by row, of these positions. */
double float64_reference_error(
    const posenc_spec *spec, const int64_t *positions, int64_t n, const reference_value *rows);

#endif
