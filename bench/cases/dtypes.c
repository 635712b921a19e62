/* fill/<implementation>/<dtype>/n:<positions>/d:<d_model>: posenc_fill of the paper's table in other dtypes; and the limits, of as
 * many bytes. */
#include "../limits/limits.h"
#include "cases.h"

#include <stdio.h>
#include <string.h>

/* The float64 of `exact` is right and slow, by design: some rows of it are written (fill.c). */
static const struct row {
  const char *shape;
  posenc_dtype dtype;
  bool always; /* not among all cases only: two implementations, the others in all cases */
} rows[] = {
    {"long", POSENC_BF16, true},
    {"transformer", POSENC_BF16, false},
    {"transformer", POSENC_F16, false},
    {"transformer", POSENC_F64, false},
};

static void register_row(const struct row *r, const bench_shape *shape, bool all, const bench_offset *at)
{
  bench_table table = {"fill", "", shape, bench_spec(shape), NULL, NULL, bench_write_rows, 0};
  table.spec.dtype = (int32_t)r->dtype;
  if (at->bytes % (int64_t)posenc_dtype_size(r->dtype) != 0) {
    char name[64], reason[64];
    snprintf(name, sizeof name, "fill/*/%s/*%s", bench_dtype_name(r->dtype), at->suffix);
    snprintf(reason, sizeof reason, "no such element starts at %d modulo 64", (int)at->bytes);
    bench_skip(name, reason);
    return;
  }
  bench_register_limits(shape, r->dtype, at);
  for (size_t i = 0; i < posenc_impl_count(); i++) {
    const posenc_impl *impl = posenc_impl_at(i);
    if ((all || bench_is_main(impl)) && bench_runs(impl, r->dtype))
      bench_register_table(impl, &table, at);
  }
}

void bench_register_dtypes(const bench_shape *shape, bool all, const bench_offset *at)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].shape, shape->name) == 0 && (all || rows[i].always))
      register_row(&rows[i], shape, all, at);
}
