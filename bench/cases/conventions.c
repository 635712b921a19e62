/* Tables that are laid out otherwise than the paper's, or called for otherwise, by presets, in float32:
 *
 *   fill/<implementation>/f32/n:1500/d:1280/whisper                  sines, then cosines
 *   fill_pair/<implementation>/f32/n:131072/d:128/rope               sines and cosines in two arrays, as rotary caches
 *   fill_at_real/<implementation>/f32/n:1000/d:320/guided_diffusion  real positions, of timesteps
 *
 * Their limits are those of the shape.
 */
#include "cases.h"

#include <string.h>

/* Two arrays, the second behind the first. */
static posenc_status write_pair(const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table)
{
  const int64_t n = t->shape->d_model / 2;
  const size_t bytes = (size_t)(t->shape->positions * n) * sizeof(float);
  float *sines = table, *cosines = (float *)(void *)((char *)table + bench_to_next(bytes));
  return posenc_fill_pair(plan, first, count, sines + first * n, cosines + first * n, n);
}

static posenc_status write_real(const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table)
{
  const int64_t d = t->shape->d_model;
  return posenc_fill_at_real(plan, (const double *)t->data + first, count, (float *)table + first * d, d);
}

static const struct row {
  const char *shape, *preset, *function, *kind;
  posenc_status (*write)(const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table);
} rows[] = {
    {"whisper", "whisper", "fill", "/whisper", bench_write_rows},
    {"llama3", "rope", "fill_pair", "/rope", write_pair},
    {"diffusion", "guided_diffusion", "fill_at_real", "/guided_diffusion", write_real},
};

/* Numbers of 53 random bits between 0 and n, the same in every run: timesteps as training draws them. Kept to the end; all tables
 * of write_real have as many rows. */
static double *real_positions(int64_t n)
{
  static double *positions;
  uint64_t state = 1;
  if (positions)
    return positions;
  positions = must_calloc((int64_t)(size_t)n, sizeof *positions);
  for (int64_t i = 0; i < n; i++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    positions[i] = (double)(state >> 11) * 0x1p-53 * (double)n;
  }
  return positions;
}

void bench_register_conventions(const bench_shape *shape, const bench_offset *at)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct row *r = &rows[i];
    if (strcmp(r->shape, shape->name) != 0)
      continue;
    bench_table table = {r->function, r->kind, shape, {0}, NULL, NULL, r->write, 0};
    char message[256];
    if (posenc_spec_preset_check(r->preset, shape->d_model, message, sizeof message) != POSENC_OK) {
      bench_skip(r->preset, message);
      continue;
    }
    posenc_spec_preset(r->preset, shape->d_model, &table.spec);
    table.spec.base = shape->base;
    if (r->write == write_real)
      table.data = real_positions(shape->positions);
    for (size_t j = 0; j < posenc_impl_count(); j++)
      if (bench_runs(posenc_impl_at(j), POSENC_F32))
        bench_register_table(posenc_impl_at(j), &table, at);
  }
}
