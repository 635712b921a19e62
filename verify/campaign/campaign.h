/* A verification: every implementation computes every segment of a sweep, each time in a process of its own. */
#ifndef POSENC_VERIFY_CAMPAIGN_H
#define POSENC_VERIFY_CAMPAIGN_H

#include <stdio.h>

#include "expected.h"
#include "sweep.h"
#include "verdict.h"

typedef struct impl_result {
  const posenc_impl *impl;
  bool supported;
  bool trial_failed; /* by a crash, the time limit or an error status; no other trial is run */
  bool left_out;     /* of this run: no segment has a dtype that it offers */
  char failure[320]; /* the first failure, and where; empty if none */
  verdict *verdicts; /* one per segment */
} impl_result;

typedef struct results {
  sweep sweep;
  impl_result *impls;
  size_t n_impls;
  double float64_error; /* of the references, the largest over the table; infinite where the float64 law is broken */
} results;

/* Called when a segment's verdicts are complete, so that results appear during the run. */
typedef void segment_report(FILE *out, const results *r, int64_t segment);

/* Prepares a run without judging anything. The results own the sweep; campaign_destroy() releases both.
 * impls: n implementations, or all if n is 0. */
results campaign_prepare(sweep s, const posenc_impl *const *impls, size_t n);

/* Progress and failures go to stderr.
 * threads: see expected_rows().
 * by_name: the implementations were requested by name, so one that offers no segment fails and is never left out.
 * report: called with `out`; may be NULL. */
void campaign_run(results *r, int64_t threads, bool by_name, segment_report *report, FILE *out);
void campaign_destroy(results *r);

/* Supported, not left out of the run, and without a failure. */
bool impl_verified(const impl_result *r);

/* Whether all that ran are, and the two references agree. */
bool all_verified(const results *r);

#endif
