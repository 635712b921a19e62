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
static posenc_status fill_pair(const bench_case *c) {
  const int64_t n = c->columns / 2, row_bytes = n * (int64_t)posenc_dtype_size(c->dtype);
  char *sines = (char *)c->out + c->first * row_bytes;
  char *cosines = sines + bench_to_next((size_t)(c->table_rows * row_bytes));
  return posenc_fill_pair(c->plan, c->first, c->count, sines, cosines, n);
}

static posenc_status fill_at_real(const bench_case *c) {
  return posenc_fill_at_real(c->plan, (const double *)c->data + c->first, c->count, bench_row(c), c->columns);
}

/* Tables in other dtypes, presets and functions. */
static const struct other {
  const char *shape;
  posenc_dtype dtype;
  bool always; /* without --all-cases too, but only for exact and anchored */
  const char *preset, *call;
  posenc_status (*write)(const bench_case *c);
} others[] = {
    {"long", POSENC_DTYPE_BF16, true, NULL, "fill", NULL},
    {"transformer", POSENC_DTYPE_BF16, false, NULL, "fill", NULL},
    {"transformer", POSENC_DTYPE_F16, false, NULL, "fill", NULL},
    {"transformer", POSENC_DTYPE_F64, false, NULL, "fill", NULL},
    {"whisper", POSENC_DTYPE_F32, false, "whisper", "fill", NULL},
    {"llama3", POSENC_DTYPE_F32, false, "rope", "fill_pair", fill_pair},
    {"diffusion", POSENC_DTYPE_F32, false, "guided_diffusion", "fill_at_real", fill_at_real},
};

/* Random numbers of 53 bits between 0 and n, as training draws timesteps; the same in every run. */
static double *real_positions(int64_t n) {
  double *positions = must_calloc(n, sizeof *positions);
  uint64_t state = 1;
  for (int64_t i = 0; i < n; i++)
    positions[i] = real_between(&state, 0, (double)n);
  return positions;
}

static void register_other(const struct other *o, const bench_shape *shape, bool all, const bench_offset *at) {
  char name[64], message[256];
  posenc_spec spec = bench_spec(shape);
  if (o->preset && posenc_spec_init(&spec, shape->d_model, o->preset) != POSENC_OK) {
    posenc_last_error(message, sizeof message);
    bench_skip(o->preset, message);
    return;
  }
  spec.base = shape->base;
  spec.dtype = (int32_t)o->dtype;
  if (at->bytes % (int64_t)posenc_dtype_size(o->dtype) != 0) {
    snprintf(name, sizeof name, "fill/*/%s/*%s", dtype_name((int32_t)o->dtype), at->suffix);
    snprintf(message, sizeof message, "elements of this dtype cannot start at %d modulo 64", (int)at->bytes);
    bench_skip(name, message);
    return;
  }
  if (o->dtype != POSENC_DTYPE_F32)
    bench_register_limits(shape, o->dtype, at);
  const size_t half = bench_shape_bytes(shape, o->dtype) / 2;
  const posenc_impl *impl;
  for (size_t i = 0; (impl = bench_impl(i, o->dtype, all)); i++) {
    bench_case table = bench_table(impl, shape, &spec);
    table.call = o->call;
    table.variant = o->preset;
    table.write = o->write ? o->write : table.write;
    if (o->write == fill_pair)
      table.bytes = bench_to_next(half) + half;
    if (o->write == fill_at_real) {
      table.data = real_positions(shape->positions);
      table.destroy = free;
    }
    bench_register_table(&table, at);
  }
}

void bench_register_tables(const bench_shape *shape, bool all, const bench_offset *at) {
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (bench_shape_find(others[i].shape) == shape && (all || others[i].always))
      register_other(&others[i], shape, all, at);
}
