/* limit/<kind>/w:<bytes>/n:<positions>/d:<d_model>: whole passes over the memory that the implementations fill.
 * limit/<kind>/w:<bytes>/<dtype>/...: the same for the size of a table of this dtype. harness/clock: a pass of a fixed
 * number of cycles, whose time shows when the processor's clock changes. */
#include "limits.h"

#include <stdio.h>

static posenc_status store(const bench_work *w) {
  const bench_limit *l = w->what;
  l->pass(w->out, w->bytes / sizeof(float));
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
  const char *variant = shape->uncached ? "/uncached" : "";
  for (const bench_limit *l = limits; l->kind; l++) {
    if (!runs_here(l))
      continue;
    bench_register_work(&(bench_work){{NULL, NULL, dtype, shape->positions, shape->d_model}, store, .call = l->kind,
                            .variant = variant, .who = l->width, .uncached = shape->uncached, .what = l},
        at, "limit/%s/%s%s%s/" BENCH_SIZE "%s", l->kind, l->width, dtype == POSENC_DTYPE_F32 ? "" : "/",
        dtype == POSENC_DTYPE_F32 ? "" : dtype_name((int32_t)dtype), shape->positions, shape->d_model, variant);
  }
}

/* Takes the same number of cycles in every pass, since each multiplication waits for the one before. */
static void chain(void *data) {
  uint64_t x = *(uint64_t *)data;
  for (int i = 0; i < 10000; i++)
    x = x * UINT64_C(6364136223846793005) + 1;
  *(uint64_t *)data = x;
}

void bench_register_harness(void) {
  static uint64_t state = 1;
  shim_register(&(shim_case){.name = "harness/clock/n:1/d:1",
      .label = "harness clock float32",
      .positions = 1,
      .columns = 1,
      .offset = -1,
      .data = &state,
      .pass = chain});
}
