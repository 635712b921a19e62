/* fill/<implementation>/f32/n:<positions>/d:<d_model>: posenc_fill as a program calls it, the plan made once. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A slow recipe need not write half a gigabyte to show how slow it is: of a table that takes longer than WHOLE it
 * writes rows that take about PART. Seconds. What might be held up by its stores must stay below WHOLE, also while its
 * time is being guessed from single blocks: a kernel may store a block otherwise than a table that leaves the caches. */
static const double WHOLE = 0.4, PART = 0.03, ENOUGH_TO_TELL = 0.008;

/* They are spread over the table, since libm and SLEEF take longer at late positions: blocks at even spacing, so long
 * that the calls do not count, and at multiples of their length, where the recurrence takes its anchors. Fewer than
 * FEWEST of them would say little about the rest. */
enum { BLOCK = 64, FEWEST = 8 };

typedef struct fill_case {
  posenc_plan *plan;
  const bench_shape *shape;
  int64_t offset;
  float *out;
  int64_t blocks; /* that a pass writes, 0: not known yet */
} fill_case;

static int64_t blocks_of_table(const fill_case *f)
{
  return (f->shape->positions + BLOCK - 1) / BLOCK;
}

/* Block i of a pass is in the middle of part i of the table, all parts being equal. Returns its rows. */
static int64_t block(const fill_case *f, int64_t i, int64_t *first)
{
  *first = (2 * i + 1) * blocks_of_table(f) / (2 * f->blocks) * BLOCK;
  const int64_t left = f->shape->positions - *first;
  return left < BLOCK ? left : BLOCK; /* the last block of a table may be short */
}

static int64_t rows(const fill_case *f)
{
  int64_t sum = 0, first;
  for (int64_t i = 0; i < f->blocks; i++)
    sum += block(f, i, &first);
  return sum;
}

static double cpu_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pass(void *data)
{
  const fill_case *f = data;
  const int64_t d = f->shape->d_model;
  if (f->blocks == blocks_of_table(f)) {
    posenc_fill(f->plan, 0, f->shape->positions, f->out, d); /* checked in begin() */
    return;
  }
  for (int64_t i = 0, first; i < f->blocks; i++) {
    const int64_t count = block(f, i, &first);
    posenc_fill(f->plan, first, count, f->out + first * d, d);
  }
}

/* Sets blocks, by filling more and more of the table until the clock has something to measure. */
static void choose_blocks(fill_case *f)
{
  const int64_t all = blocks_of_table(f);
  double per_block;
  f->blocks = 1;
  for (;;) {
    double seconds = INFINITY; /* of several: one that the system held up must not decide */
    for (int i = 0; i < 3; i++) {
      const double start = cpu_seconds();
      pass(f);
      seconds = fmin(seconds, cpu_seconds() - start);
    }
    per_block = seconds / (double)f->blocks;
    if (f->blocks == all || seconds > ENOUGH_TO_TELL)
      break;
    f->blocks = f->blocks > all / 4 ? all : 4 * f->blocks;
  }
  f->blocks = all;
  if (per_block * (double)all > WHOLE) {
    const int64_t fit = (int64_t)(PART / per_block);
    const int64_t most = fit < FEWEST ? FEWEST : fit;
    f->blocks = most < all ? most : all;
  }
}

static const char *begin(void *data)
{
  fill_case *f = data;
  if (f->blocks)
    return NULL;
  f->out = bench_buffer(bench_shape_bytes(f->shape), f->offset);
  if (!f->out)
    return "no memory for the table";
  const posenc_status status = posenc_fill(f->plan, 0, 1, f->out, f->shape->d_model);
  if (status != POSENC_OK)
    return posenc_status_string(status);
  choose_blocks(f);
  return NULL;
}

static void end(void *data, shim_run *run)
{
  const fill_case *f = data;
  const int64_t n = rows(f);
  bench_wrote(run, n, f->shape->d_model);
  if (n < f->shape->positions) {
    char label[96];
    snprintf(label, sizeof label, "%" PRId64 " of %" PRId64 " rows, spread over the table", n, f->shape->positions);
    shim_label(run, label);
  }
}

static void release(void *data)
{
  fill_case *f = data;
  posenc_plan_destroy(f->plan);
  free(f);
}

static void register_one(const posenc_impl *impl, const bench_shape *shape, const bench_place *place)
{
  char what[96], name[160];
  snprintf(what, sizeof what, "fill/%s/f32", impl->name);
  posenc_plan *plan = bench_plan(bench_name(name, sizeof name, what, shape, place), impl, shape);
  if (!plan)
    return;
  fill_case *f = bench_alloc(sizeof *f);
  *f = (fill_case){.plan = plan, .shape = shape, .offset = place->offset};
  shim_register(&(shim_case){.name = name, .data = f, .begin = begin, .pass = pass, .end = end, .release = release});
}

void bench_register_fills(const bench_shape *shape, const bench_place *place)
{
  bench_each_impl(register_one, shape, place);
}
