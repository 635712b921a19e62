#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../reference/memory.h"
#include "../reference/ulp.h"

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Nearest rank: the smallest value that at least `share` of them do not exceed. */
static double percentile(const double *sorted, int64_t count, double share) {
  const int64_t rank = (int64_t)ceil(share * (double)count);
  return sorted[rank > 0 ? rank - 1 : 0];
}

/* How much of its bound an error uses up; a bound that is no number is exceeded by everything. */
static double share_of_bound(double error, double bound) {
  if (!(bound >= 0))
    return INFINITY;
  return error == 0 ? 0 : error / bound;
}

static void count_bands(const double *sorted, int64_t count, int64_t *bands) {
  static const double edges[VERDICT_BANDS - 1] = VERDICT_BAND_EDGES;
  int band = 0;
  memset(bands, 0, VERDICT_BANDS * sizeof *bands);
  for (int64_t i = 0; i < count; i++) {
    while (band < VERDICT_BANDS - 1 && sorted[i] > edges[band])
      band++;
    bands[band]++;
  }
}

static void compare(const trial *t, const truth_value *expected, verdict *v) {
  const segment *s = t->s;
  const int64_t d = s->spec.d_model;
  double *ulps = must_calloc(s->n_rows * d, sizeof *ulps);
  int64_t i = 0, line = 1, correct = 0;
  double closest = -1;
  v->where = (profile){{{0}}};
  v->max_abs = -1; /* so that the first output, however small its error, becomes the worst */

  for (int64_t run = 0, row = 0; run < s->n_runs; run++, line++)
    for (int64_t end = row + s->runs[run].count; row < end; row++, line++)
      for (int64_t column = 0; column < d; column++, i++) {
        const truth_value want = expected[i];
        const double got = element_value(s->spec.dtype, sheet_at(&t->filled, line, column));
        const double nearest = truth_rounded(&want, s->spec.dtype);
        const double error = isfinite(got) ? fabs((got - want.y) - want.low) : INFINITY;
        const double bound = t->bounds[i] + (double)want.unsure;
        const double share = share_of_bound(error, bound);
        const witness w = {s->positions[row], column, got, nearest, error, t->bounds[i]};

        ulps[i] = ulp_distance(s->spec.dtype, got, want.y, want.low);
        correct += same_number(got, nearest);
        v->outside += !(error <= bound);
        profile_add(&v->where, s->positions[row], column, d, error);
        if (error > v->max_abs) {
          v->max_abs = error;
          v->worst = w;
        }
        if (share > closest) {
          closest = share;
          v->closest = w;
        }
      }

  qsort(ulps, (size_t)i, sizeof *ulps, ascending);
  v->judged = true;
  v->outputs = i;
  v->ulp_p50 = percentile(ulps, i, 0.5);
  v->ulp_p99 = percentile(ulps, i, 0.99);
  v->ulp_max = ulps[i - 1];
  count_bands(ulps, i, v->ulp_bands);
  v->correctly_rounded = (double)correct / (double)i;
  v->bound_ok = v->outside == 0;
  free(ulps);
}

static bool guards_whole(const sheet *s, const char *call, char *reason, size_t size) {
  int64_t line, column;
  if (!sheet_damage(s, &line, &column))
    return true;
  const int64_t behind = column - s->d_model + 1;
  if (s->is_row[line])
    snprintf(reason, size, "%s wrote %lld elements behind the end of a row", call, (long long)behind);
  else
    snprintf(reason, size, "%s wrote outside the rows it was asked for", call);
  return false;
}

static bool calls_agree(const trial *t, char *reason, size_t size) {
  const segment *s = t->s;
  int64_t *line_of = must_calloc(s->n_rows, sizeof *line_of); /* in the sheet of posenc_fill() */
  for (int64_t line = 0, row = 0; line < t->filled.lines; line++)
    if (t->filled.is_row[line])
      line_of[row++] = line;

  bool agree = true;
  for (int64_t i = 0; i < s->n_rows && agree; i++) {
    const int64_t row = s->shuffled[i];
    for (int64_t column = 0; column < s->spec.d_model && agree; column++) {
      const void *a = sheet_at(&t->filled, line_of[row], column), *b = sheet_at(&t->filled_at, i + 1, column);
      agree = memcmp(a, b, t->filled.size) == 0;
      if (!agree)
        snprintf(reason, size, "posenc_fill gives %a and posenc_fill_at %a at position %lld, column %lld",
            element_value(s->spec.dtype, a), element_value(s->spec.dtype, b), (long long)s->positions[row],
            (long long)column);
    }
  }
  free(line_of);
  return agree;
}

bool judge(const trial *t, const truth_value *expected, verdict *v, char *reason, size_t size) {
  compare(t, expected, v);
  if (!guards_whole(&t->filled, "posenc_fill", reason, size) ||
      !guards_whole(&t->filled_at, "posenc_fill_at", reason, size) || !calls_agree(t, reason, size))
    return false;
  if (!v->bound_ok) {
    const witness *w = &v->closest;
    snprintf(reason, size,
        "%lld outputs beyond their bound, such as position %lld, column %lld: got %a, want %a, "
        "error %.3g, bound %.3g",
        (long long)v->outside, (long long)w->position, (long long)w->column, w->got, w->want, w->error, w->bound);
  }
  return v->bound_ok;
}
