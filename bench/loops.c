/* loop/<implementation>/f32/...: a loop written by hand around SLEEF, for the implementation of that name to be held
 * against. On one shape: it is a check of our rows, not a peer. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#if POSENC_WITH_SLEEF && defined(__x86_64__)
#include "posenc.h"
#include "shim.h"
#include "sleef_loop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *impl;
  sleef_loop *loop;
} loops[] = {
    {"sleef_avx512", sleef_loop_avx512_u10},
    {"sleef_avx512_u35", sleef_loop_avx512_u35},
    {"sleef_avx2", sleef_loop_avx2_u10},
    {"sleef_avx2_u35", sleef_loop_avx2_u35},
};

typedef struct loop_case {
  const bench_shape *shape;
  sleef_loop *loop;
  float *w, *out;
} loop_case;

static size_t bytes(const bench_shape *shape)
{
  return (size_t)(shape->positions * shape->d_model) * sizeof(float);
}

static const char *begin(void *data)
{
  loop_case *c = data;
  c->out = bench_buffer(bytes(c->shape));
  return c->out ? NULL : "no memory for the table";
}

static void pass(void *data)
{
  const loop_case *c = data;
  c->loop(c->w, c->shape->d_model / 2, c->shape->positions, c->out);
}

static void end(void *data, shim_run *run)
{
  const loop_case *c = data;
  shim_bytes(run, (int64_t)bytes(c->shape));
  shim_items(run, c->shape->positions * c->shape->d_model);
  shim_counter(run, "rows", (double)c->shape->positions);
}

static void release(void *data)
{
  loop_case *c = data;
  free(c->w);
  free(c);
}

static void register_one(size_t i, const bench_shape *shape)
{
  char what[96], name[160];
  const int64_t pairs = shape->d_model / 2;
  loop_case *c = bench_alloc(sizeof *c);
  c->shape = shape;
  c->loop = loops[i].loop;
  c->w = bench_alloc((size_t)pairs * sizeof(float));
  for (int64_t k = 0; k < pairs; k++)
    c->w[k] = expf((float)k * (float)(-log(shape->base) / (double)pairs));
  snprintf(what, sizeof what, "loop/%s/f32", loops[i].impl);
  shim_register(&(shim_case){bench_name(name, sizeof name, what, shape), c, begin, pass, end, release});
}

void bench_register_loops(const bench_shape *shape)
{
  if (strcmp(shape->name, "transformer") != 0)
    return;
  for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
    const posenc_impl *impl = posenc_impl_find(loops[i].impl);
    if (impl && posenc_impl_supported(impl) && !bench_left_out(impl->name))
      register_one(i, shape);
  }
}

#else

void bench_register_loops(const bench_shape *shape)
{
  (void)shape;
}

#endif
