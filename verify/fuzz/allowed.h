/* What posenc.h says of refusals: which statuses a call may return. Where several things are wrong, any of theirs. */
#ifndef POSENC_FUZZ_ALLOWED_H
#define POSENC_FUZZ_ALLOWED_H

#include "posenc.h"

typedef struct allowed {
  unsigned errors;   /* a bit for each status of something that is certainly wrong */
  unsigned doubtful; /* of something within a rounding of what is allowed, or that the header leaves open */
} allowed;

#define BIT(status) (1u << POSENC_ERROR_##status)

allowed allowed_spec(const posenc_spec *spec);
allowed allowed_plan(const posenc_spec *spec, const char *name);

/* Rows of `width` columns, a stride apart, in an array. */
typedef struct place {
  int64_t stride, width;
  const void *array;
} place;
void allowed_rows(allowed *a, const posenc_spec *spec, int64_t count, place p);
void allowed_first(allowed *a, const posenc_spec *spec, int64_t first, int64_t count);
void allowed_real(allowed *a, const posenc_spec *spec, double position);
void allowed_whole(allowed *a, const posenc_spec *spec, int64_t position);

/* x or out of a sum. */
void allowed_strides(allowed *a, const posenc_spec *spec, int64_t count, int64_t batch, posenc_strides s, int written);

/* Ends the process unless the status is one of those; returns whether it is POSENC_OK. */
int judge_status(const char *what, posenc_status status, allowed a);

#endif
