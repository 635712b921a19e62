/* fresh/<how>/n:131072/d:1024: a large table in fresh memory, which is freed again; wall time, default implementation.
 * The system has to find and clear the pages, which costs more than the table.
 *
 *   table_create   posenc_table_create, posenc_table_destroy
 *   malloc_fill    malloc, posenc_fill, free; for more than 32 MiB glibc maps new memory in every call and unmaps it in
 *                  free(), whatever mallopt() sets for smaller sizes
 */
#include "cases.h"

#include <stdlib.h>

static posenc_status table_create(const bench_case *c) {
  void *table;
  const posenc_status status = posenc_table_create(&table, c->plan, 0, c->rows, c->columns);
  posenc_table_destroy(table);
  return status;
}

static posenc_status malloc_fill(const bench_case *c) {
  float *table = malloc((size_t)(c->rows * c->columns) * sizeof(float));
  const posenc_status status = table ? posenc_fill(c->plan, 0, c->rows, table, c->columns) : POSENC_ERROR_MEMORY;
  free(table);
  return status;
}

static void register_fresh(const char *how, posenc_status (*write)(const bench_case *)) {
  const bench_shape *shape = bench_shape_find("long");
  const posenc_spec spec = bench_spec(shape);
  bench_case table = bench_table(posenc_impl_find(NULL), shape, &spec);
  table.call = "fresh";
  table.who = how;
  table.wall = true;
  table.in_blocks = false;
  table.write = write;
  if (bench_runs(table.impl, POSENC_DTYPE_F32))
    bench_register(&table, NULL, "fresh/%s/" BENCH_SIZE, how, shape->positions, shape->d_model);
  else
    bench_skip("fresh", "the default implementation is skipped");
}

void bench_register_fresh(void) {
  register_fresh("table_create", table_create);
  register_fresh("malloc_fill", malloc_fill);
}
