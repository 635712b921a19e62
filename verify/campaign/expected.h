/* The expected values of a segment's rows: computed once, shared by all implementations. */
#ifndef POSENC_VERIFY_EXPECTED_H
#define POSENC_VERIFY_EXPECTED_H

#include "sweep.h"
#include "../reference/mpfr_reference.h"

typedef enum reference { REFERENCE_MPFR, REFERENCE_FLOAT64 } reference;

enum { EXPECTED_MOST_THREADS = 64 };

/* n_rows * d_model values, row by row, to be freed by the caller. Computed by 1 to EXPECTED_MOST_THREADS threads, all
 * of them ended on return; 0 means one for every processor. */
reference_value *expected_rows(const segment *s, reference by, int64_t threads);

/* What MPFR needed: values that the first precision left undecided, and the most bits that any has needed. */
typedef struct mpfr_effort {
  int64_t widened, most_bits;
} mpfr_effort;

/* The same rows by MPFR, as float32, correctly rounded, and nothing else. Adds to *effort. */
float *nearest_rows(const segment *s, int64_t threads, mpfr_effort *effort);

/* The float64 reference's error over a segment, measured against MPFR. */
typedef struct audit {
  int64_t from, to;
  double max_abs;
  bool law_holds;
} audit;

audit audit_float64(const segment *s, const reference_value *mpfr);

#endif
