/* fill/<implementation>/float32/n:<positions>/d:<d_model>: posenc_fill as a program calls it, with a plan that is made
 * once, in the same memory again and again. fill/.../uncached: in memory that is in no cache, as most tables are filled,
 * which are made once. The tables of tables.c are filled here too. */
#define _POSIX_C_SOURCE 200809L
#include "../../verify/tools/machine.h"
#include "../limits/limits.h"
#include "cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds. A slow recipe need not write half a gigabyte to show how slow it is. Where a table would take longer than
 * WHOLE, a pass writes only rows that take about PART. An implementation whose speed may depend on its stores must stay
 * below WHOLE, also in the estimate from single blocks: a kernel may store a block in another way than a table that is
 * larger than the caches. */
static const double WHOLE = 0.4, PART = 0.03;

/* These rows are spread over the table in evenly spaced blocks, since libm and SLEEF take longer at late positions. A
 * block is so long that the calls do not count, and starts at a multiple of its length, where the recurrence takes its
 * anchors. Fewer blocks than FEWEST would say little about the other rows. Where a single block takes longer than PART,
 * a pass writes only the first row of each block. */
enum { BLOCK = 64, FEWEST = 8 };

enum { IN_MEMORY = 1 << 28 }; /* bytes; a larger table is in no cache */

typedef struct fill_case {
  bench_table table;
  int64_t blocks; /* written in a pass; 0: not known yet */
  int64_t length; /* rows of a block */
} fill_case;

static int64_t blocks_of_table(const fill_case *f) { return (f->table.shape->positions + BLOCK - 1) / BLOCK; }

/* Divides the table into as many equal parts as a pass has blocks. Block i is in the middle of part i. Sets its first
 * row and returns its number of rows. */
static int64_t block(const fill_case *f, int64_t i, int64_t *first) {
  *first = (2 * i + 1) * blocks_of_table(f) / (2 * f->blocks) * BLOCK;
  const int64_t left = f->table.shape->positions - *first;
  return left < f->length ? left : f->length; /* the last block of a table may be short */
}

/* The CPU time of this thread. */
static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static posenc_status fill_rows(
    const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table) {
  const int64_t d = t->shape->d_model;
  char *out = (char *)table + first * d * (int64_t)posenc_dtype_size((posenc_dtype)t->spec.dtype);
  return posenc_fill(plan, t->origin + first, count, out, d);
}

static posenc_status write_blocks(const bench_work *w) {
  const fill_case *f = w->self;
  const bench_table *t = &f->table;
  if (f->blocks == blocks_of_table(f) && f->length == BLOCK)
    return t->write(w->plan, t, 0, t->shape->positions, w->out);
  posenc_status status = POSENC_OK;
  for (int64_t i = 0, first; i < f->blocks && status == POSENC_OK; i++) {
    const int64_t count = block(f, i, &first);
    status = t->write(w->plan, t, first, count, w->out);
  }
  return status;
}

/* Sets the number of blocks and their length, from the time of one block. */
static void choose_blocks(const bench_work *w, fill_case *f) {
  const int64_t all = blocks_of_table(f);
  double per_block = INFINITY; /* the least of three, since the system may hold one up */
  f->blocks = 1;
  f->length = BLOCK;
  for (int i = 0; i < 3; i++) {
    const double start = cpu_seconds();
    write_blocks(w);
    per_block = fmin(per_block, cpu_seconds() - start);
  }
  f->blocks = all;
  if (per_block * (double)all > WHOLE) {
    if (per_block > PART) {
      f->length = 1;
      per_block /= BLOCK;
    }
    const int64_t fit = (int64_t)(PART / per_block), most = fit < FEWEST ? FEWEST : fit;
    f->blocks = most < all ? most : all;
  }
}

static const char *prepare(bench_work *w) {
  fill_case *f = w->self;
  if (f->blocks)
    return NULL;
  const posenc_status status = f->table.write(w->plan, &f->table, 0, 1, w->out);
  if (status != POSENC_OK)
    return posenc_status_string(status);
  choose_blocks(w, f);
  w->rows.n = 0;
  for (int64_t i = 0, first; i < f->blocks; i++)
    w->rows.n += block(f, i, &first);
  return NULL;
}

