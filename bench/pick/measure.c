/* All candidates are measured in turns: in each turn the memory is mapped again, and all write the table several times,
 * one after the other in random order. So all of them meet the same changes of the machine and the same memory.
 */
#include "../limits/limits.h"
#include "pick.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "../../verify/reference/random.h"

enum { ROUNDS = 5, FEW_TURNS = 3 };
static const double SLICE = 2e-3;    /* seconds that a round lasts at least */
static const double PATIENCE = 60.0; /* seconds; after that no further turn, except the first few */
static const double DROP_AT_ONCE = 1.5, DROP_LATER = 1.15; /* times the fastest, after one turn or after a few */

typedef struct contender {
  pick_row *row;
  int64_t passes; /* in a round */
  double rounds[ROUNDS];
} contender;

/* Seconds of a pass. */
static double one_round(contender *c) {
  const shim_case *k = &c->row->c;
  k->pass(k->data); /* leaves the caches as this case does */
  if (c->passes == 0) {
    const double start = bench_cpu_seconds();
    k->pass(k->data);
    const double pass = fmax(bench_cpu_seconds() - start, 1e-8);
    c->passes = (int64_t)fmax(1.0, ceil(SLICE / pass));
  }
  const double start = bench_cpu_seconds();
  for (int64_t i = 0; i < c->passes; i++)
    k->pass(k->data);
  return (bench_cpu_seconds() - start) / (double)c->passes;
}

/* NULL, or an error that ends the measurement. */
static const char *one_turn(const pick *p, contender *all, int n, uint64_t *random) {
  const char *error;
  bench_buffer_release();
  for (int i = 0; i < n; i++)
    if (!all[i].row->dropped && (error = all[i].row->c.begin(all[i].row->c.data)))
      return error;
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = n - 1; i > 0; i--) {
      const int other = (int)random_between(random, 0, i);
      const contender kept = all[i];
      all[i] = all[other];
      all[other] = kept;
    }
    for (int i = 0; i < n; i++)
      if (!all[i].row->dropped)
        all[i].rounds[round] = one_round(&all[i]);
  }
  for (int i = 0; i < n; i++) {
    pick_row *row = all[i].row;
    shim_result result = {0};
    if (row->dropped)
      continue;
    row->c.end(row->c.data, &result);
    if (result.error)
      return result.error;
    row->rows = result.rows;
    row->turns[row->n++] = 1e9 * compare_median(all[i].rounds, ROUNDS, NULL) / (double)(row->rows * p->shape.d_model);
  }
  return NULL;
}

static double median_of(const pick_row *row) {
  double sorted[PICK_TURNS];
  memcpy(sorted, row->turns, sizeof sorted);
  return compare_median(sorted, row->n, NULL);
}

/* Drops implementations, and limits, that cannot become the fastest of their kind any more. */
static void drop_slow(const contender *all, int n, double factor) {
  double best[2] = {INFINITY, INFINITY};
  for (int i = 0; i < n; i++)
    best[!all[i].row->impl] = fmin(best[!all[i].row->impl], median_of(all[i].row));
  for (int i = 0; i < n; i++)
    all[i].row->dropped |= median_of(all[i].row) > factor * best[!all[i].row->impl];
}

/* Of an implementation, or of a limit of stores; there is no other in the memory that conversions need. */
static void take(void *data, const shim_case *c) {
  pick *p = data;
  pick_row *row = &p->rows[p->n + p->n_limits];
  if (!c->who && (p->n_limits == PICK_LIMITS || strstr(c->name, "/convert/"))) {
    c->release(c->data);
    return;
  }
  if (c->who) {
    row = p->rows;
    while (strcmp(row->impl->name, c->who) != 0)
      row++;
  } else {
    p->n_limits++;
  }
  row->c = *c;
}

void pick_measure(pick *p) {
  bench_buffer_setup(bench_shape_bytes(&p->shape, (posenc_dtype)p->spec.dtype));
  shim_divert(take, p);
  const bench_table table = {
      .function = "fill", .kind = "", .shape = &p->shape, .spec = p->spec, .origin = p->o->table.from};
  for (size_t i = 0; i < p->n; i++)
    if (p->rows[i].within)
      bench_register_table(&table, p->rows[i].impl, NULL, NULL, p->o->at);
  bench_register_limits(&p->shape, (posenc_dtype)p->spec.dtype, p->o->at);

  contender *all = must_calloc((int64_t)(p->n + p->n_limits), sizeof *all);
  int n = 0, candidates = 0;
  for (size_t i = 0; i < p->n + p->n_limits; i++)
    if (p->rows[i].c.pass) {
      candidates += p->rows[i].impl != NULL;
      all[n++].row = &p->rows[i];
    }
  uint64_t random = 1;
  const double start = bench_cpu_seconds();
  for (int turn = 0;
       candidates > 0 && !p->error && turn < PICK_TURNS && (turn < FEW_TURNS || bench_cpu_seconds() - start < PATIENCE);
       turn++) {
    if (isatty(STDERR_FILENO))
      fprintf(stderr, "\r\033[Kmeasuring: turn %d of %d%s", turn + 1, PICK_TURNS, turn + 1 < PICK_TURNS ? "" : "\n");
    p->error = one_turn(p, all, n, &random);
    if (!p->error)
      drop_slow(all, n, turn + 1 < FEW_TURNS ? DROP_AT_ONCE : DROP_LATER);
  }
  for (size_t i = 0; i < p->n + p->n_limits; i++) {
    pick_row *row = &p->rows[i];
    if (row->c.pass)
      row->c.release(row->c.data);
    if (p->error && row->within)
      snprintf(row->reason, sizeof row->reason, "within the budget, not measured: %s", p->error);
    if (p->error)
      row->n = 0;
  }
  free(all);
}
