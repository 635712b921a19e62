/* Selects the implementations that run. Registers plan/<implementation>/d:512, which makes a plan and destroys it, in
 * the memory that the previous plan freed, as in a program that has run for a while. */
#include "cases.h"

#include <stdio.h>

bool bench_runs(const posenc_impl *impl, posenc_dtype dtype) {
  char name[96];
  if (!posenc_impl_supported(impl))
    bench_skip(impl->name, "this CPU lacks its instructions");
  snprintf(name, sizeof name, "%s/%s", impl->name, dtype_name((int32_t)dtype));
  return offers(impl, (int32_t)dtype) && !bench_skipped(impl->name) && !bench_skipped(name);
}

const posenc_impl *bench_impl(size_t i, posenc_dtype dtype, bool all) {
  for (size_t j = 0; j < posenc_impl_count(); j++) {
    const posenc_impl *impl = posenc_impl_by_index(j);
    const bool wanted = all || impl == posenc_impl_find(NULL) || impl == posenc_impl_find("anchored");
    if (wanted && bench_runs(impl, dtype) && i-- == 0)
      return impl;
  }
  return NULL;
}

static posenc_status make_plan(const bench_case *c) {
  const posenc_spec spec = paper_spec(c->columns);
  posenc_plan *plan;
  const posenc_status status = posenc_plan_create(&plan, &spec, c->impl->name);
  posenc_plan_destroy(plan);
  return status;
}

void bench_register_plans(void) {
  const posenc_impl *impl;
  for (size_t i = 0; (impl = bench_impl(i, POSENC_DTYPE_F32, true)); i++)
    bench_register(&(bench_case){.call = "plan", .columns = 512, .table_rows = 1, .write = make_plan, .impl = impl},
        NULL, "plan/%s/d:512", impl->name);
}
