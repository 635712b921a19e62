/* A call into the library as data: the function, and the arguments of all functions. */
#ifndef POSENC_VERIFY_CALL_H
#define POSENC_VERIFY_CALL_H

#include "posenc.h"

typedef enum call { FILL, AT, AT_REAL, PAIR, ADD, ADD_BATCH, TABLE, CALLS } call;
static const char *const call_names[CALLS] = {"posenc_fill", "posenc_fill_at", "posenc_fill_at_real",
    "posenc_fill_pair", "posenc_add", "posenc_add_batch", "posenc_table_create"};

typedef struct arguments {
  call call;
  const posenc_plan *plan;
  int64_t first, count, batch;
  const int64_t *positions;
  const double *reals;
  const void *x;
  double scale;
  void *out, *cosines; /* out: the sines, for PAIR */
  posenc_strides x_strides, strides;
  void *table; /* the result of posenc_table_create */
} arguments;

static inline posenc_status make_call(arguments *a) {
  const posenc_plan *const p = a->plan;
  switch (a->call) {
  case FILL:
    return posenc_fill(p, a->first, a->count, a->out, a->strides.row);
  case AT:
    return posenc_fill_at(p, a->positions, a->count, a->out, a->strides.row);
  case AT_REAL:
    return posenc_fill_at_real(p, a->reals, a->count, a->out, a->strides.row);
  case PAIR:
    return posenc_fill_pair(p, a->first, a->count, a->out, a->cosines, a->strides.row);
  case ADD:
    return posenc_add(p, a->first, a->count, a->x, a->x_strides.row, a->scale, a->out, a->strides.row);
  case ADD_BATCH:
    return posenc_add_batch(p, a->first, a->count, a->batch, a->x, a->x_strides, a->scale, a->out, a->strides);
  default:
    return posenc_table_create(&a->table, p, a->first, a->count, a->strides.row);
  }
}

#endif
