#include "verdict.h"

#include <math.h>
#include <stdio.h>

#include "../reference/judge.h"

/* Compares the outputs of rows from .. to-1. */
static void compare(const trial *t, const reference_value *expected, int64_t from, int64_t to, verdict *v) {
  const segment *s = t->s;
  const int64_t d = s->spec.d_model;
  /* below any error, so that the first output becomes the worst, however small its error */
  *v = (verdict){.judged = true, .outputs = (to - from) * d, .worst = {.error = -1}};
  for (int64_t i = from * d; i < to * d; i++) {
    const judgement j = judge_element(s->spec.dtype, trial_output(t, i / d, i % d), &expected[i]);
    const witness w = {segment_position(s, i / d), i % d, j.got, j.nearest, j.error, t->bounds[i]};
    v->ulp_max = fmax(v->ulp_max, ulp_distance(s->spec.dtype, j.got, expected[i].y, expected[i].low));
    if (!j.is_nearest) {
      v->misrounded++;
      v->last_misrounded = w;
    }
    if (!(j.error <= t->bounds[i])) { /* also if the bound is NaN */
      v->beyond_bound++;
      v->last_beyond_bound = w;
    }
    if (j.error > v->worst.error)
      v->worst = w;
  }
}

/* Whether the verdict is as the implementation promises. `reason` says what is not. */
static bool accept(const verdict *v, const posenc_impl *impl, const char *call, char *reason, size_t size) {
  if (v->beyond_bound > 0) {
    const witness *w = &v->last_beyond_bound;
    snprintf(reason, size,
        "%s: %lld outputs beyond their bound, such as position %.17g, column %lld: got %a, want %a, error %.3g, bound "
        "%.3g",
        call, (long long)v->beyond_bound, w->position, (long long)w->column, w->got, w->want, w->error, w->bound);
  } else if (impl->correctly_rounded && v->misrounded > 0) {
    const witness *w = &v->last_misrounded;
    snprintf(reason, size,
        "%s: %lld outputs are not correctly rounded, such as position %.17g, column %lld: got %a, want %a", call,
        (long long)v->misrounded, w->position, (long long)w->column, w->got, w->want);
  } else {
    return true;
  }
  return false;
}

bool judge_trial(
    const trial *t, const posenc_impl *impl, const reference_value *expected, verdict *v, char *reason, size_t size) {
  const int64_t n = t->s->n_rows;
  const disagreement *const found = t->found;
  verdict reals;
  compare(t, expected, 0, n, v);
  compare(t, expected, n, n + SEGMENT_REALS, &reals);
  if (!accept(v, impl, "posenc_fill", reason, size))
    return false;
  if (found->call)
    snprintf(reason, size,
        "%s (rows: %lld): position %lld, column %lld: got %a, but posenc_fill of consecutive rows gives %a",
        found->call, (long long)found->rows, (long long)found->position, (long long)found->column, found->got,
        found->want);
  return !found->call && accept(&reals, impl, "posenc_fill_at_real", reason, size);
}
