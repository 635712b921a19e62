/* Calls on a plan, made of the fuzzer's bytes, and judged. */
#ifndef POSENC_FUZZ_CALLS_H
#define POSENC_FUZZ_CALLS_H

#include "bytes.h"
#include "model.h"
#include "posenc.h"

typedef struct subject {
  const posenc_plan *plan;
  const posenc_spec *spec;
  const posenc_impl *impl;
  size_t size; /* of an element */
  bool exact;  /* every bit is promised */
  bool turned; /* as are, of exact and of anchored, all members' bits the same */
} subject;

/* posenc_fill, posenc_fill_at, posenc_fill_at_real, posenc_fill_pair */
void fuzz_fill(bytes *b, const subject *s);
/* posenc_add, posenc_add_batch */
void fuzz_add(bytes *b, const subject *s);
/* posenc_table_create */
void fuzz_table(bytes *b, const subject *s);

/* Numbers of rows and strides, from the ordinary to the impossible. */
int64_t take_count(bytes *b, int64_t width);
int64_t take_stride(bytes *b, int64_t width, size_t size);

/* Elements that a call may really be given memory for. */
enum { MOST_ELEMENTS = 40000 };

/* Judges an output by the model. */
void judge_element(const subject *s, meaning m, model_position position, int64_t column, double got);

#endif
