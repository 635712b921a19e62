#include "verdict.h"

#include <math.h>
#include <stdio.h>

#include "../reference/ulp.h"

/* The error relative to its bound. Every error exceeds a bound that is NaN or negative. */
static double share_of_bound(double error, double bound) {
  if (!(bound >= 0))
    return INFINITY;
  return error == 0 ? 0 : error / bound;
}

static void compare(const trial *t, const reference_value *expected, verdict *v) {
  const segment *s = t->s;
  const int64_t d = s->spec.d_model, n = s->n_rows * d;
  double closest = -1;
  /* max_abs is below any error, so that the first output becomes the worst, however small its error */
  *v = (verdict){.judged = true, .outputs = n, .max_abs = -1};
  for (int64_t i = 0; i < n; i++) {
    const reference_value want = expected[i];
    const double output = element_value(s->spec.dtype, trial_output(t, i / d, i % d));
    const double got = isnan(output) ? (double)NAN : output; /* the sign of a NaN means nothing */
    const double nearest = reference_rounded(&want, s->spec.dtype);
    const double error = isfinite(got) ? fabs((got - want.y) - want.low) : INFINITY;
    const double share = share_of_bound(error, t->bounds[i]);
    const witness w = {s->positions[i / d], i % d, got, nearest, error, t->bounds[i]};

    v->ulp_max = fmax(v->ulp_max, ulp_distance(s->spec.dtype, got, want.y, want.low));
    if (!same_number(got, nearest)) {
      v->misrounded++;
      v->wrong = w;
    }
    v->outside += !(error <= t->bounds[i]);
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

bool judge(
    const trial *t, const posenc_impl *impl, const reference_value *expected, verdict *v, char *reason, size_t size) {
  compare(t, expected, v);
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
