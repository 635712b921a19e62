/* The MPFR reference: sin and cos of the real number position * position_scale * w_k, by MPFR, where the spec has its
 * columns.
 *
 * Position and scale are exact and w_k is the real number base^(-k / denominator), not a float of it (explicit
 * frequencies are the real numbers their doubles, or the sums of two doubles, stand for). Every value is an evaluation
 * of its own with an error bound in hand, at twice the precision until the roundings asked for are certain. No code,
 * table or constant comes from impl/.
 */
#ifndef POSENC_MPFR_REFERENCE_H
#define POSENC_MPFR_REFERENCE_H

#include <mpfr.h>
#include <stdint.h>

#include "posenc.h"

typedef struct reference_value {
  double y;      /* the double nearest to the real value; 0 only if the real value is 0, or below 2^-1075 */
  double low;    /* y + low is the real value, to ten bits of low or more; never beyond half the unit of y */
  float rounded; /* the nearest number of the dtype: what a correctly rounded table holds; for float64 that is y */
  float unsure;  /* bound of |y + low - real value| beyond that: 0 here, not for the float64 reference */
} reference_value;

/* What a correctly rounded table of this dtype holds. */
static inline double reference_rounded(const reference_value *value, int32_t dtype) {
  return dtype == POSENC_DTYPE_F64 ? value->y : (double)value->rounded;
}

/* Holds frequencies and scratch space, so each thread needs its own. */
typedef struct mpfr_reference mpfr_reference;

/* spec must be a valid one; its freqs and freqs_low are copied. Out of memory ends the process, as it does inside MPFR. */
mpfr_reference *reference_create(const posenc_spec *spec);
void reference_destroy(mpfr_reference *t);

/* row[0 .. d_model-1]: the row of that position, any int64 but the most negative one. */
void reference_row(mpfr_reference *t, int64_t position, reference_value *row);

/* The same for a real position: what the double stands for, exactly. -0.0 has sines of the sign of -0.0 * scale * w_k.
 */
void reference_row_real(mpfr_reference *t, double position, reference_value *row);

/* The row of an integer once more, but only the nearest numbers of the dtype, which must not be float64: what the
 * double would need beyond them is not looked for. */
void reference_row_floats(mpfr_reference *t, int64_t position, float *row);

/* Frequency k of a valid spec, position_scale left out, to the precision of w: within three roundings of it, the
 * exponent's taken |ln w| times. */
void reference_frequency(mpfr_t w, const posenc_spec *spec, int64_t k);

/* The precision, in bits, that every value gets first, and the highest that any so far has needed. */
enum { REFERENCE_FIRST_BITS = 64 };
long reference_precision(const mpfr_reference *t);

/* How many values so far the first precision did not settle. */
int64_t reference_widened(const mpfr_reference *t);

#endif
