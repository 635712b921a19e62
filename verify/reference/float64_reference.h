/* The float64 reference: sin and cos in double of (double)position * position_scale * pow(base, -k / denominator).
 *
 * What most people would check a table against. It is good while the angle's error is small, and no further: the
 * law below says how far, and the sweep of posenc-verify audits the law against MPFR.
 */
#ifndef POSENC_VERIFY_FLOAT64_REFERENCE_H
#define POSENC_VERIFY_FLOAT64_REFERENCE_H

#include <stdint.h>

#include "posenc.h"
#include "mpfr_reference.h"

/* Good enough: within a hundredth of the float32 unit just below 1. */
#define FLOAT64_REFERENCE_GOAL (0.01 * 0x1p-24)

/* The frequencies, to be freed by the caller. */
double *float64_reference_frequencies(const posenc_spec *spec);

/* w: those frequencies. Columns stand where the spec has them. */
void float64_reference_row(const posenc_spec *spec, const double *w, int64_t position, reference_value *row);

/* The law: |reference - real value| <= |position scale| w 2^-53 (3 + |ln w|) + 2^-53. The angle is off by one rounding
 * of the product, little more than one in pow() and |ln w| of them in its exponent; a scale, where there is one, costs
 * one more; the sine adds its own. (An explicit frequency has no pow(): freqs_low, left out, is one rounding.) */
double float64_reference_bound(const posenc_spec *spec, int64_t position, double w);

/* The largest position up to which the law keeps every column within the goal. */
int64_t float64_reference_good_to(const posenc_spec *spec);

#endif
