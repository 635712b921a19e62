/* What the parts of the fuzz target share. What it finds ends the process, with one line that says what it is. */
#ifndef POSENC_FUZZ_FUZZ_H
#define POSENC_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "posenc.h"

/* ---- model.c: the slow model, one output at a time, from the words of posenc.h, by MPFR. It shares nothing with
 * impl/, nor with mpfr_reference.c. */

/* What a column holds. */
typedef struct meaning {
  enum { ZERO, SINE, COSINE } function;
  int64_t k;
} meaning;

int64_t model_count(const posenc_spec *spec); /* frequencies */
meaning model_column(const posenc_spec *spec, int64_t column);

/* The number of the dtype nearest to the real value of function m; zeros have the sign that the header promises of
 * exact. *distance becomes a lower bound, and a close one, of |got - real value|. spec must be a valid one. A position
 * that is an integer is exactly a double. */
double model_value(const posenc_spec *spec, meaning m, double position, double got, double *distance);

/* ---- allowed.c: which statuses posenc.h lets a call return. Where several things are wrong, any of theirs. */

typedef struct allowed {
  unsigned errors;   /* a bit for each status of something that is certainly wrong */
  unsigned doubtful; /* of something within a rounding of what is allowed, or that the header leaves open */
} allowed;

#define BIT(status) (1u << POSENC_ERROR_##status)

allowed allowed_spec(const posenc_spec *spec);
allowed allowed_plan(const posenc_spec *spec, const char *name);

/* Rows of `width` columns in an array; written: it must not have rows on rows. */
typedef struct array_shape {
  int64_t width, count, batch;
  posenc_strides strides;
  bool written;
} array_shape;
void allowed_rows(allowed *a, const posenc_spec *spec, array_shape shape, const void *array);
void allowed_first(allowed *a, const posenc_spec *spec, int64_t first, int64_t count);
void allowed_position(allowed *a, const posenc_spec *spec, double position);

/* Ends the process unless the status is one of those; returns whether it is POSENC_OK. */
bool judge_status(const char *what, posenc_status status, allowed a);

/* ---- spec.c: a spec of the fuzzer's bytes: a preset or the paper's with fields changed, most of them valid. */

/* Above this no plan is made: that is for tests of limits, and takes a second. */
enum { WIDEST_PLAN = 9000 };

typedef struct fuzz_spec {
  posenc_spec spec;
  double *freqs, *freqs_low; /* what the spec's point to, of their very size; to be freed */
  char own[12];              /* a name as the bytes have it */
  const char *name;          /* an implementation's, a family's, NULL, or no name at all */
} fuzz_spec;

void take_spec(bytes *b, fuzz_spec *f);

/* posenc_spec_check and posenc_plan_create on it, judged. Returns the plan, or NULL where there is
 * none. */
posenc_plan *plan_judged(bytes *b, const fuzz_spec *f);

/* A message's room, to see that a call stays in it. */
enum { MESSAGE_ROOM = 400 };
typedef struct message {
  char text[MESSAGE_ROOM];
  size_t size;
} message;
void message_clear(message *m, bytes *b);

/* The status of a call that was just made, and its message if it was refused; returns whether it is POSENC_OK. */
bool judge_refusal(const char *what, message *m, posenc_status status, allowed a);

/* ---- calls.c: calls on a plan, made of the fuzzer's bytes, and judged. */

typedef struct subject {
  const posenc_plan *plan;
  const posenc_spec *spec;
  const posenc_impl *impl;
  size_t size;  /* of an element */
  bool exact;   /* every bit is promised */
  bool rotated; /* true for exact and anchored, whose members all have the same bits */
} subject;

/* posenc_fill, posenc_fill_at, posenc_fill_at_real, posenc_fill_pair; or posenc_add, posenc_add_batch */
void fuzz_rows(bytes *b, const subject *s, bool adds);
/* posenc_table_create */
void fuzz_table(bytes *b, const subject *s);

#endif
