/* All candidates are measured in turns: in each turn the memory is mapped again, and all write the table several times,
 * one after the other in random order. So all of them meet the same changes of the machine and the same memory.
 */
#include "../limits/limits.h"
#include "pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../verify/reference/random.h"

enum { ROUNDS = 5, MOST_CASES = 64, FEW_TURNS = 3 };
static const double SLICE = 2e-3;    /* seconds that a round lasts at least */
static const double PATIENCE = 60.0; /* seconds; after that no further turn, except the first few */
static const double DROP_AT_ONCE = 1.5, DROP_LATER = 1.15; /* times the fastest, after one turn or after a few */

typedef struct contender {
  shim_case c;
  pick_row *row; /* NULL: a limit */
  pick_timing *time;
  pick_timing limit; /* a limit's own */
  int64_t passes;    /* in a round */
  double rounds[ROUNDS];
  bool dropped;
} contender;

typedef struct contest {
  const pick *p;
  contender all[MOST_CASES];
  int n;
  uint64_t random;
} contest;

/* Seconds of a pass. */
static double one_round(contender *c) {
  c->c.pass(c->c.data); /* leaves the caches as this case does */
  if (c->passes == 0) {
    const double start = bench_cpu_seconds();
    c->c.pass(c->c.data);
    const double pass = fmax(bench_cpu_seconds() - start, 1e-8);
    c->passes = (int64_t)fmax(1.0, ceil(SLICE / pass));
  }
  const double start = bench_cpu_seconds();
  for (int64_t i = 0; i < c->passes; i++)
    c->c.pass(c->c.data);
  return (bench_cpu_seconds() - start) / (double)c->passes;
}

/* NULL, or an error that ends the measurement. */
static const char *begin_all(contest *k) {
  const char *error = NULL;
  bench_buffer_release();
  for (int i = 0; i < k->n && !error; i++)
    error = k->all[i].dropped ? NULL : k->all[i].c.begin(k->all[i].c.data);
  return error;
}

static void one_turn(contest *k) {
  int order[MOST_CASES];
  for (int i = 0; i < k->n; i++)
    order[i] = i;
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = k->n - 1; i > 0; i--) {
      const int other = (int)random_between(&k->random, 0, i), kept = order[i];
      order[i] = order[other];
      order[other] = kept;
    }
    for (int i = 0; i < k->n; i++)
      /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): order is set up to n, which stays */
      if (!k->all[order[i]].dropped)
        k->all[order[i]].rounds[round] = one_round(&k->all[order[i]]);
  }
  for (int i = 0; i < k->n; i++) {
    contender *c = &k->all[i];
    double range;
    if (c->dropped)
      continue;
    c->time->rows = c->row ? bench_table_rows(&c->c) : k->p->shape.positions;
    const double elements = (double)(c->time->rows * k->p->shape.d_model);
    c->time->turns[c->time->n++] = 1e9 * compare_median(c->rounds, ROUNDS, &range) / elements;
    c->time->within_turn = 1e9 * range / 2 / elements;
  }
}

/* Drops what cannot become the fastest any more, and after a few turns all limits but the best. */
static void drop_slow(contest *k, int turns) {
  double best = INFINITY, limit = INFINITY;
  for (int i = 0; i < k->n; i++) {
    pick_conclude(k->all[i].time);
    if (k->all[i].row)
      best = fmin(best, k->all[i].time->ns);
    else if (!k->all[i].dropped)
      limit = fmin(limit, k->all[i].time->ns);
  }
  for (int i = 0; i < k->n; i++) {
    contender *c = &k->all[i];
    const double factor = turns < FEW_TURNS ? DROP_AT_ONCE : DROP_LATER;
    c->dropped = c->dropped || (c->row ? c->time->ns > factor * best : turns >= FEW_TURNS && c->time->ns > limit);
  }
}

static void add_limit(void *data, const shim_case *c) {
  contest *k = data;
  if (k->n == MOST_CASES || strstr(c->name, "/convert/")) {
    c->release(c->data);
    return;
  }
  contender *added = &k->all[k->n++];
  *added = (contender){.c = *c};
  added->c.name = NULL; /* lives no longer than this call */
  added->time = &added->limit;
}

/* The share of the limit is taken turn by turn. There is no result after an error. */
static void conclude(pick *p, contest *k) {
  const pick_timing *limit = NULL;
  for (int i = 0; i < k->n; i++) {
    contender *c = &k->all[i];
    if (p->error)
      c->time->n = 0;
    pick_conclude(c->time);
    if (!c->row && c->time->n > 0 && (!limit || c->time->n > limit->n))
      limit = c->time;
  }
  for (size_t i = 0; i < p->n; i++) {
    pick_row *row = &p->rows[i];
    double shares[PICK_TURNS];
    const int n = limit && limit->n < row->time.n ? limit->n : row->time.n;
    for (int t = 0; limit && t < n; t++)
      shares[t] = limit->turns[t] / row->time.turns[t];
    row->of_limit = limit && n > 0 ? compare_median(shares, n, NULL) : NAN;
    if (p->error && row->within)
      snprintf(row->reason, sizeof row->reason, "within the budget, not measured: %s", p->error);
  }
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void pick_measure(pick *p) {
  contest *k = must_calloc(1, sizeof *k);
  const bench_offset *at = p->o->at;
  const bench_table table = {"fill", "", &p->shape, p->spec, NULL, NULL, bench_write_rows, p->o->table.from};
  k->p = p;
  k->random = 1;
  bench_buffer_setup(bench_shape_bytes(&p->shape, (posenc_dtype)p->spec.dtype));
  for (size_t i = 0; i < p->n && k->n < MOST_CASES; i++) {
    contender *c = &k->all[k->n];
    if (!p->rows[i].within || !bench_table_case(p->rows[i].impl, &table, at, p->rows[i].impl->name, &c->c))
      continue;
    c->row = &p->rows[i];
    c->time = &p->rows[i].time;
    k->n++;
  }
  const int candidates = k->n;
  if (candidates > 0)
    bench_each_limit(&p->shape, (posenc_dtype)p->spec.dtype, at, add_limit, k);
  const bool terminal = isatty(STDERR_FILENO) == 1;
  if (!terminal && candidates > 0)
    fprintf(stderr, "measuring %d implementations and the limits, %d turns\n", candidates, PICK_TURNS);
  const double start = seconds();
  for (int turn = 0;
       candidates > 0 && !p->error && turn < PICK_TURNS && (turn < FEW_TURNS || seconds() - start < PATIENCE); turn++) {
    if (terminal)
      fprintf(stderr, "\r\033[Kmeasuring: turn %d of %d", turn + 1, PICK_TURNS);
    p->error = begin_all(k);
    if (!p->error) {
      one_turn(k);
      drop_slow(k, turn + 1);
    }
  }
  if (terminal)
    fputs("\r\033[K", stderr);
  conclude(p, k);
  for (int i = 0; i < k->n; i++)
    k->all[i].c.release(k->all[i].c.data);
  free(k);
}
