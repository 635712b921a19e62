/* The MPFR reference: sin and cos of the real number position * position_scale * w_k, computed by MPFR, in the spec's
 * columns.
 *
 * Position and scale are exact. w_k is the real number base^(-k / denominator), not its float. An explicit frequency is
 * the real number that its double, or the sum of its two doubles, represents. Each value is evaluated independently,
 * with a known error bound. The precision is doubled until the requested roundings are certain. No code, table or
 * constant comes from impl/.
 */
#ifndef POSENC_MPFR_REFERENCE_H
#define POSENC_MPFR_REFERENCE_H

#include <mpfr.h>
#include <stdint.h>

#include "posenc.h"

typedef struct reference_value {
  double y;      /* the double nearest to the real value; 0 only if the real value is 0, or below 2^-1075 */
  double low;    /* y + low is the real value, to ten bits of low or more; never beyond half the unit of y */
  float rounded; /* the nearest number of the dtype, which a correctly rounded table holds; unused for float64 */
} reference_value;

/* The element of a correctly rounded table of this dtype. */
static inline double reference_rounded(const reference_value *value, int32_t dtype) {
  return dtype == POSENC_DTYPE_F64 ? value->y : (double)value->rounded;
}

/* Holds frequencies and scratch space, so each thread needs its own. */
typedef struct mpfr_reference mpfr_reference;

/* The spec must be valid; its freqs and freqs_low are copied. If memory runs out, the process ends, as it does inside
 * MPFR. */
mpfr_reference *reference_create(const posenc_spec *spec);
void reference_destroy(mpfr_reference *t);

/* row[0 .. d_model-1]: the row of that position, exactly as the double is. -0.0 has sines of the sign of
 * -0.0 * scale * w_k. */
void reference_row(mpfr_reference *t, double position, reference_value *row);

/* Only the sine and the cosine of frequency k. */
void reference_pair(mpfr_reference *t, double position, int64_t k, reference_value pair[2]);

/* The row again, but only the nearest numbers of the dtype, which must not be float64. It is
 * faster, as it need not find the nearest doubles. */
void reference_row_floats(mpfr_reference *t, double position, float *row);

/* Frequency k of a valid spec, without position_scale, to the precision of w. It is off by at most three roundings, of
 * which that of the exponent counts |ln w| times. */
void reference_frequency(mpfr_t w, const posenc_spec *spec, int64_t k);

/* The precision in bits at which every value is computed first, and the highest that a value has needed so far. */
enum { REFERENCE_FIRST_BITS = 64 };
long reference_precision(const mpfr_reference *t);

/* The number of values so far that the first precision did not decide. */
int64_t reference_widened(const mpfr_reference *t);

#endif
