/* loop/<implementation>/f32/...: a loop written by hand around SLEEF, for the implementation of that name to be held
 * against; f32 is what it writes. On one shape: it is a check of our rows, not a peer. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#if POSENC_WITH_SLEEF
#include "sleef_loop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
  const char *impl;
  sleef_loop_f32 *f32; /* one of the two is NULL */
  sleef_loop_f64 *f64;
} row;

#define ROWS(isa)                                                                                                   \
  {"sleef_" #isa, sleef_loop_##isa##_u10, NULL}, {"sleef_" #isa "_u35", sleef_loop_##isa##_u35, NULL},               \
      {"sleef_f64_" #isa, NULL, sleef_loop_##isa##_f64},

static const row rows[] = {
#if defined(__aarch64__)
    ROWS(neon)
#else
    ROWS(avx512) ROWS(avx2)
#endif
};

typedef struct loop_case {
  const bench_shape *shape;
  const row *row;
  float *w32; /* frequencies, in the one precision that the loop takes */
  double *w64;
  int64_t offset;
  float *out;
} loop_case;

static const char *begin(void *data)
{
  loop_case *c = data;
  c->out = bench_buffer(bench_shape_bytes(c->shape, POSENC_F32), c->offset);
  return c->out ? NULL : "no memory for the table";
}

static void pass(void *data)
{
  const loop_case *c = data;
  const int64_t pairs = c->shape->d_model / 2;
  if (c->row->f64)
    c->row->f64(c->w64, pairs, c->shape->positions, c->out);
  else
    c->row->f32(c->w32, pairs, c->shape->positions, c->out);
}

static void end(void *data, shim_run *run)
{
  const loop_case *c = data;
  bench_wrote(run, c->shape->positions, c->shape->d_model, POSENC_F32);
}

static void release(void *data)
{
  loop_case *c = data;
  free(c->w32);
  free(c->w64);
  free(c);
}

static void register_one(const row *r, const bench_shape *shape, const bench_place *place)
{
  char what[96], name[160];
  const int64_t pairs = shape->d_model / 2;
  loop_case *c = bench_alloc(sizeof *c);
  c->shape = shape;
  c->offset = place->offset;
  c->row = r;
  if (r->f64)
    c->w64 = bench_alloc((size_t)pairs * sizeof *c->w64);
  else
    c->w32 = bench_alloc((size_t)pairs * sizeof *c->w32);
  for (int64_t k = 0; k < pairs; k++) {
    if (r->f64)
      c->w64[k] = pow(shape->base, -(double)k / (double)pairs);
    else
      c->w32[k] = expf((float)k * (float)(-log(shape->base) / (double)pairs));
  }
  snprintf(what, sizeof what, "loop/%s/f32", r->impl);
  bench_name(name, sizeof name, what, shape, place);
  shim_register(&(shim_case){.name = name, .data = c, .begin = begin, .pass = pass, .end = end, .release = release});
}

void bench_register_loops(const bench_shape *shape, const bench_place *place)
{
  if (strcmp(shape->name, "transformer") != 0)
    return;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const posenc_impl *impl = posenc_impl_find(rows[i].impl);
    if (impl && bench_runs(impl, POSENC_F32))
      register_one(&rows[i], shape, place);
  }
}

#else

void bench_register_loops(const bench_shape *shape, const bench_place *place)
{
  (void)shape;
  (void)place;
}

#endif
