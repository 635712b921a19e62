/* A whole verification: implementations x segments of a sweep, each judged in a process of its own. */
#ifndef POSENC_VERIFY_CAMPAIGN_H
#define POSENC_VERIFY_CAMPAIGN_H

#include <stdio.h>

#include "expected.h"
#include "sweep.h"
#include "verdict.h"

typedef struct impl_result {
  const posenc_impl *impl;
  bool supported;
  bool crashed;      /* not run any further */
  bool not_judged;   /* it ran, and offered none of the shapes: a failure, unless not_offered */
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
  posenc_spec audited;     /* the shape that the float64 reference is audited on */
  int64_t float64_good_to; /* by its law, for that shape */
  audit *audits;           /* one per range of that shape that was swept */
  int64_t n_audits;
} results;

/* Called when a segment's verdicts are complete, so that a report can grow with the run. */
typedef void segment_report(FILE *out, const results *r, int64_t segment);

/* Nothing is judged yet. impls: n of them, or 0 for all. The results own the sweep; audited is the shape that the
 * sweep's table is of. To be given to campaign_destroy(). */
results campaign_prepare(
    sweep s, const posenc_spec *audited, const posenc_impl *const *impls, size_t n, reference by, uint64_t seed);

/* threads: see expected_rows(). by_name: who offers none of the shapes has failed instead of having no part in the run.
 * Progress and failures go to stderr. report, which is given out, may be NULL. */
void campaign_run(results *r, int64_t threads, bool by_name, segment_report *report, FILE *out);
void campaign_destroy(results *r);

/* Supported, with a part in the run, and without a failure. */
bool impl_verified(const impl_result *r);
bool all_verified(const results *r);
bool audits_hold(const results *r);

#endif
