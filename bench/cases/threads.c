/* threads:2/fill/<implementation>/f32/n:131072/d:1024: one table, half of it by a second thread, which is started and
 * waited for as part of the pass; wall time. threads:2/limit/...: the same with stores of the same halves.
 *
 * Google Benchmark's own threads would each fill their half over and over, without waiting for each other, and what it
 * then calls the time has changed between its versions. */
#define _GNU_SOURCE
#include "../limits/limits.h"
#include "cases.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2 };

/* Rows of the plan; without one, as many stores. */
static posenc_status half(const bench_work *w, int64_t number) {
  const int64_t rows = w->shape->positions / THREADS, first = number * rows, d = w->shape->d_model;
  const bench_limit *l = w->what;
  if (w->plan)
    return posenc_fill(w->plan, first, rows, w->out + first * d, d);
  l->pass(w->out + first * d, (size_t)(rows * d));
  return POSENC_OK;
}

/* begin() has checked the plan. */
static void *second_half(void *data) {
  half(data, 1);
  return NULL;
}

static posenc_status write_halves(const bench_work *w) {
  pthread_t second;
  if (pthread_create(&second, NULL, second_half, (void *)(uintptr_t)w) != 0)
    return POSENC_ERROR_MEMORY;
  const posenc_status status = half(w, 0);
  pthread_join(second, NULL);
  return status;
}

static void register_one(const char *name, const char *who, posenc_plan *plan, const bench_limit *l,
    const bench_shape *shape, int64_t offset) {
  bench_register_work(
      &(bench_work){.plan = plan, .shape = shape, .offset = offset, .what = l, .write = write_halves, .checked = true},
      (shim_case){.name = name, .who = who, .wall = true});
}

/* Those this process may use: a machine's others are of no help to it. */
static int cpus(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : THREADS;
}

void bench_register_threads(const bench_offset *at) {
  const bench_shape *shape = bench_shape_find("long", NULL);
  const char *families[] = {NULL, "anchored"}; /* NULL: the default */
  char what[96], name[160];
  if (cpus() < THREADS) {
    bench_skip("threads:2", "this process may use one CPU only");
    return;
  }
  for (const bench_limit *l = limits; l->name; l++) {
    if (strncmp(l->name, "convert", 7) == 0 || !limit_runs_here(l))
      continue;
    snprintf(what, sizeof what, "threads:%d/limit/%s", THREADS, l->name);
    register_one(bench_name(name, sizeof name, what, shape, at), NULL, NULL, l, shape, at->bytes);
  }
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    const posenc_impl *impl = posenc_impl_find(families[i]);
    if (!impl || !bench_runs(impl, POSENC_F32))
      continue;
    snprintf(what, sizeof what, "threads:%d/fill/%s/f32", THREADS, impl->name);
    const posenc_spec spec = bench_spec(shape);
    posenc_plan *plan = bench_plan(bench_name(name, sizeof name, what, shape, at), impl, &spec);
    if (plan)
      register_one(name, impl->name, plan, NULL, shape, at->bytes);
  }
}
