/* The float64 reference: sin and cos in double of (double)position * position_scale * pow(base, -k / denominator).
 *
 * Most people would check a table against this. It is accurate while the error of the angle is small. The law below
 * states the error.
 */
#ifndef POSENC_VERIFY_FLOAT64_REFERENCE_H
#define POSENC_VERIFY_FLOAT64_REFERENCE_H

#include <stdint.h>

#include "posenc.h"
#include "mpfr_reference.h"

/* An error that does not matter: a hundredth of the float32 unit just below 1. */
#define FLOAT64_REFERENCE_GOAL (0.01 * 0x1p-24)

/* Returns the frequencies; the caller frees them. */
double *float64_reference_frequencies(const posenc_spec *spec);

/* w: the frequencies of float64_reference_frequencies(). Columns are ordered as the spec says. */
void float64_reference_row(const posenc_spec *spec, const double *w, int64_t position, reference_value *row);

/* The law: |reference - real value| <= |position scale| w 2^-53 (3 + |ln w|) + 2^-53. The error adds up from
 *   - one rounding of the product, and one more if there is a scale;
 *   - little more than one rounding in pow(), and |ln w| roundings in its exponent. An explicit frequency has no pow():
 *     leaving out freqs_low is one rounding;
 *   - one rounding of the sine. */
double float64_reference_bound(const posenc_spec *spec, int64_t position, double w);

/* The largest position up to which the law keeps every column within the goal. */
int64_t float64_reference_good_to(const posenc_spec *spec);

#endif
