/* limit/<kind>/w:<bytes>/n:<positions>/d:<d_model>: whole passes over the memory that the implementations fill.
 * limit/<kind>/w:<bytes>/<dtype>/...: the same for the size of a table of this dtype. harness/clock: a pass of a fixed
 * number of cycles, whose time shows when the processor's clock changes. */
#include "limits.h"

#include <stdio.h>

static posenc_status store(const bench_case *c) {
  const bench_limit *l = c->writer;
  l->pass(c->out, c->bytes / sizeof(float));
  return POSENC_OK;
}

/* Returns whether the CPU has the instructions that the limit needs; if not, notes the limit as skipped. */
static bool runs_here(const bench_limit *l) {
  char what[64], reason[64];
  if (!l->supported || l->supported())
    return true;
  snprintf(what, sizeof what, "limit/%s/%s", l->kind, l->width);
  snprintf(reason, sizeof reason, "this CPU lacks %s", l->needs);
  bench_skip(what, reason);
  return false;
}

void bench_register_limits(const bench_shape *shape, posenc_dtype dtype, const bench_offset *at) {
  const bool other = dtype != POSENC_DTYPE_F32; /* float32 is not named */
  for (const bench_limit *l = limits; l->kind; l++) {
    if (!runs_here(l))
      continue;
    bench_register(&(bench_case){.call = l->kind,
                       .variant = shape->uncached ? "uncached" : NULL,
                       .who = l->width,
                       .dtype = dtype,
                       .rows = shape->positions,
                       .columns = shape->d_model,
                       .uncached = shape->uncached,
                       .write = store,
                       .writer = l},
        at, "limit/%s/%s%s%s/" BENCH_SIZE "%s", l->kind, l->width, other ? "/" : "",
        other ? dtype_name((int32_t)dtype) : "", shape->positions, shape->d_model, shape->uncached ? "/uncached" : "");
  }
}

/* Takes the same number of cycles in every pass, since each multiplication waits for the one before. */
static posenc_status multiply(const bench_case *c) {
  static volatile uint64_t result;
  uint64_t x = result;
  (void)c;
  for (int i = 0; i < 10000; i++)
    x = x * UINT64_C(6364136223846793005) + 1;
  result = x;
  return POSENC_OK;
}

void bench_register_harness(void) {
  bench_register(&(bench_case){.call = "harness", .who = "clock", .columns = 1, .table_rows = 1, .write = multiply},
      NULL, "harness/clock/n:1/d:1");
}
