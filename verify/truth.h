/* The truth: sin and cos of the real number position * w_k, by MPFR.
 *
 * The position is an exact integer and w_k the real number base^(-k / denominator), not a float of it (explicit
 * frequencies are the real numbers their doubles stand for). Every value is evaluated with an error bound in hand,
 * at twice the precision until both roundings below are certain. No code, table or constant comes from impl/.
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

/* The highest precision, in bits, that any value so far has needed. */
long truth_precision(const truth *t);

#endif
