/* out = round(round(s x) + PE): by the kernel, or a part of the table at a time, put in the order of its columns, then
 * added to the rows of each of the batch while it is in L1.
 */
#include "api/fpstate.h"
#include "api/layouts.h"
#include "api/refusals.h"

#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

typedef struct job {
  const posenc_plan *plan;
  posenc_columns columns;
  const unsigned char *x;
  unsigned char *out;
  posenc_strides x_strides, out_strides;
  int64_t batch, size;
  int streamed; /* by non-temporal stores */
  double wanted_scale;
  float scale; /* that, rounded */
} job;

/* No element of out is read after it was written, in place too. Each operation is rounded, as nothing is contracted. */
static void add_f32(const float *x, const float *pe, float scale, int64_t n, float *out) {
  POSENC_INDEPENDENT
  for (int64_t i = 0; i < n; i++)
    out[i] = scale * x[i] + pe[i];
}

#ifdef __x86_64__
/* The same by non-temporal stores. */
static void stream_f32(const float *x, const float *pe, float scale, int64_t n, float *out) {
  const int64_t head = (int64_t)(-(uintptr_t)out / sizeof(float) % 4), first = head < n ? head : n;
  const __m128 s = _mm_set1_ps(scale);
  int64_t i = first;
  add_f32(x, pe, scale, first, out);
  for (; i + 4 <= n; i += 4)
    _mm_stream_ps(out + i, _mm_add_ps(_mm_mul_ps(s, _mm_loadu_ps(x + i)), _mm_loadu_ps(pe + i)));
  add_f32(x + i, pe + i, scale, n - i, out + i);
}
static void stream_end(void) { _mm_sfence(); }
#else /* AArch64 cores recognise streams by themselves */
static void stream_f32(const float *x, const float *pe, float scale, int64_t n, float *out) {
  add_f32(x, pe, scale, n, out);
}
static void stream_end(void) {}
#endif

static inline float of_bf16(uint16_t a) {
  const uint32_t bits = (uint32_t)a << 16;
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

/* The nearest, ties to even; a NaN stays one. */
static inline uint16_t to_bf16(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  const uint32_t nearest = (bits + 0x7fff + (bits >> 16 & 1)) >> 16, quiet = bits >> 16 | 0x40;
  return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? quiet : nearest);
}

static void add_bf16(const uint16_t *x, const uint16_t *pe, float scale, int64_t n, uint16_t *out) {
  POSENC_INDEPENDENT
  for (int64_t i = 0; i < n; i++)
    out[i] = to_bf16(of_bf16(to_bf16(scale * of_bf16(x[i]))) + of_bf16(pe[i]));
}

/* Columns column .. column+n-1 of the part's rows, which are at `at` in each of them, in all of the batch. */
static void add_columns(const job *j, const posenc_part *part, int64_t at, int64_t column, int64_t n) {
  for (int64_t b = 0; b < j->batch; b++)
    for (int64_t i = 0; i < part->rows; i++) {
      const int64_t row = part->row + i;
      const void *pe = part->values + (i * part->stride + at) * j->size;
      const void *x = j->x + (b * j->x_strides.batch + row * j->x_strides.row + column) * j->size;
      void *out = j->out + (b * j->out_strides.batch + row * j->out_strides.row + column) * j->size;
      if (j->streamed)
        stream_f32(x, pe, j->scale, n, out);
      else if (j->plan->spec.dtype == POSENC_DTYPE_F32)
        add_f32(x, pe, j->scale, n, out);
      else
        add_bf16(x, pe, j->scale, n, out);
    }
}

static void add_part(const posenc_part *part, const void *context) {
  const job *j = context;
  const posenc_columns *c = &j->columns;
  const int64_t k = part->k, pairs = part->pairs, size = j->size;
  const int64_t sines = c->n_sines - k < pairs ? c->n_sines - k : pairs,
                cosines = c->n_cosines - k < pairs ? c->n_cosines - k : pairs;
  const int64_t sines_at = c->step == 1 ? 0 : c->sines, cosines_at = c->step == 1 ? pairs : c->cosines;
  for (int64_t i = 0; i < part->rows && !(c->step == 2 && c->sines == 0); i++) {
    unsigned char row[2 * POSENC_PART_PAIRS * sizeof(float)];
    posenc_place(part, i, c, size, row + sines_at * size, row + cosines_at * size);
    memcpy(part->values + i * part->stride * size, row, (size_t)(2 * pairs * size));
  }
  if (c->step == 2) {
    add_columns(j, part, 0, 2 * k, sines + cosines);
  } else {
    add_columns(j, part, sines_at, c->sines + k, sines);
    add_columns(j, part, cosines_at, c->cosines + k, cosines);
  }
}

