/* The truth: sin and cos of the real number position * w_k, by MPFR.
 *
 * The position is an exact integer and w_k the real number base^(-k / denominator), not a float of it (explicit
 * frequencies are the real numbers their doubles stand for). Every value is an evaluation of its own with an error
 * bound in hand, at twice the precision until the roundings asked for are certain. No code, table or constant comes
 * from impl/.
 */
#ifndef POSENC_VERIFY_TRUTH_H
#define POSENC_VERIFY_TRUTH_H

#include <stdint.h>

#include "posenc.h"

typedef struct truth_value {
  double y;      /* the double nearest to the real value; 0 only if the real value is 0 */
  float rounded; /* the float nearest to the real value: what a correctly rounded table holds */
  float unsure;  /* bound of |y - real value| beyond y's own rounding: 0 here, not for the float64 reference */
} truth_value;

/* Holds frequencies and scratch space, so each thread needs its own. */
typedef struct truth truth;

/* spec must be a valid one; its freqs are copied. Out of memory ends the process, as it does inside MPFR. */
truth *truth_create(const posenc_spec *spec);
void truth_destroy(truth *t);

/* row[0 .. d_model-1]: the row of that position, any int64 but the most negative one. */
void truth_row(truth *t, int64_t position, truth_value *row);

/* The same, but only the nearest floats: what the double would need beyond them is not looked for. */
void truth_row_floats(truth *t, int64_t position, float *row);

/* The precision, in bits, that every value gets first, and the highest that any so far has needed. */
enum { TRUTH_FIRST_BITS = 64 };
long truth_precision(const truth *t);

/* How many values so far the first precision did not settle. */
int64_t truth_widened(const truth *t);

#endif
