/* The slow model: one output at a time, from the words of posenc.h, by MPFR. It shares nothing with impl/, nor with
 * truth.c. */
#ifndef POSENC_FUZZ_MODEL_H
#define POSENC_FUZZ_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "posenc.h"

/* What a column holds. */
typedef struct meaning {
  enum { ZERO, SINE, COSINE } function;
  int64_t k;
} meaning;

int64_t model_count(const posenc_spec *spec); /* frequencies */
meaning model_column(const posenc_spec *spec, int64_t column);
meaning model_pair_column(int64_t n, int64_t column); /* n sines, then n cosines */

/* A position is an integer or a double, and is kept as what it is. */
typedef struct model_position {
  bool is_real;
  int64_t whole;
  double real;
} model_position;

/* The number of the dtype nearest to the real value of function m; zeros have the sign that the header promises of
 * exact. *distance becomes a lower bound, and a close one, of |got - real value|. spec must be a valid one. */
double model_value(const posenc_spec *spec, meaning m, model_position position, double got, double *distance);

/* For the next spec: frequencies of the last one are kept. */
void model_forget(void);

#endif