static void destroy(void *self) {
  fill_case *f = self;
  if (f->table.destroy)
    f->table.destroy(f->table.self);
  free(f);
}

void bench_register_table(const bench_table *table, const posenc_impl *impl, const bench_offset *at) {
  const bench_shape *s = table->shape;
  const posenc_dtype dtype = (posenc_dtype)table->spec.dtype;
  const size_t half = bench_shape_bytes(s, dtype) / 2;
  fill_case *f = must_calloc(1, sizeof *f);
  f->table = *table;
  if (!f->table.write)
    f->table.write = fill_rows;
  bench_register_work(&(bench_work){{impl, impl ? &table->spec : NULL, dtype, s->positions, s->d_model}, write_blocks,
                          .call = table->call, .variant = table->variant, .who = table->peer,
                          .end = table->origin ? table->origin + s->positions : 0,
                          .bytes = bench_to_next(half) + half, /* posenc_fill_pair writes two arrays */
                          .uncached = s->uncached, .error = table->error, .not_nearest = table->not_nearest, .self = f,
                          .destroy = destroy, .prepare = prepare},
      at, "%s/%s/%s/" BENCH_SIZE "%s", table->call, impl ? impl->name : table->peer, dtype_name((int32_t)dtype),
      s->positions, s->d_model, table->variant ? table->variant : "");
}

void bench_register_fill(const posenc_impl *impl, const bench_shape *shape, const bench_offset *at) {
  bench_register_table(&(bench_table){.call = "fill", .shape = shape, .spec = bench_spec(shape)}, impl, at);
}

/* The families that are measured without --all-cases in tables larger than every cache, whose passes take long: ours,
 * and the fastest float32 recipe and the fastest float64 one. */
static bool wanted_in_memory(const posenc_impl *impl) {
  static const char *const families[] = {"exact", "anchored", "sleef_u35", "sleef_f64"};
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (strcmp(impl->family, families[i]) == 0)
      return true;
  return false;
}

void bench_register_fills(const bench_shape *shape, bool all, const bench_offset *at) {
  const bool in_memory = bench_shape_bytes(shape, POSENC_DTYPE_F32) >= IN_MEMORY;
  const posenc_impl *impl;
  bench_register_limits(shape, POSENC_DTYPE_F32, at);
  for (size_t i = 0; (impl = bench_impl(i, POSENC_DTYPE_F32, true)); i++)
    if (all || !in_memory || wanted_in_memory(impl))
      bench_register_fill(impl, shape, at);
}

void bench_register_uncached(bool all, const bench_offset *at) {
  static const bench_shape shape = {
      .name = "uncached", .positions = 5000, .d_model = 512, .base = 10000.0, .uncached = true};
  const posenc_impl *impl;
  bench_register_limits(&shape, POSENC_DTYPE_F32, at);
  for (size_t i = 0; (impl = bench_impl(i, POSENC_DTYPE_F32, all)); i++)
    bench_register_table(
        &(bench_table){.call = "fill", .variant = "/uncached", .shape = &shape, .spec = bench_spec(&shape)}, impl, at);
}

/* Of a larger table only the first rows are measured. So many bytes exceed every cache. */
static const int64_t MOST_BYTES = INT64_C(1) << 30;

void bench_register_one(const spec_options *options, const bench_offset *at) {
  static bench_shape shape = {.name = "one", .who = "the table of the options"};
  const posenc_dtype dtype = (posenc_dtype)options->spec.dtype;
  const int64_t row_bytes = options->spec.d_model * (int64_t)posenc_dtype_size(dtype);
  const int64_t available = machine_available_memory() / 2; /* 0: not known */
  const int64_t fit = (available > 0 && available < MOST_BYTES ? available : MOST_BYTES) / row_bytes;
  shape.d_model = options->spec.d_model;
  shape.base = options->spec.base;
  shape.positions = options->to - options->from;
  if (fit > 0 && shape.positions > fit)
    shape.positions = fit;
  const posenc_impl *impl;
  bench_register_limits(&shape, dtype, at);
  for (size_t i = 0; (impl = bench_impl(i, dtype, true)); i++)
    bench_register_table(
        &(bench_table){.call = "fill", .shape = &shape, .spec = options->spec, .origin = options->from}, impl, at);
}
