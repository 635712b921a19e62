/* The expected values of a segment's rows: computed once, shared by all implementations. */
#ifndef POSENC_VERIFY_EXPECTED_H
#define POSENC_VERIFY_EXPECTED_H

#include "sweep.h"
#include "../reference/mpfr_reference.h"

enum { EXPECTED_MOST_THREADS = 64 };

/* Returns (n_rows + SEGMENT_REALS) * d_model values, row by row, which the caller frees.
 * threads: 1 to EXPECTED_MOST_THREADS, or 0 for one per processor. All of them have ended on return. */
reference_value *expected_rows(const segment *s, int64_t threads);

/* The precision that MPFR needed. widened: how many values the first precision left undecided. most_bits: the most bits
 * that any value needed. */
typedef struct mpfr_effort {
  int64_t widened, most_bits;
} mpfr_effort;

/* The first n_rows rows by MPFR as correctly rounded float32, which the caller frees. Adds to *effort. */
float *nearest_rows(const segment *s, int64_t threads, mpfr_effort *effort);

#endif