/* A kernel that adds on its way saves reading the rows back. Of a batch they are better computed once. */
static int in_the_kernel(const job *j) {
  return j->batch == 1 && j->columns.step == 2 && j->columns.zero < 0 && j->plan->spec.dtype == POSENC_DTYPE_F32 &&
         j->plan->kernel->offers_all;
}

__attribute__((noinline)) static void add_all(job *j, const posenc_rows *rows) {
  j->scale = (float)j->wanted_scale;
  if (in_the_kernel(j)) {
    const posenc_addend add = {(const float *)(const void *)j->x, j->x_strides.row, j->scale};
    posenc_rows sums = *rows;
    sums.to = j->plan->spec.d_model;
    sums.add = &add;
    sums.cosines_first = j->columns.cosines < j->columns.sines;
    j->plan->kernel->rows(&j->plan->pairs, j->plan->state, &sums, j->out, j->out_strides.row);
    return;
  }
  unsigned char zero[sizeof(float)] __attribute__((aligned(sizeof(float)))) = {0};
  posenc_parts(j->plan, rows, POSENC_PART_PAIRS, add_part, j); /* long rows of x */
  posenc_part one = {.rows = 1, .values = zero};
  for (; j->columns.zero >= 0 && one.row < rows->count; one.row++)
    add_columns(j, &one, 0, j->columns.zero, 1);
  if (j->streamed)
    stream_end();
}

static void add_rows(const posenc_plan *plan, const posenc_rows *rows, int64_t batch, const void *x,
    posenc_strides x_strides, double scale, void *out, posenc_strides out_strides) {
  if (rows->count == 1) /* then they may be anything, also what is too large to count bytes with */
    x_strides.row = out_strides.row = plan->spec.d_model;
  const int64_t size = (int64_t)posenc_dtype_size((posenc_dtype)plan->spec.dtype);
  const int large = posenc_is_streamed(&plan->spec, rows->count, batch * plan->spec.d_model);
  job j = {.plan = plan,
      .columns = posenc_columns_of(&plan->spec),
      .x = x,
      .out = out,
      .x_strides = x_strides,
      .out_strides = out_strides,
      .batch = batch,
      .size = size,
      .streamed = large && plan->spec.dtype == POSENC_DTYPE_F32 && x != out,
      .wanted_scale = scale};
  const posenc_fpstate caller = posenc_fp_enter();
  add_all(&j, rows);
  posenc_fp_leave(caller);
}

posenc_status posenc_add_batch(const posenc_plan *plan, int64_t first, int64_t count, int64_t batch, const void *x,
    posenc_strides x_strides, double scale, void *out, posenc_strides out_strides) {
  const posenc_rows rows = {.first = first, .count = count};
  const posenc_status status = posenc_refuse_add_batch(plan, &rows, batch, x, x_strides, scale, out, out_strides);
  if (status == POSENC_OK && count > 0 && batch > 0)
    add_rows(plan, &rows, batch, x, x_strides, scale, out, out_strides);
  return status;
}

posenc_status posenc_add(const posenc_plan *plan, int64_t first, int64_t count, const void *x, int64_t x_stride,
    double scale, void *out, int64_t out_stride) {
  const posenc_rows rows = {.first = first, .count = count};
  const posenc_status status = posenc_refuse_add(plan, &rows, x, x_stride, scale, out, out_stride);
  if (status == POSENC_OK && count > 0) /* the stride of a batch of one is not looked at */
    add_rows(plan, &rows, 1, x, (posenc_strides){0, x_stride}, scale, out, (posenc_strides){0, out_stride});
  return status;
}
