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

typedef struct threads_case {
  const bench_shape *shape;
  posenc_plan *plan; /* one of the two is NULL */
  const bench_limit *l;
  int64_t offset;
  float *out;
  bool alone; /* the second thread did not start */
} threads_case;

static void half(const threads_case *c, int64_t number)
{
  const int64_t rows = c->shape->positions / THREADS, first = number * rows, d = c->shape->d_model;
  if (c->plan)
    posenc_fill(c->plan, first, rows, c->out + first * d, d); /* checked in begin() */
  else
    c->l->pass(c->out + first * d, (size_t)(rows * d));
}

static void *second_half(void *data)
{
  half(data, 1);
  return NULL;
}

static void pass(void *data)
{
  threads_case *c = data;
  pthread_t second;
  c->alone = c->alone || pthread_create(&second, NULL, second_half, c) != 0;
  half(c, 0);
  if (!c->alone)
    pthread_join(second, NULL);
}

static const char *begin(void *data)
{
  threads_case *c = data;
  c->out = bench_buffer(bench_shape_bytes(c->shape, POSENC_F32), c->offset);
  if (!c->out)
    return "no memory for the table";
  const posenc_status status = c->plan ? posenc_fill(c->plan, 0, 1, c->out, c->shape->d_model) : POSENC_OK;
  return status == POSENC_OK ? NULL : posenc_status_string(status);
}

static void end(void *data, shim_run *run)
{
  const threads_case *c = data;
  if (c->alone)
    shim_void(run, "the second thread could not be started");
  bench_wrote(run, c->shape->positions, c->shape->d_model, POSENC_F32);
}

static void release(void *data)
{
  threads_case *c = data;
  posenc_plan_destroy(c->plan);
  free(c);
}

static void register_one(const char *name, const char *who, posenc_plan *plan, const bench_limit *l, const bench_shape *shape, int64_t offset)
{
  threads_case *c = must_calloc(1, sizeof *c);
  *c = (threads_case){.shape = shape, .plan = plan, .l = l, .offset = offset};
  shim_register(&(shim_case){
      .name = name, .data = c, .begin = begin, .pass = pass, .end = end, .release = release, .wall = true, .who = who});
}

/* Those this process may use: a machine's others are of no help to it. */
static int cpus(void)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : THREADS;
}

void bench_register_threads(const bench_offset *at)
{
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
