/* fill/<implementation>/float32/n:<positions>/d:<d_model>: posenc_fill as a program calls it, with a plan that is made
 * once, in the same memory again and again. fill/.../uncached: in memory that is in no cache, as most tables are filled,
 * which are made once. */
#include "../../verify/tools/machine.h"
#include "../limits/limits.h"
#include "cases.h"

#include <string.h>

enum { IN_MEMORY = 1 << 28 }; /* bytes; a larger table is in no cache */

static posenc_status fill(const bench_case *c) {
  return posenc_fill(c->plan, c->origin + c->first, c->count, bench_row(c), c->columns);
}

bench_case bench_table(const posenc_impl *impl, const bench_shape *shape, const posenc_spec *spec) {
  return (bench_case){.call = "fill",
      .variant = shape->uncached ? "uncached" : NULL,
      .dtype = (posenc_dtype)spec->dtype,
      .rows = shape->positions,
      .columns = shape->d_model,
      .uncached = shape->uncached,
      .in_blocks = true,
      .write = fill,
      .impl = impl,
      .spec = spec};
}

static void register_fill(const posenc_impl *impl, const bench_shape *shape, const bench_offset *at) {
  const posenc_spec spec = bench_spec(shape);
  const bench_case table = bench_table(impl, shape, &spec);
  bench_register_table(&table, at);
}

/* The families that are measured without --all-cases in tables larger than every cache, whose passes take long: ours,
 * and the fastest float32 recipe and the fastest float64 one. */
static bool wanted_in_memory(const posenc_impl *impl) {
  static const char *const families[] = {"exact", "anchored", "sleef_u35", "sleef_f64"};
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (strcmp(impl->family, families[i]) == 0)
      return true;
  return false;
}

void bench_register_fills(const bench_shape *shape, bool all, const bench_offset *at) {
  const bool in_memory = bench_shape_bytes(shape, POSENC_DTYPE_F32) >= IN_MEMORY;
  const posenc_impl *impl;
  bench_register_limits(shape, POSENC_DTYPE_F32, at);
  for (size_t i = 0; (impl = bench_impl(i, POSENC_DTYPE_F32, true)); i++)
    if (all || !in_memory || wanted_in_memory(impl))
      register_fill(impl, shape, at);
}

void bench_register_uncached(bool all, const bench_offset *at) {
  static const bench_shape shape = {
      .name = "uncached", .positions = 5000, .d_model = 512, .base = 10000.0, .uncached = true};
  const posenc_impl *impl;
  bench_register_limits(&shape, POSENC_DTYPE_F32, at);
  for (size_t i = 0; (impl = bench_impl(i, POSENC_DTYPE_F32, all)); i++)
    register_fill(impl, &shape, at);
}

/* Of a larger table only the first rows are measured. So many bytes exceed every cache. */
static const int64_t MOST_BYTES = INT64_C(1) << 30;

void bench_register_one(const spec_options *options, const bench_offset *at) {
  static bench_shape shape = {.name = "one", .who = "the table of the options"};
  const posenc_dtype dtype = (posenc_dtype)options->spec.dtype;
  const int64_t row_bytes = options->spec.d_model * (int64_t)posenc_dtype_size(dtype);
  const int64_t available = machine_available_memory() / 2; /* 0: not known */
  const int64_t fit = (available > 0 && available < MOST_BYTES ? available : MOST_BYTES) / row_bytes;
  shape.d_model = options->spec.d_model;
  shape.base = options->spec.base;
  shape.positions = options->to - options->from;
  if (fit > 0 && shape.positions > fit)
    shape.positions = fit;
  const posenc_impl *impl;
  bench_register_limits(&shape, dtype, at);
  for (size_t i = 0; (impl = bench_impl(i, dtype, true)); i++) {
    bench_case table = bench_table(impl, &shape, &options->spec);
    table.origin = options->from;
    table.end = options->from ? options->from + shape.positions : 0;
    bench_register_table(&table, at);
  }
}
