/* fill/<implementation>/f32/n:<positions>/d:<d_model>: posenc_fill as a program calls it, the plan made once. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include "posenc.h"
#include "shim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A slow recipe need not write half a gigabyte to show how slow it is: a table that takes longer than WHOLE is cut to
 * the rows that take about PART. Seconds. */
static const double WHOLE = 0.1, PART = 0.03, ENOUGH_TO_TELL = 0.008;

typedef struct fill_case {
  posenc_plan *plan;
  const bench_shape *shape;
  float *out;
  int64_t rows; /* 0: not known yet */
} fill_case;

static double cpu_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pass(void *data)
{
  const fill_case *f = data;
  posenc_fill(f->plan, 0, f->rows, f->out, f->shape->d_model); /* checked in begin() */
}

/* Sets rows, by filling more and more of the table until the clock has something to measure. */
static void choose_rows(fill_case *f)
{
  const int64_t all = f->shape->positions;
  double per_row;
  f->rows = all < 16 ? all : 16;
  for (;;) {
    const double start = cpu_seconds();
    pass(f);
    const double seconds = cpu_seconds() - start;
    per_row = seconds / (double)f->rows;
    if (f->rows == all || seconds > ENOUGH_TO_TELL)
      break;
    f->rows = f->rows > all / 4 ? all : 4 * f->rows;
  }
  f->rows = all;
  if (per_row * (double)all > WHOLE) {
    const int64_t fit = (int64_t)(PART / per_row);
    f->rows = fit < 1 ? 1 : fit;
  }
}

static const char *begin(void *data)
{
  fill_case *f = data;
  if (f->rows)
    return NULL;
  f->out = bench_buffer((size_t)(f->shape->positions * f->shape->d_model) * sizeof(float));
  if (!f->out)
    return "no memory for the table";
  const posenc_status status = posenc_fill(f->plan, 0, 1, f->out, f->shape->d_model);
  if (status != POSENC_OK)
    return posenc_status_string(status);
  choose_rows(f);
  return NULL;
}

static void end(void *data, shim_run *run)
{
  const fill_case *f = data;
  const int64_t elements = f->rows * f->shape->d_model;
  shim_bytes(run, elements * (int64_t)sizeof(float));
  shim_items(run, elements);
  shim_counter(run, "rows", (double)f->rows);
  if (f->rows < f->shape->positions) {
    char label[96];
    snprintf(label, sizeof label, "rows 0..%" PRId64 " of %" PRId64, f->rows - 1, f->shape->positions);
    shim_label(run, label);
  }
}

static void release(void *data)
{
  fill_case *f = data;
  posenc_plan_destroy(f->plan);
  free(f);
}

static void register_one(const posenc_impl *impl, const bench_shape *shape)
{
  char what[96], name[160], message[256];
  snprintf(what, sizeof what, "fill/%s/f32", impl->name);
  bench_name(name, sizeof name, what, shape);

  posenc_spec spec = posenc_spec_default(shape->d_model);
  spec.base = shape->base;
  if (posenc_plan_check(&spec, impl->name, message, sizeof message) != POSENC_OK) {
    bench_leave_out(name, message);
    return;
  }
  fill_case *f = bench_alloc(sizeof *f);
  f->shape = shape;
  const posenc_status status = posenc_plan_create(&f->plan, &spec, impl->name);
  if (status != POSENC_OK) {
    bench_leave_out(name, posenc_status_string(status));
    free(f);
    return;
  }
  shim_register(&(shim_case){name, f, begin, pass, end, release});
}

void bench_register_fills(const bench_shape *shape)
{
  for (size_t i = 0; i < posenc_impl_count(); i++) {
    const posenc_impl *impl = posenc_impl_at(i);
    if (!posenc_impl_supported(impl))
      bench_leave_out(impl->name, "this CPU lacks its instructions");
    if (!bench_left_out(impl->name))
      register_one(impl, shape);
  }
}
