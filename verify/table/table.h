/* A table to be recognised: an .npy array, and what can be said of it before any preset is thought of. */
#ifndef POSENC_TABLE_TABLE_H
#define POSENC_TABLE_TABLE_H

#include "npy.h"

typedef struct table {
  npy_array array;
  int64_t rows, columns;
  posenc_dtype dtype; /* the narrowest kind that has all of its values: a float32 table may be kept as float64 */
  int64_t blank;      /* a row of nothing but zeros, as fairseq keeps for its padding, or -1; not a row of the table */
} table;

/* Takes over the array. */
table table_of(npy_array array);
static inline double table_at(const table *t, int64_t row, int64_t column) { return npy_at(&t->array, row, column); }

#endif
