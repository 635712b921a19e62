/* Outputs against the reference, range by range, and the word for what was found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../reference/columns.h"
#include "../../reference/memory.h"
#include "../../reference/ulp.h"
#include "file.h"

/* Segments are known by their rows: tables differ in nothing else but the dtype. */
typedef struct known {
  int32_t dtype;
  int64_t n_rows, *positions;
  truth_value *values;
} known;

struct references {
  known *all;
  int64_t count;
};

references *references_create(void) { return must_calloc(1, sizeof(references)); }

void references_destroy(references *all) {
  for (int64_t i = 0; i < all->count; i++) {
    free(all->all[i].positions);
    free(all->all[i].values);
  }
  free(all->all);
  free(all);
}

const truth_value *references_of(references *all, const segment *s, const options *o) {
  const size_t size = (size_t)s->n_rows * sizeof *s->positions;
  for (int64_t i = 0; i < all->count; i++) {
    const known *k = &all->all[i];
    if (k->dtype == s->spec.dtype && k->n_rows == s->n_rows && memcmp(k->positions, s->positions, size) == 0)
      return k->values;
  }
  fprintf(stderr, "the reference of %lld rows of positions %lld to %lld\n", (long long)s->n_rows, (long long)s->from,
      (long long)(s->to - 1));
  known *grown = must_calloc(all->count + 1, sizeof *grown);
  if (all->count > 0)
    memcpy(grown, all->all, (size_t)all->count * sizeof *grown);
  free(all->all);
  all->all = grown;
  known *k = &grown[all->count++];
  *k = (known){
      s->spec.dtype, s->n_rows, must_calloc(s->n_rows, sizeof *s->positions), expected_rows(s, o->by, o->threads)};
  memcpy(k->positions, s->positions, size);
  return k->values;
}

/* What an angle in float32 costs, as a share of it, by column: half a unit of its own last place, 2^-24 at most; of its
 * frequency exp(ln w), some units; and of ln w, two roundings, its own and of the step that it is a multiple of. */
static double *float32_costs(const posenc_spec *spec) {
  double *costs = must_calloc(spec->d_model, sizeof *costs);
  for (int64_t c = 0; c < spec->d_model; c++) {
    const int64_t k = place_of(spec, c).k;
    const double w = k < 0         ? 0
                     : spec->freqs ? fabs(spec->freqs[k])
                                   : pow(spec->base, -(double)k / spec_denominator(spec));
    costs[c] = w > 0 ? fabs(spec_scale(spec)) * w * (4 + 2 * fabs(log(w))) * 0x1p-24 : 0;
  }
  return costs;
}

/* 2^-17, whatever the angle: 128 roundings of a value near 1, as a recurrence from row to row has between its anchors.
 * Of angles beyond 2^21 the sine would be anything, which is wrong and not rounded. */
static bool is_float32(double error, double position, double cost) {
  return error <= fmin(0x1p-17 + fabs(position) * cost, 0.5);
}

static const char *word_of(const range_error *r, bool float32) {
  if (r->correct == r->outputs)
    return "exact";
  if (r->ulp_max <= 4 || r->max_abs <= 0x1p-24) /* half a unit of 1, which near 0 is many of the value's own */
    return "ulp";
  if (float32)
    return "float32";
  return r->max_abs <= 0.1 ? "drifting" : "wrong";
}

range_error range_compare(const segment *s, const truth_value *expected, const double *got) {
  const int64_t d = s->spec.d_model;
  range_error r = {.from = s->from, .to = s->to, .rows = s->n_rows, .outputs = s->n_rows * d, .max_abs = -1};
  double *costs = float32_costs(&s->spec);
  bool float32 = true;
  for (int64_t i = 0; i < r.outputs; i++) {
    const truth_value want = expected[i];
    const int64_t position = s->positions[i / d];
    const double nearest = truth_rounded(&want, s->spec.dtype);
    const double error = isfinite(got[i]) ? fabs((got[i] - want.y) - want.low) : INFINITY;
    r.ulp_max = fmax(r.ulp_max, ulp_distance(s->spec.dtype, got[i], want.y, want.low));
    r.correct += same_number(got[i], nearest);
    float32 = float32 && is_float32(error, (double)position, costs[i % d]);
    if (error > r.max_abs) {
      r.max_abs = error;
      r.position = position;
      r.column = i % d;
      r.got = isnan(got[i]) ? (double)NAN : got[i]; /* of no sign */
      r.want = nearest;
    }
  }
  free(costs);
  r.word = word_of(&r, float32);
  return r;
}
