#include "expected.h"

#include <mpfr.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "../tools/memory.h"

typedef struct job {
  const segment *s;
  reference_value *values;
  float *floats; /* nearest_rows() fills these instead of values */
  int64_t rows;
  atomic_llong next; /* the next row to be taken by a thread */
  pthread_mutex_t lock;
  mpfr_effort effort;
} job;

static void *compute_rows(void *argument) {
  job *j = argument;
  const segment *s = j->s;
  mpfr_reference *t = reference_create(&s->spec);
  for (int64_t row; (row = atomic_fetch_add(&j->next, 1)) < j->rows;) {
    const int64_t start = row * s->spec.d_model;
    if (j->floats)
      reference_row_floats(t, segment_position(s, row), j->floats + start);
    else
      reference_row(t, segment_position(s, row), j->values + start);
  }
  pthread_mutex_lock(&j->lock);
  j->effort.widened += reference_widened(t);
  if (reference_precision(t) > j->effort.most_bits)
    j->effort.most_bits = reference_precision(t);
  pthread_mutex_unlock(&j->lock);
  reference_destroy(t);
  mpfr_free_cache(); /* MPFR keeps constants per thread */
  return NULL;
}

static void share_rows(job *j, int64_t threads) {
  int64_t wanted = threads ? threads : sysconf(_SC_NPROCESSORS_ONLN);
  wanted = wanted < 1 ? 1 : wanted > EXPECTED_MOST_THREADS ? EXPECTED_MOST_THREADS : wanted;
  pthread_mutex_init(&j->lock, NULL);

  pthread_t helpers[EXPECTED_MOST_THREADS];
  int64_t started = 0;
  while (started < wanted - 1 && pthread_create(&helpers[started], NULL, compute_rows, j) == 0)
    started++;
  compute_rows(j); /* in this thread too, so all rows are computed even if no other could be started */
  while (started > 0)
    pthread_join(helpers[--started], NULL);
}

reference_value *expected_rows(const segment *s, int64_t threads) {
  job j = {.s = s, .rows = s->n_rows + SEGMENT_REALS};
  j.values = must_calloc(j.rows * s->spec.d_model, sizeof *j.values);
  share_rows(&j, threads);
  return j.values;
}

float *nearest_rows(const segment *s, int64_t threads, mpfr_effort *effort) {
  job j = {
      .s = s, .rows = s->n_rows, .floats = must_calloc(s->n_rows * s->spec.d_model, sizeof(float)), .effort = *effort};
  share_rows(&j, threads);
  *effort = j.effort;
  return j.floats;
}
