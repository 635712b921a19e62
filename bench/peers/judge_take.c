/* Where the rows of a table come from. */
#include <stdlib.h>
#include <string.h>

#include "../../verify/columns.h"
#include "../../verify/formats.h"
#include "../../verify/memory.h"
#include "../../verify/table/npy.h"
#include "../../verify/table/numbers.h"
#include "judge.h"

enum { SEED = 1 }; /* of posenc-verify too: the same rows, as long as it is asked for as many */

bool is_paper(const posenc_spec *spec)
{
  return !spec->freqs && spec->d_model % 2 == 0 && spec_denominator(spec) == (double)spec->d_model / 2 && spec_scale(spec) == 1 &&
         spec->layout == POSENC_INTERLEAVED && spec->order == POSENC_SIN_FIRST && spec->dtype == POSENC_F32;
}

static void choose_rows(const subject *s, int64_t rows, taken *t)
{
  t->rows = sweep_of(&s->spec, NULL, s->from, s->to, rows, SEED);
  t->values = must_calloc(t->rows.count, sizeof *t->values);
  for (int64_t i = 0; i < t->rows.count; i++)
    t->values[i] = must_calloc(t->rows.segments[i].n_rows * s->spec.d_model, sizeof **t->values);
}

void taken_destroy(taken *t)
{
  for (int64_t i = 0; i < t->rows.count; i++)
    free(t->values[i]);
  free(t->values);
  t->values = NULL;
  sweep_destroy(&t->rows);
}

/* Runs of consecutive rows, by one or the other. */
typedef struct maker {
  const peer *peer;
  void *self;
  posenc_plan *plan;
} maker;

static bool make_run(const maker *m, const sweep_run *run, int64_t d_model, void *out, char *message, size_t size)
{
  if (m->peer) {
    m->peer->fill(m->self, run->first, run->count, out);
    return true;
  }
  const posenc_status status = posenc_fill(m->plan, run->first, run->count, out, d_model);
  if (status != POSENC_OK)
    snprintf(message, size, "posenc_fill: %s", posenc_status_string(status));
  return status == POSENC_OK;
}

static bool make_segment(const maker *m, const segment *s, double *values, char *message, size_t size)
{
  const int64_t d = s->spec.d_model;
  const size_t element = format_of(s->spec.dtype)->size;
  bool good = true;
  for (int64_t r = 0, row = 0; r < s->n_runs && good; row += s->runs[r++].count) {
    const int64_t n = s->runs[r].count * d;
    unsigned char *out = must_calloc(n, element);
    memset(out, 0xff, (size_t)n * element); /* NaNs, so that rows that nobody wrote are seen */
    good = make_run(m, &s->runs[r], d, out, message, size);
    for (int64_t i = 0; i < n; i++)
      values[row * d + i] = element_value(s->spec.dtype, out + (size_t)i * element);
    free(out);
  }
  return good;
}

static bool take_made(const subject *s, int64_t rows, taken *t, char *message, size_t size)
{
  maker m = {.peer = s->peer};
  if (s->peer && !(m.self = s->peer->create(s->spec.d_model, s->spec.base))) {
    snprintf(message, size, "it could not be set up for d_model %lld: no memory", (long long)s->spec.d_model);
    return false;
  }
  if (s->impl && posenc_plan_check(&s->spec, s->impl->name, message, size) != POSENC_OK)
    return false;
  if (s->impl && posenc_plan_create(&m.plan, &s->spec, s->impl->name) != POSENC_OK) {
    snprintf(message, size, "out of memory");
    return false;
  }
  bool good = true;
  choose_rows(s, rows, t);
  for (int64_t i = 0; i < t->rows.count && good; i++)
    good = make_segment(&m, &t->rows.segments[i], t->values[i], message, size);
  if (s->peer)
    s->peer->destroy(m.self);
  posenc_plan_destroy(m.plan);
  return good;
}

/* NumPy makes float64 of much: a table of float32 that is kept so is meant as one of float32. */
static bool holds_float32(const npy_array *array)
{
  for (int64_t row = 0; row < array->layout.rows; row++)
    for (int64_t column = 0; column < array->layout.columns; column++) {
      const double x = npy_at(array, row, column);
      if (x == x && x != number_round(POSENC_F32, x))
        return false;
    }
  return true;
}

static bool take_file(subject *s, int64_t rows, taken *t, char *message, size_t size)
{
  npy_array array;
  if (!npy_read(s->file, &array, message, size))
    return false;
  if (array.layout.columns != s->spec.d_model || array.layout.rows != s->to - s->from) {
    snprintf(message, size, "it has changed while it was read");
    npy_free(&array);
    return false;
  }
  if (s->spec.dtype == POSENC_F64 && array.layout.dtype == POSENC_F64 && !s->dtype_is_given && holds_float32(&array))
    s->spec.dtype = POSENC_F32;
  choose_rows(s, rows, t);
  for (int64_t i = 0; i < t->rows.count; i++) {
    const segment *here = &t->rows.segments[i];
    double *value = t->values[i];
    for (int64_t row = 0; row < here->n_rows; row++)
      for (int64_t column = 0; column < s->spec.d_model; column++)
        *value++ = npy_at(&array, here->positions[row] - s->from, column);
  }
  npy_free(&array);
  return true;
}

bool take(subject *s, int64_t rows, taken *t, char *message, size_t size)
{
  return s->file ? take_file(s, rows, t, message, size) : take_made(s, rows, t, message, size);
}
