#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/memory.h"
#include "../reference/ulp.h"

/* The error relative to its bound. Every error exceeds a bound that is NaN or negative. */
static double share_of_bound(double error, double bound) {
  if (!(bound >= 0))
    return INFINITY;
  return error == 0 ? 0 : error / bound;
}

void verdict_fill(
    const segment *s, const reference_value *expected, const double *outputs, const double *bounds, verdict *v) {
  const int64_t d = s->spec.d_model, n = s->n_rows * d;
  double closest = -1;
  /* max_abs is below any error, so that the first output becomes the worst, however small its error */
  *v = (verdict){.judged = true, .outputs = n, .max_abs = -1};
  for (int64_t i = 0; i < n; i++) {
    const reference_value want = expected[i];
    const double got = isnan(outputs[i]) ? (double)NAN : outputs[i]; /* the sign of a NaN means nothing */
    const double nearest = reference_rounded(&want, s->spec.dtype);
    const double error = isfinite(got) ? fabs((got - want.y) - want.low) : INFINITY;
    const double share = share_of_bound(error, bounds[i]);
    const witness w = {s->positions[i / d], i % d, got, nearest, error, bounds[i]};

    v->ulp_max = fmax(v->ulp_max, ulp_distance(s->spec.dtype, got, want.y, want.low));
    if (!same_number(got, nearest)) {
      v->misrounded++;
      v->wrong = w;
    }
    v->outside += !(error <= bounds[i]);
    if (error > v->max_abs) {
      v->max_abs = error;
      v->worst = w;
    }
    if (share > closest) {
      closest = share;
      v->closest = w;
    }
  }
  v->bound_ok = v->outside == 0;
}

static bool guards_whole(const sheet *s, const char *call, char *reason, size_t size) {
  int64_t line, column;
  if (!sheet_damage(s, &line, &column))
    return true;
  const int64_t behind = column - s->d_model + 1;
  if (s->is_row[line])
    snprintf(reason, size, "%s wrote %lld elements past the end of a row", call, (long long)behind);
  else
    snprintf(reason, size, "%s wrote outside the requested rows", call);
  return false;
}

/* outputs: the values that posenc_fill() wrote, row by row. */
static bool calls_agree(const trial *t, const double *outputs, char *reason, size_t size) {
  const segment *s = t->s;
  const int64_t d = s->spec.d_model;
  for (int64_t i = 0; i < s->n_rows * d; i++) {
    const int64_t row = s->shuffled[i / d], column = i % d;
    const void *a = trial_output(t, row, column), *b = sheet_at(&t->filled_at, i / d + 1, column);
    if (memcmp(a, b, t->filled.size) != 0) {
      snprintf(reason, size, "posenc_fill gives %a and posenc_fill_at %a at position %lld, column %lld",
          outputs[row * d + column], element_value(s->spec.dtype, b), (long long)s->positions[row], (long long)column);
      return false;
    }
  }
  return true;
}

bool judge(
    const trial *t, const posenc_impl *impl, const reference_value *expected, verdict *v, char *reason, size_t size) {
  const int64_t d = t->s->spec.d_model, n = t->s->n_rows * d;
  double *outputs = must_calloc(n, sizeof *outputs);
  for (int64_t i = 0; i < n; i++)
    outputs[i] = element_value(t->s->spec.dtype, trial_output(t, i / d, i % d));
  verdict_fill(t->s, expected, outputs, t->bounds, v);
  const bool whole = guards_whole(&t->filled, "posenc_fill", reason, size) &&
                     guards_whole(&t->filled_at, "posenc_fill_at", reason, size) &&
                     calls_agree(t, outputs, reason, size);
  free(outputs);
  if (!whole)
    return false;
  if (!v->bound_ok) {
    const witness *w = &v->closest;
    snprintf(reason, size,
        "%lld outputs beyond their bound, such as position %lld, column %lld: got %a, want %a, "
        "error %.3g, bound %.3g",
        (long long)v->outside, (long long)w->position, (long long)w->column, w->got, w->want, w->error, w->bound);
  }
  if (v->bound_ok && impl->correctly_rounded && v->misrounded > 0) {
    const witness *w = &v->wrong;
    snprintf(reason, size,
        "%lld outputs are not correctly rounded, such as position %lld, column %lld: got %a, want %a",
        (long long)v->misrounded, (long long)w->position, (long long)w->column, w->got, w->want);
    return false;
  }
  return v->bound_ok;
}
