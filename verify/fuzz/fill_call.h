/* A call of posenc_fill or one of its siblings: which, and with what. */
#ifndef POSENC_FUZZ_FILL_CALL_H
#define POSENC_FUZZ_FILL_CALL_H

#include "allowed.h"
#include "calls.h"
#include "spec.h"

typedef struct call {
  enum { FILL, FILL_AT, FILL_AT_REAL, FILL_PAIR, KINDS } kind;
  int64_t first, count, width, stride;
  int64_t *positions;
  double *reals;
  int64_t cosines; /* of a pair: elements behind the sines */
  unsigned state;
} fill_call;

extern const char *const fill_names[KINDS];

/* positions and reals are to be freed. */
fill_call take_fill_call(bytes *b, const subject *s);
allowed allowed_fill(const subject *s, const fill_call *c, const void *out, const void *cosines);

/* The rows from .. from+count-1 of the call's. */
posenc_status perform(
    const posenc_plan *plan, const fill_call *c, int64_t from, int64_t count, void *out, void *cosines, int64_t stride);
posenc_status foretell(const posenc_plan *plan, const fill_call *c, void *out, void *cosines, message *m);

model_position position_of(const fill_call *c, int64_t i);

#endif
