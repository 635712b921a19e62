/* fill/<implementation>/f32/n:<positions>/d:<d_model>: posenc_fill as a program calls it, the plan made once; and the
 * tables of dtypes.c and conventions.c, likewise. */
#define _POSIX_C_SOURCE 200809L
#include "cases.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A slow recipe need not write half a gigabyte to show how slow it is: of a table that takes longer than WHOLE it
 * writes rows that take about PART. Seconds. What might be held up by its stores must stay below WHOLE, also while its
 * time is being guessed from single blocks: a kernel may store a block otherwise than a table that leaves the caches.
 */
static const double WHOLE = 0.4, PART = 0.03, ENOUGH_TO_TELL = 0.008;

/* They are spread over the table, since libm and SLEEF take longer at late positions: blocks at even spacing, so long
 * that the calls do not count, and at multiples of their length, where the recurrence takes its anchors. Fewer than
 * FEWEST of them would say little about the rest. Of what takes longer than PART for a block, the first row of each is
 * enough. */
enum { BLOCK = 64, FEWEST = 8 };

typedef struct fill_case {
  posenc_plan *plan; /* NULL: the table is written without one */
  bench_table table;
  int64_t offset;
  void *out;
  int64_t blocks; /* that a pass writes, 0: not known yet */
  int64_t length; /* their rows */
} fill_case;

static int64_t blocks_of_table(const fill_case *f) { return (f->table.shape->positions + BLOCK - 1) / BLOCK; }

/* Block i of a pass is in the middle of part i of the table, all parts being equal. Returns its rows. */
static int64_t block(const fill_case *f, int64_t i, int64_t *first) {
  *first = (2 * i + 1) * blocks_of_table(f) / (2 * f->blocks) * BLOCK;
  const int64_t left = f->table.shape->positions - *first;
  return left < f->length ? left : f->length; /* the last block of a table may be short */
}

static int64_t rows(const fill_case *f) {
  int64_t sum = 0, first;
  for (int64_t i = 0; i < f->blocks; i++)
    sum += block(f, i, &first);
  return sum;
}

double bench_cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

posenc_status bench_write_rows(
    const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table) {
  const int64_t d = t->shape->d_model;
  char *out = (char *)table + first * d * (int64_t)posenc_dtype_size((posenc_dtype)t->spec.dtype);
  return posenc_fill(plan, t->origin + first, count, out, d);
}

static void pass(void *data) {
  const fill_case *f = data;
  const bench_table *t = &f->table;
  if (f->blocks == blocks_of_table(f) && f->length == BLOCK) {
    t->write(f->plan, t, 0, t->shape->positions, f->out); /* checked in begin() */
    return;
  }
  for (int64_t i = 0, first; i < f->blocks; i++) {
    const int64_t count = block(f, i, &first);
    t->write(f->plan, t, first, count, f->out);
  }
}

/* Sets blocks, by filling more and more of the table until the clock has something to measure. */
static void choose_blocks(fill_case *f) {
  const int64_t all = blocks_of_table(f);
  double per_block;
  f->blocks = 1;
  f->length = BLOCK;
  for (;;) {
    double seconds = INFINITY; /* of several: one that the system held up must not decide */
    for (int i = 0; i < 3; i++) {
      const double start = bench_cpu_seconds();
      pass(f);
      seconds = fmin(seconds, bench_cpu_seconds() - start);
    }
    per_block = seconds / (double)f->blocks;
    if (f->blocks == all || seconds > ENOUGH_TO_TELL)
      break;
    f->blocks = f->blocks > all / 4 ? all : 4 * f->blocks;
  }
  f->blocks = all;
  if (per_block * (double)all > WHOLE) {
    if (per_block > PART) {
      f->length = 1;
      per_block /= BLOCK;
    }
    const int64_t fit = (int64_t)(PART / per_block);
    const int64_t most = fit < FEWEST ? FEWEST : fit;
    f->blocks = most < all ? most : all;
  }
}

static const char *begin(void *data) {
  fill_case *f = data;
  const size_t bytes = bench_shape_bytes(f->table.shape, (posenc_dtype)f->table.spec.dtype);
  f->out = bench_buffer(bench_to_next(bytes / 2) + bytes / 2, f->offset); /* a pair is two arrays */
  if (!f->out)
    return "no memory for the table";
  if (f->blocks)
    return NULL;
  const posenc_status status = f->table.write(f->plan, &f->table, 0, 1, f->out);
  if (status != POSENC_OK)
    return posenc_status_string(status);
  choose_blocks(f);
  return NULL;
}

static void end(void *data, shim_run *run) {
  const fill_case *f = data;
  const int64_t n = rows(f);
  bench_wrote(run, n, f->table.shape->d_model, (posenc_dtype)f->table.spec.dtype);
  if (n < f->table.shape->positions) {
    char label[96];
    snprintf(
        label, sizeof label, "%" PRId64 " of %" PRId64 " rows, spread over the table", n, f->table.shape->positions);
    shim_label(run, label);
  }
}

static void release(void *data) {
  fill_case *f = data;
  posenc_plan_destroy(f->plan);
  if (f->table.release)
    f->table.release(f->table.data);
  free(f);
}

int64_t bench_table_rows(const shim_case *c) { return rows(c->data); }

shim_case bench_filling(posenc_plan *plan, const bench_table *table, const bench_offset *at, const char *name) {
  fill_case *f = must_calloc(1, sizeof *f);
  *f = (fill_case){.plan = plan, .table = *table, .offset = at->bytes};
  return (shim_case){.name = name, .data = f, .begin = begin, .pass = pass, .end = end, .release = release};
}

bool bench_table_case(
    const posenc_impl *impl, const bench_table *table, const bench_offset *at, const char *name, shim_case *c) {
  posenc_plan *plan = bench_plan(name, impl, &table->spec);
  if (plan)
    *c = bench_filling(plan, table, at, name);
  return plan != NULL;
}

void bench_register_table(const posenc_impl *impl, const bench_table *table, const bench_offset *at) {
  char name[192];
  shim_case c;
  snprintf(name, sizeof name, "%s/%s/%s/n:%" PRId64 "/d:%" PRId64 "%s%s", table->function, impl->name,
      bench_dtype_name((posenc_dtype)table->spec.dtype), table->shape->positions, table->shape->d_model, table->kind,
      at->suffix);
  if (bench_table_case(impl, table, at, name, &c)) {
    c.who = impl->name;
    shim_register(&c);
  }
}

void bench_register_fill(const posenc_impl *impl, const bench_shape *shape, const bench_offset *at) {
  const bench_table table = {"fill", "", shape, bench_spec(shape), NULL, NULL, bench_write_rows, 0};
  bench_register_table(impl, &table, at);
}

void bench_register_fills(const bench_shape *shape, const bench_offset *at) {
  bench_each_impl(bench_register_fill, shape, at);
}
