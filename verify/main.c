/* posenc-verify: every implementation against the truth, range of positions by range of positions. */
#include <stdlib.h>
#include <string.h>

#include "float64_reference.h"
#include "formats.h"
#include "memory.h"
#include "options.h"
#include "report.h"

/* For one implementation and one segment, which takes well below a second even on an emulated CPU. */
enum { TIME_LIMIT_SECONDS = 60 };

static results prepare(const options *o)
{
  results r = {.seed = o->seed, .by = o->by, .n_impls = o->n_impls ? o->n_impls : posenc_impl_count()};
  r.sweep = o->one_shape ? sweep_of(&o->spec, o->preset, o->from, o->to, o->rows, o->seed) : sweep_default(o->rows, o->seed);
  r.audited = o->one_shape ? o->spec : posenc_spec_default(512);
  r.float64_good_to = float64_reference_good_to(&r.audited);
  r.audits = must_calloc(r.sweep.count, sizeof *r.audits);
  r.impls = must_calloc((int64_t)r.n_impls, sizeof *r.impls);
  for (size_t i = 0; i < r.n_impls; i++) {
    impl_result *result = &r.impls[i];
    result->impl = o->n_impls ? o->impls[i] : posenc_impl_at(i);
    result->supported = posenc_impl_supported(result->impl);
    result->verdicts = must_calloc(r.sweep.count, sizeof *result->verdicts);
  }
  return r;
}

static void clean_up(results *r)
{
  for (size_t i = 0; i < r->n_impls; i++)
    free(r->impls[i].verdicts);
  free(r->impls);
  free(r->audits);
  sweep_destroy(&r->sweep);
}

/* Only the first failure is kept: later ones are mostly its echo. */
static void note_failure(impl_result *result, const segment *s, const char *reason)
{
  if (result->failure[0])
    return;
  snprintf(result->failure, sizeof result->failure, "%s (shape %s, positions %lld to %lld)", reason, s->shape,
           (long long)s->from, (long long)(s->to - 1));
  fprintf(stderr, "%s FAILED: %s\n", result->impl->name, result->failure);
}

static void verify_impl(impl_result *result, trial *t, const truth_value *expected, verdict *v)
{
  char reason[256] = "";
  switch (trial_run(t, result->impl, TIME_LIMIT_SECONDS, reason, sizeof reason)) {
  case TRIAL_NOT_OFFERED: v->not_offered = true; break;
  case TRIAL_FAILED:
    result->crashed = true;
    note_failure(result, t->s, reason);
    break;
  case TRIAL_DONE:
    if (!judge(t, expected, v, reason, sizeof reason))
      note_failure(result, t->s, reason);
  }
}

static bool offers_a_dtype(const posenc_impl *impl, const sweep *s)
{
  for (int64_t i = 0; i < s->count; i++)
    if (strstr(impl->dtypes, format_of(s->segments[i].spec.dtype)->long_name))
      return true;
  return false;
}

/* An implementation that offers none of the shapes has shown nothing. Unless it was asked for by name, it may lack their dtype. */
static void require_a_verdict(const results *r, impl_result *result, bool by_name)
{
  if (!result->supported || result->failure[0])
    return;
  for (int64_t i = 0; i < r->sweep.count; i++)
    if (result->verdicts[i].judged)
      return;
  result->not_offered = !by_name && !offers_a_dtype(result->impl, &r->sweep);
  if (!result->not_offered)
    snprintf(result->failure, sizeof result->failure, "not judged: it offers no shape of this run");
}

static void verify_segment(results *r, int64_t index, int64_t threads, FILE *text)
{
  const segment *s = &r->sweep.segments[index];
  fprintf(stderr, "[%lld/%lld] %s, positions %lld to %lld\n", (long long)index + 1, (long long)r->sweep.count, s->shape,
          (long long)s->from, (long long)(s->to - 1));
  truth_value *expected = expected_rows(s, r->by, threads);
  if (r->by == REFERENCE_MPFR && s->in_table)
    r->audits[r->n_audits++] = audit_float64(s, expected);

  trial t = trial_create(s);
  text_segment_begin(text, s);
  for (size_t i = 0; i < r->n_impls; i++) {
    impl_result *result = &r->impls[i];
    if (!result->supported || result->crashed)
      continue;
    verify_impl(result, &t, expected, &result->verdicts[index]);
    text_verdict(text, result, s, &result->verdicts[index]);
  }
  text_segment_end(text, r, index);
  trial_destroy(&t);
  free(expected);
}

int main(int argc, char **argv)
{
  options o = options_parse(argc, argv);
  const bool json_on_stdout = o.json && strcmp(o.json, "-") == 0;
  FILE *json = json_on_stdout ? stdout : o.json ? fopen(o.json, "w") : NULL;
  if (o.json && !json) { /* now, not after the sweep */
    fprintf(stderr, "posenc-verify: --json: ");
    perror(o.json);
    return 2;
  }

  FILE *text = json_on_stdout ? stderr : stdout;
  results r = prepare(&o);
  text_begin(text, &r);
  for (int64_t i = 0; i < r.sweep.count; i++)
    verify_segment(&r, i, o.threads, text);
  for (size_t i = 0; i < r.n_impls; i++)
    require_a_verdict(&r, &r.impls[i], o.n_impls > 0);
  text_end(text, &r);

  int status = all_verified(&r) && audits_hold(&r) ? 0 : 1;
  if (ferror(text)) {
    fputs("posenc-verify: the report could not be written\n", stderr);
    status = 2;
  }
  if (json) {
    bool written = json_write(json, &r);
    if (!json_on_stdout)
      written = fclose(json) == 0 && written;
    if (!written) {
      fprintf(stderr, "posenc-verify: --json %s: could not be written\n", o.json);
      status = 2;
    }
  }
  clean_up(&r);
  free(o.impls);
  return status;
}
