/* A call into the library as data: the function, and the arguments of all functions. */
#ifndef POSENC_TOOLS_CALL_H
#define POSENC_TOOLS_CALL_H

#include "posenc.h"

typedef enum call_kind { CALL_FILL, CALL_AT, CALL_AT_REAL, CALL_PAIR, CALL_TABLE, CALL_ONCE, CALL_KINDS } call_kind;
static const char *const call_names[CALL_KINDS] = {"posenc_fill", "posenc_fill_at", "posenc_fill_at_real",
    "posenc_fill_pair", "posenc_table_create", "posenc_fill_once"};

typedef struct arguments {
  call_kind kind;
  const posenc_plan *plan;
  int64_t first, count;
  const int64_t *positions;
  const double *reals;
  void *out, *cosines; /* out: the sines, for CALL_PAIR */
  int64_t row_stride;
  void *table; /* the result of posenc_table_create */
} arguments;

static inline posenc_status make_call(arguments *a) {
  const posenc_plan *const p = a->plan;
  switch (a->kind) {
  case CALL_FILL:
    return posenc_fill(p, a->first, a->count, a->out, a->row_stride);
  case CALL_AT:
    return posenc_fill_at(p, a->positions, a->count, a->out, a->row_stride);
  case CALL_AT_REAL:
    return posenc_fill_at_real(p, a->reals, a->count, a->out, a->row_stride);
  case CALL_PAIR:
    return posenc_fill_pair(p, a->first, a->count, a->out, a->cosines, a->row_stride);
  case CALL_ONCE: /* with the spec and the implementation of the plan */
    return posenc_fill_once(posenc_plan_spec(p), posenc_plan_impl(p), a->first, a->count, a->out, a->row_stride);
  default:
    return posenc_table_create(&a->table, p, a->first, a->count, a->row_stride);
  }
}

#endif
