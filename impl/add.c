/* out = round(round(s x) + PE): a tile of the table at a time, put in the order of its columns, then added to the rows of each of
 * the batch while it is in L1.
 */
#include "arrange.h"
#include "check.h"
#include "fpstate.h"

#include <string.h>

typedef struct job {
  const posenc_plan *plan;
  posenc_columns columns;
  const unsigned char *x;
  unsigned char *out;
  posenc_strides x_strides, out_strides;
  int64_t batch, size;
  float scale;
} job;

/* No element of out is read after it was written, in place too: ivdep. Each operation is rounded, as nothing is contracted. */
static void add_f32(const float *x, const float *pe, float scale, int64_t n, float *out)
{
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++)
    out[i] = scale * x[i] + pe[i];
}

static inline float of_bf16(uint16_t a)
{
  const uint32_t bits = (uint32_t)a << 16;
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

/* The nearest, ties to even; a NaN stays one. */
static inline uint16_t to_bf16(float f)
{
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  const uint32_t nearest = (bits + 0x7fff + (bits >> 16 & 1)) >> 16, quiet = bits >> 16 | 0x40;
  return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? quiet : nearest);
}

static void add_bf16(const uint16_t *x, const uint16_t *pe, float scale, int64_t n, uint16_t *out)
{
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++)
    out[i] = to_bf16(of_bf16(to_bf16(scale * of_bf16(x[i]))) + of_bf16(pe[i]));
}

/* Columns column .. column+n-1 of the tile's rows, which are at `at` in each of them, in all of the batch. */
static void add_columns(const job *j, const posenc_tile *tile, int64_t at, int64_t column, int64_t n)
{
  for (int64_t b = 0; b < j->batch; b++)
    for (int64_t i = 0; i < tile->rows; i++) {
      const int64_t row = tile->row + i;
      const void *pe = tile->values + (i * tile->stride + at) * j->size;
      const void *x = j->x + (b * j->x_strides.batch + row * j->x_strides.row + column) * j->size;
      void *out = j->out + (b * j->out_strides.batch + row * j->out_strides.row + column) * j->size;
      if (j->plan->spec.dtype == POSENC_F32)
        add_f32(x, pe, j->scale, n, out);
      else
        add_bf16(x, pe, j->scale, n, out);
    }
}

static void use(const posenc_tile *tile, const void *context)
{
  const job *j = context;
  const posenc_columns *c = &j->columns;
  const int64_t k = tile->k, pairs = tile->pairs, size = j->size;
  const int64_t sines = c->n_sines - k < pairs ? c->n_sines - k : pairs, cosines = c->n_cosines - k < pairs ? c->n_cosines - k : pairs;
  const int64_t sines_at = c->step == 1 ? 0 : c->sines, cosines_at = c->step == 1 ? pairs : c->cosines;
  for (int64_t i = 0; i < tile->rows && !(c->step == 2 && c->sines == 0); i++) {
    unsigned char row[2 * POSENC_TILE_PAIRS * sizeof(float)];
    posenc_place(tile, i, c, size, row + sines_at * size, row + cosines_at * size);
    memcpy(tile->values + i * tile->stride * size, row, (size_t)(2 * pairs * size));
  }
  if (c->step == 2) {
    add_columns(j, tile, 0, 2 * k, sines + cosines);
  } else {
    add_columns(j, tile, sines_at, c->sines + k, sines);
    add_columns(j, tile, cosines_at, c->cosines + k, cosines);
  }
}

__attribute__((noinline)) static void add_all(const job *j, const posenc_rows *rows)
{
  const float zero = 0.0f;
  posenc_tiles(j->plan, rows, use, j);
  posenc_tile one = {.rows = 1, .values = (unsigned char *)(uintptr_t)&zero};
  for (; j->columns.zero >= 0 && one.row < rows->count; one.row++)
    add_columns(j, &one, 0, j->columns.zero, 1);
}

posenc_status posenc_add_batch(const posenc_plan *plan, int64_t first, int64_t count, int64_t batch, const void *x,
                               posenc_strides x_strides, double scale, void *out, posenc_strides out_strides)
{
  const posenc_status status =
      posenc_add_batch_check(plan, first, count, batch, x, x_strides, scale, out, out_strides, NULL, 0);
  if (status != POSENC_OK || count == 0 || batch == 0)
    return status;
  const job j = {plan,  posenc_columns_of(&plan->spec),
                 x,     out,
                 x_strides, out_strides,
                 batch, (int64_t)posenc_dtype_size((posenc_dtype)plan->spec.dtype),
                 (float)scale};
  const posenc_rows rows = {.first = first, .count = count};
  const posenc_fpstate caller = posenc_fp_enter();
  add_all(&j, &rows);
  posenc_fp_leave(caller);
  return POSENC_OK;
}

posenc_status posenc_add(const posenc_plan *plan, int64_t first, int64_t count, const void *x, int64_t x_stride, double scale,
                         void *out, int64_t out_stride)
{
  const posenc_status status = posenc_add_check(plan, first, count, x, x_stride, scale, out, out_stride, NULL, 0);
  if (status != POSENC_OK)
    return status;
  const int64_t d_model = plan->spec.d_model; /* as the stride of a batch of one: not looked at */
  return posenc_add_batch(plan, first, count, 1, x, (posenc_strides){d_model, x_stride}, scale, out,
                          (posenc_strides){d_model, out_stride});
}
