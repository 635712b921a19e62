/* How a table of so many columns can be read: every preset that has this width, those with the same table as one. */
#ifndef POSENC_TABLE_READING_H
#define POSENC_TABLE_READING_H

#include <stdbool.h>
#include <stddef.h>

#include "posenc.h"

enum { READING_MOST_PRESETS = 32 };

typedef struct reading {
  const char *presets[READING_MOST_PRESETS];
  size_t n_presets;
  posenc_spec spec;   /* of the first of them */
  int64_t n;          /* frequencies */
  int64_t n_pairs;    /* those with a sine and a cosine */
  double denominator; /* as the frequencies have it: never 0 */
} reading;

/* What a column is: function 0 is the sine, 1 the cosine, -1 a column of zeros. */
typedef struct column_meaning {
  int function;
  int64_t k;
} column_meaning;

column_meaning reading_column(const reading *r, int64_t column);
int64_t reading_column_of(const reading *r, int64_t k, int function); /* -1: there is none */

/* All readings; *n is their number. To be freed. */
reading *readings_of(int64_t d_model, size_t *n);

#endif
