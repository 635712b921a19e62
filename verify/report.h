/* The result of a whole run, and its two forms: text that grows as results come, and JSON at the end. */
#ifndef POSENC_VERIFY_REPORT_H
#define POSENC_VERIFY_REPORT_H

#include <stdio.h>

#include "expected.h"
#include "sweep.h"
#include "verdict.h"

typedef struct impl_result {
  const posenc_impl *impl;
  bool supported;
  bool crashed;      /* not run any further */
  bool not_offered;  /* it has no part in this run: no shape is of a dtype that it offers */
  char failure[320]; /* the first failure, and where; empty if there is none */
  verdict *verdicts; /* one per segment */
} impl_result;

typedef struct results {
  uint64_t seed;
  reference by;
  sweep sweep;
  impl_result *impls;
  size_t n_impls;
  posenc_spec audited;      /* the shape that the float64 reference is audited on */
  int64_t float64_good_to;  /* by its law, for that shape */
  audit *audits;            /* one per range of that shape that was swept */
  int64_t n_audits;
} results;

/* Supported, with a part in the run, and without a failure. */
bool impl_verified(const impl_result *r);
bool all_verified(const results *r);
bool audits_hold(const results *r);

void text_begin(FILE *out, const results *r);
void text_segment_begin(FILE *out, const segment *s);
void text_verdict(FILE *out, const impl_result *r, const segment *s, const verdict *v);
void text_segment_end(FILE *out, const results *r, int64_t segment_index);
void text_end(FILE *out, const results *r);

/* Returns false if it could not be written. */
bool json_write(FILE *out, const results *r);

#endif
