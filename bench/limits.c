/* limit/<kind>/w:<bytes>/n:<positions>/d:<d_model>: whole passes over the same buffer the implementations fill; and
 * harness/nothing, what the harness itself costs per pass. */
#include "limits.h"

#include "bench.h"
#include "shim.h"

#include <stdio.h>
#include <stdlib.h>

/* Any values but zero do: converting costs the same. */
#define X4(v) v, v + 0x1p-9, v + 0x1p-10, v + 0x1p-11
#define X16(v) X4(v), X4(v + 0x1p-5), X4(v + 0x1p-6), X4(v + 0x1p-7)
#define X64(v) X16(v), X16(v + 0x1p-3), X16(v + 0x1p-4), X16(v + 0x1p-2)
#define X256(v) X64(v), X64(v), X64(v), X64(v)
_Alignas(64) const double limit_sin[LIMIT_PAIRS] = {X256(0.1)};
_Alignas(64) const double limit_cos[LIMIT_PAIRS] = {X256(0.3)};

typedef struct limit_case {
  const limit *l;
  float *out;
  size_t n;
} limit_case;

static const char *begin(void *data)
{
  limit_case *c = data;
  c->out = bench_buffer(c->n * sizeof(float));
  return c->out ? NULL : "no memory for the table";
}

static void pass(void *data)
{
  const limit_case *c = data;
  c->l->pass(c->out, c->n);
}

static void end(void *data, shim_run *run)
{
  const limit_case *c = data;
  shim_bytes(run, (int64_t)(c->n * sizeof(float)));
  shim_items(run, (int64_t)c->n);
}

void bench_register_limits(const bench_shape *shape)
{
  for (const limit *l = limits; l->name; l++) {
    char what[64], name[128];
    snprintf(what, sizeof what, "limit/%s", l->name);
    if (l->supported && !l->supported()) {
      char reason[64];
      snprintf(reason, sizeof reason, "this CPU lacks %s", l->needs);
      bench_leave_out(what, reason);
      continue;
    }
    limit_case *c = bench_alloc(sizeof *c);
    c->l = l;
    c->n = (size_t)(shape->positions * shape->d_model);
    shim_register(&(shim_case){bench_name(name, sizeof name, what, shape), c, begin, pass, end, free});
  }
}

static void nothing(void *data)
{
  (void)data;
}

void bench_register_harness(void)
{
  shim_register(&(shim_case){"harness/nothing/n:1/d:1", NULL, NULL, nothing, NULL, NULL});
}
