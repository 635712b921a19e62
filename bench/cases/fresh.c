/* fresh/<how>/n:131072/d:1024: a large table in fresh memory, which is freed again; wall time, default implementation.
 * The system has to find and clear the pages, which costs more than the table.
 *
 *   table_create   posenc_table_create, posenc_table_destroy
 *   malloc_fill    malloc, posenc_fill, free; for more than 32 MiB glibc maps new memory in every call and unmaps it in
 *                  free(), whatever mallopt() sets for smaller sizes
 */
#include "cases.h"

#include <stdlib.h>

static posenc_status table_create(const bench_work *w) {
  void *table;
  const posenc_status status = posenc_table_create(&table, w->plan, 0, w->rows.n, w->rows.d_model);
  posenc_table_destroy(table);
  return status;
}

static posenc_status malloc_fill(const bench_work *w) {
  float *table = malloc((size_t)(w->rows.n * w->rows.d_model) * sizeof(float));
  const posenc_status status = table ? posenc_fill(w->plan, 0, w->rows.n, table, w->rows.d_model) : POSENC_ERROR_MEMORY;
  free(table);
  return status;
}

static void register_fresh(const char *how, posenc_status (*write)(const bench_work *)) {
  const bench_shape *shape = bench_shape_find("long");
  const posenc_impl *impl = posenc_impl_find(NULL);
  const posenc_spec spec = bench_spec(shape);
  if (bench_runs(impl, POSENC_DTYPE_F32))
    bench_register_work(&(bench_work){{impl, &spec, POSENC_DTYPE_F32, shape->positions, shape->d_model}, write,
                            .call = "fresh", .who = how, .wall = true, .own_memory = true},
        NULL, "fresh/%s/" BENCH_SIZE, how, shape->positions, shape->d_model);
  else
    bench_skip("fresh", "the default implementation is skipped");
}

void bench_register_fresh(void) {
  register_fresh("table_create", table_create);
  register_fresh("malloc_fill", malloc_fill);
}
