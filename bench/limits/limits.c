/* limit/<kind>/w:<bytes>/n:<positions>/d:<d_model>: whole passes over the same buffer the implementations fill;
 * limit/<kind>/w:<bytes>/<dtype>/...: as many bytes as tables of that dtype have; harness/nothing, what the harness
 * itself costs per pass; and harness/clock, whose time changes when the processor's clock does. */
#include "limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Any values but zero do: converting costs the same. */
#define X4(v) (v), (v) + 0x1p-9, (v) + 0x1p-10, (v) + 0x1p-11
#define X16(v) X4(v), X4((v) + 0x1p-5), X4((v) + 0x1p-6), X4((v) + 0x1p-7)
#define X64(v) X16(v), X16((v) + 0x1p-3), X16((v) + 0x1p-4), X16((v) + 0x1p-2)
#define X256(v) X64(v), X64(v), X64(v), X64(v)
_Alignas(64) const double limit_sin[LIMIT_PAIRS] = {X256(0.1)};
_Alignas(64) const double limit_cos[LIMIT_PAIRS] = {X256(0.3)};

typedef struct limit_case {
  const bench_limit *l;
  const bench_shape *shape;
  posenc_dtype dtype; /* whose table's bytes are written: as floats, which the stores do not know */
  int64_t offset;
  float *out;
} limit_case;

static const char *begin(void *data) {
  limit_case *c = data;
  c->out = bench_buffer(bench_shape_bytes(c->shape, c->dtype), c->offset);
  return c->out ? NULL : "no memory for the table";
}

static void pass(void *data) {
  const limit_case *c = data;
  c->l->pass(c->out, bench_shape_bytes(c->shape, c->dtype) / sizeof(float));
}

static void end(void *data, shim_run *run) {
  const limit_case *c = data;
  bench_wrote(run, c->shape->positions, c->shape->d_model, c->dtype);
}

bool limit_runs_here(const bench_limit *l) {
  char what[64], reason[64];
  if (!l->supported || l->supported())
    return true;
  snprintf(what, sizeof what, "limit/%s", l->name);
  snprintf(reason, sizeof reason, "this CPU lacks %s", l->needs);
  bench_skip(what, reason);
  return false;
}

void bench_each_limit(
    const bench_shape *shape, posenc_dtype dtype, const bench_offset *at, bench_take_case *take, void *data) {
  for (const bench_limit *l = limits; l->name; l++) {
    const bool converts = strncmp(l->name, "convert", 7) == 0; /* to float32 */
    if (!limit_runs_here(l) || (converts && dtype != POSENC_F32))
      continue;
    char what[64], name[160];
    snprintf(what, sizeof what, "limit/%s", l->name);
    if (dtype != POSENC_F32)
      snprintf(what, sizeof what, "limit/%s/%s", l->name, bench_dtype_name(dtype));
    bench_name(name, sizeof name, what, shape, at);
    limit_case *c = must_calloc(1, sizeof *c);
    *c = (limit_case){.l = l, .shape = shape, .dtype = dtype, .offset = at->bytes};
    take(data, &(shim_case){.name = name, .data = c, .begin = begin, .pass = pass, .end = end, .release = free});
  }
}

static void register_case(void *data, const shim_case *c) {
  (void)data;
  shim_register(c);
}

void bench_register_limits(const bench_shape *shape, posenc_dtype dtype, const bench_offset *at) {
  bench_each_limit(shape, dtype, at, register_case, NULL);
}

static void nothing(void *data) { (void)data; }

/* As many cycles in every pass, whatever else the machine does: each multiplication waits for the one before. */
static void chain(void *data) {
  uint64_t x = *(uint64_t *)data;
  for (int i = 0; i < 10000; i++)
    x = x * UINT64_C(6364136223846793005) + 1;
  *(uint64_t *)data = x;
}

void bench_register_harness(void) {
  static uint64_t state = 1;
  shim_register(&(shim_case){.name = "harness/clock/n:1/d:1", .data = &state, .pass = chain});
  shim_register(&(shim_case){.name = "harness/nothing/n:1/d:1", .pass = nothing});
}
