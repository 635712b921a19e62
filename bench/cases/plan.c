/* plan/<implementation>/d:512: a plan made and destroyed again, in the memory that the plan before gave back, as in a
 * program that has run for a while; and the plans of all other cases. */
#include "cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void bench_each_impl(bench_for_impl *call, const bench_shape *shape, const bench_offset *at) {
  for (size_t i = 0; i < posenc_impl_count(); i++) {
    const posenc_impl *impl = posenc_impl_at(i);
    if (bench_runs(impl, POSENC_F32))
      call(impl, shape, at);
  }
}

bool bench_offers(const posenc_impl *impl, posenc_dtype dtype) {
  posenc_spec spec = posenc_spec_default(2);
  spec.dtype = (int32_t)dtype;
  return posenc_plan_check(&spec, impl->name, NULL, 0) != POSENC_ERROR_UNSUPPORTED;
}

bool bench_runs(const posenc_impl *impl, posenc_dtype dtype) {
  char name[96];
  if (!posenc_impl_supported(impl))
    bench_skip(impl->name, "this CPU lacks its instructions");
  snprintf(name, sizeof name, "%s/%s", impl->name, bench_dtype_name(dtype));
  return bench_offers(impl, dtype) && !bench_skipped(impl->name) && !bench_skipped(name);
}

bool bench_is_main(const posenc_impl *impl) {
  return impl == posenc_impl_find(NULL) || impl == posenc_impl_find("anchored");
}

posenc_plan *bench_plan(const char *case_name, const posenc_impl *impl, const posenc_spec *spec) {
  char message[256];
  if (posenc_plan_check(spec, impl->name, message, sizeof message) != POSENC_OK) {
    bench_skip(case_name, message);
    return NULL;
  }
  posenc_plan *plan;
  const posenc_status status = posenc_plan_create(&plan, spec, impl->name);
  if (status != POSENC_OK)
    bench_skip(case_name, posenc_status_string(status));
  return plan; /* NULL on error */
}

typedef struct plan_case {
  posenc_spec spec;
  const char *impl;
  posenc_status status; /* of the last pass */
} plan_case;

static void pass(void *data) {
  plan_case *p = data;
  posenc_plan *plan;
  p->status = posenc_plan_create(&plan, &p->spec, p->impl);
  posenc_plan_destroy(plan);
}

static void end(void *data, shim_run *run) {
  const plan_case *p = data;
  if (p->status != POSENC_OK)
    shim_void(run, posenc_status_string(p->status));
}

static void register_one(const posenc_impl *impl, const bench_shape *shape, const bench_offset *at) {
  (void)at; /* a plan has no output */
  char name[128];
  snprintf(name, sizeof name, "plan/%s/d:%" PRId64, impl->name, shape->d_model);
  const posenc_spec spec = bench_spec(shape);
  posenc_plan *plan = bench_plan(name, impl, &spec);
  if (!plan)
    return;
  posenc_plan_destroy(plan);
  plan_case *p = must_calloc(1, sizeof *p);
  *p = (plan_case){.spec = spec, .impl = impl->name};
  shim_register(&(shim_case){.name = name, .data = p, .pass = pass, .end = end, .release = free, .who = impl->name});
}

void bench_register_plans(void) {
  bench_each_impl(register_one, bench_shape_find("l2", NULL), NULL); /* its d_model is the one wanted */
}
