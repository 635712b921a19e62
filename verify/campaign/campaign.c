#include "campaign.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../reference/float64_reference.h"
#include "../tools/memory.h"
#include "progress.h"
#include "../tools/spec.h"

/* Time limit for one implementation on one segment. The slowest take seconds: on an emulated CPU, or where exact
 * computes every float64 in integers. */
enum { TIME_LIMIT_SECONDS = 60 };

/* Progress counts outputs, because segments differ in size. */
static void show_progress(const results *r, int64_t index) {
  int64_t done = 0, all = 0;
  for (int64_t i = 0; i < r->sweep.count; i++) {
    const int64_t outputs = r->sweep.segments[i].n_rows * r->sweep.segments[i].spec.d_model;
    done += i < index ? outputs : 0;
    all += outputs;
  }
  progress_show(done, all);
}

results campaign_prepare(sweep s, const posenc_impl *const *impls, size_t n) {
  results r = {.sweep = s, .n_impls = n ? n : posenc_impl_count()};
  r.impls = must_calloc((int64_t)r.n_impls, sizeof *r.impls);
  for (size_t i = 0; i < r.n_impls; i++) {
    impl_result *result = &r.impls[i];
    result->impl = n ? impls[i] : posenc_impl_by_index(i);
    result->supported = posenc_impl_supported(result->impl);
    result->verdicts = must_calloc(r.sweep.count, sizeof *result->verdicts);
  }
  return r;
}

void campaign_destroy(results *r) {
  for (size_t i = 0; i < r->n_impls; i++)
    free(r->impls[i].verdicts);
  free(r->impls);
  sweep_destroy(&r->sweep);
}

/* Keeps only the first failure, because it causes most of the later ones. */
static void note_failure(impl_result *result, const segment *s, const char *reason) {
  if (result->failure[0])
    return;
  snprintf(result->failure, sizeof result->failure, "%s (shape %s, positions %lld to %lld)", reason, s->shape,
      (long long)s->from, (long long)(s->to - 1));
  fprintf(stderr, "%s FAILED: %s\n", result->impl->name, result->failure);
}

static void verify_impl(impl_result *result, trial *t, const reference_value *expected, verdict *v) {
  char reason[256] = "";
  switch (trial_run(t, result->impl, TIME_LIMIT_SECONDS, reason, sizeof reason)) {
  case TRIAL_NOT_OFFERED:
    v->not_offered = true;
    break;
  case TRIAL_FAILED:
    result->trial_failed = true;
    note_failure(result, t->s, reason);
    break;
  case TRIAL_DONE:
    if (!judge_trial(t, result->impl, expected, v, reason, sizeof reason))
      note_failure(result, t->s, reason);
  }
}

static bool offers_a_dtype(const posenc_impl *impl, const sweep *s) {
  for (int64_t i = 0; i < s->count; i++)
    if (offers(impl, s->segments[i].spec.dtype))
      return true;
  return false;
}

/* Fails an implementation that offered none of the segments, since nothing of it was verified. It may lack their dtypes
 * unless it was requested by name. */
static void require_a_verdict(const results *r, impl_result *result, bool by_name) {
  if (!result->supported || result->failure[0])
    return;
  for (int64_t i = 0; i < r->sweep.count; i++)
    if (result->verdicts[i].judged)
      return;
  result->left_out = !by_name && !offers_a_dtype(result->impl, &r->sweep);
  if (!result->left_out)
    snprintf(result->failure, sizeof result->failure, "not judged: it offers no shape of this run");
}

static void verify_segment(results *r, int64_t index, int64_t threads) {
  const segment *s = &r->sweep.segments[index];
  reference_value *expected = expected_rows(s, threads);
  const double error = float64_reference_error(&s->spec, s->positions, s->n_rows, expected);
  if (s->in_table || isinf(error))
    r->float64_error = fmax(r->float64_error, error);
  trial t = trial_create(s);
  for (size_t i = 0; i < r->n_impls; i++) {
    impl_result *result = &r->impls[i];
    if (result->supported && !result->trial_failed)
      verify_impl(result, &t, expected, &result->verdicts[index]);
  }
  trial_destroy(&t);
  free(expected);
}

void campaign_run(results *r, int64_t threads, bool by_name, segment_report *report, FILE *out) {
  for (int64_t i = 0; i < r->sweep.count; i++) {
    show_progress(r, i);
    verify_segment(r, i, threads);
    if (report)
      report(out, r, i);
  }
  for (size_t i = 0; i < r->n_impls; i++)
    require_a_verdict(r, &r->impls[i], by_name);
}

bool impl_verified(const impl_result *r) { return r->supported && !r->left_out && r->failure[0] == '\0'; }

bool all_verified(const results *r) {
  if (isinf(r->float64_error))
    return false;
  for (size_t i = 0; i < r->n_impls; i++)
    if (r->impls[i].supported && !r->impls[i].left_out && !impl_verified(&r->impls[i]))
      return false;
  return true;
}
