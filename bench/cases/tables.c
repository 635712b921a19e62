/* Tables in other dtypes than float32, and tables of presets whose layout or function differs from the paper's:
 *
 *   fill/<implementation>/bfloat16/n:131072/d:1024                       and limits of the same size
 *   fill/<implementation>/float32/n:1500/d:1280/whisper                  sines, then cosines
 *   fill_pair/<implementation>/float32/n:131072/d:128/rope               sines and cosines in two arrays: rotary caches
 *   fill_at_real/<implementation>/float32/n:1000/d:320/guided_diffusion  real positions, as timesteps have
 *
 * The limits of float32 tables are registered with the shape.
 */
#include "../limits/limits.h"
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../verify/tools/random.h"

/* Writes two arrays, the second behind the first. */
static posenc_status write_pair(
    const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table) {
  const int64_t n = t->shape->d_model / 2, row_bytes = n * (int64_t)posenc_dtype_size((posenc_dtype)t->spec.dtype);
  char *sines = (char *)table + first * row_bytes;
  char *cosines = sines + bench_to_next((size_t)(t->shape->positions * row_bytes));
  return posenc_fill_pair(plan, first, count, sines, cosines, n);
}

static posenc_status write_real(
    const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table) {
  const int64_t d = t->shape->d_model, row_bytes = d * (int64_t)posenc_dtype_size((posenc_dtype)t->spec.dtype);
  return posenc_fill_at_real(plan, (const double *)t->self + first, count, (char *)table + first * row_bytes, d);
}

/* Tables in other dtypes, presets and functions. */
static const struct row {
  const char *shape;
  posenc_dtype dtype;
  bool always; /* without --all-cases too, but only for exact and anchored */
  const char *preset, *call, *variant;
  posenc_status (*write)(const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table);
} rows[] = {
    {"long", POSENC_DTYPE_BF16, true, NULL, "fill", NULL, NULL},
    {"transformer", POSENC_DTYPE_BF16, false, NULL, "fill", NULL, NULL},
    {"transformer", POSENC_DTYPE_F16, false, NULL, "fill", NULL, NULL},
    {"transformer", POSENC_DTYPE_F64, false, NULL, "fill", NULL, NULL},
    {"whisper", POSENC_DTYPE_F32, false, "whisper", "fill", "/whisper", NULL},
    {"llama3", POSENC_DTYPE_F32, false, "rope", "fill_pair", "/rope", write_pair},
    {"diffusion", POSENC_DTYPE_F32, false, "guided_diffusion", "fill_at_real", "/guided_diffusion", write_real},
};

/* Random numbers of 53 bits between 0 and n, as training draws timesteps; the same in every run. */
static double *real_positions(int64_t n) {
  double *positions = must_calloc(n, sizeof *positions);
  uint64_t state = 1;
  for (int64_t i = 0; i < n; i++)
    positions[i] = real_between(&state, 0, (double)n);
  return positions;
}

static void register_row(const struct row *r, const bench_shape *shape, bool all, const bench_offset *at) {
  bench_table table = {
      .call = r->call, .variant = r->variant, .shape = shape, .spec = bench_spec(shape), .write = r->write};
  char name[64], message[256];
  if (r->preset && posenc_spec_init(&table.spec, shape->d_model, r->preset) != POSENC_OK) {
    posenc_last_error(message, sizeof message);
    bench_skip(r->preset, message);
    return;
  }
  table.spec.base = shape->base;
  table.spec.dtype = (int32_t)r->dtype;
  if (at->bytes % (int64_t)posenc_dtype_size(r->dtype) != 0) {
    snprintf(name, sizeof name, "fill/*/%s/*%s", dtype_name((int32_t)r->dtype), at->suffix);
    snprintf(message, sizeof message, "elements of this dtype cannot start at %d modulo 64", (int)at->bytes);
    bench_skip(name, message);
    return;
  }
  if (r->dtype != POSENC_DTYPE_F32)
    bench_register_limits(shape, r->dtype, at);
  const posenc_impl *impl;
  for (size_t i = 0; (impl = bench_impl(i, r->dtype, all)); i++) {
    if (r->write == write_real) {
      table.self = real_positions(shape->positions);
      table.destroy = free;
    }
    bench_register_table(&table, impl, at);
  }
}

void bench_register_tables(const bench_shape *shape, bool all, const bench_offset *at) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (bench_shape_find(rows[i].shape) == shape && (all || rows[i].always))
      register_row(&rows[i], shape, all, at);
}
