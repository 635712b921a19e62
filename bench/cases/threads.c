/* threads:2/fill/<implementation>/float32/n:131072/d:1024: one table, of which a second thread fills half. The pass
 * includes starting the thread and waiting for it; wall time. threads:2/limit/...: plain stores of the same halves.
 *
 * Google Benchmark's own threads are not used. Each would fill its half over and over without waiting for the other,
 * and the time that Google Benchmark reports then differs between its versions. */
#define _GNU_SOURCE
#include "../limits/limits.h"
#include "cases.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

/* Writes half of the rows: those of the plan or, without a plan, plain stores of the same size. */
static posenc_status half(const bench_work *w, int64_t number) {
  const int64_t rows = w->rows.n / 2, first = number * rows;
  const bench_limit *l = w->what;
  float *out = w->out + first * w->rows.d_model;
  if (w->plan)
    return posenc_fill(w->plan, first, rows, out, w->rows.d_model);
  l->pass(out, (size_t)(rows * w->rows.d_model));
  return POSENC_OK;
}

static void *second_half(void *data) { return (void *)(uintptr_t)half(data, 1); }

static posenc_status write_halves(const bench_work *w) {
  pthread_t second;
  void *of_second;
  if (pthread_create(&second, NULL, second_half, (void *)(uintptr_t)w) != 0)
    return POSENC_ERROR_MEMORY;
  const posenc_status status = half(w, 0);
  pthread_join(second, &of_second);
  return status != POSENC_OK ? status : (posenc_status)(uintptr_t)of_second;
}

/* Registers a limit, or an implementation if l is NULL. */
static void register_halves(const posenc_impl *impl, const bench_limit *l, const bench_offset *at) {
  const bench_shape *shape = bench_shape_find("long", NULL);
  const posenc_spec spec = bench_spec(shape);
  bench_register_work(&(bench_work){{impl, impl ? &spec : NULL, POSENC_DTYPE_F32, shape->positions, shape->d_model},
                          write_halves, .wall = true, .what = l},
      at, "threads:2/%s/%s%s/" BENCH_SIZE, l ? "limit" : "fill", l ? l->name : impl->name, l ? "" : "/float32",
      shape->positions, shape->d_model);
}

void bench_register_threads(const bench_offset *at) {
  const posenc_impl *impl;
  cpu_set_t set; /* the CPUs that this process may use */
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) < 2) {
    bench_skip("threads:2", "this process may use only one CPU");
    return;
  }
  for (const bench_limit *l = limits; l->name; l++)
    if (strncmp(l->name, "convert", 7) != 0 && limit_runs_here(l))
      register_halves(NULL, l, at);
  for (size_t i = 0; (impl = bench_impl(i, POSENC_DTYPE_F32, false)); i++)
    register_halves(impl, NULL, at);
}
