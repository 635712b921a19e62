/* The driver: arguments checked, floating-point state normalised, kernel called, state restored. Layouts that kernels
 * do not write are made tile by tile. */
#include "api/fpstate.h"
#include "api/layouts.h"

#include <string.h>

typedef struct job {
  posenc_columns columns;
  unsigned char *sines, *cosines; /* of row 0, frequency 0 */
  int64_t row_bytes, size;
} job;

static void use(const posenc_tile *tile, const void *context) {
  const job *j = context;
  const int64_t k_bytes = tile->k * j->columns.step * j->size;
  for (int64_t i = 0; i < tile->rows; i++) {
    const int64_t at = (tile->row + i) * j->row_bytes + k_bytes;
    posenc_place(tile, i, &j->columns, j->size, j->sines + at, j->cosines + at);
  }
}

/* With one row, row_stride is not used, and the caller may pass one whose number of bytes overflows. */
static int64_t distance(int64_t count, int64_t columns, int64_t row_stride) { return count > 1 ? row_stride : columns; }

/* count > 0: with count 0, out may be NULL, and pointer arithmetic on it would be undefined. */
static posenc_status run(const posenc_plan *plan, const posenc_rows *rows, void *out, int64_t given_stride) {
  const int64_t row_stride = distance(rows->count, plan->spec.d_model, given_stride);
  const posenc_fpstate caller = posenc_fp_enter();
  if (plan->direct && !(rows->reals && plan->spec.d_model % 2)) { /* rows of reals come in whole pairs */
    posenc_rows whole = *rows;
    whole.from = 0;
    whole.to = plan->spec.d_model;
    plan->kernel->rows(&plan->pairs, plan->state, &whole, out, row_stride);
  } else {
    const int64_t size = (int64_t)posenc_dtype_size((posenc_dtype)plan->spec.dtype), row_bytes = row_stride * size;
    const posenc_columns c = posenc_columns_of(&plan->spec);
    unsigned char *const bytes = out;
    const job j = {c, bytes + c.sines * size, bytes + c.cosines * size, row_bytes, size};
    posenc_tiles(plan, rows, use, &j);
    for (int64_t i = 0; c.zero >= 0 && i < rows->count; i++)
      memset(bytes + i * row_bytes + c.zero * size, 0, (size_t)size);
  }
  posenc_fp_leave(caller);
  return POSENC_OK;
}

posenc_status posenc_fill(const posenc_plan *plan, int64_t first, int64_t count, void *out, int64_t row_stride) {
  const posenc_status status = posenc_fill_check(plan, first, count, out, row_stride, NULL, 0);
  const posenc_rows rows = {.first = first, .count = count};
  return status == POSENC_OK && count > 0 ? run(plan, &rows, out, row_stride) : status;
}

posenc_status posenc_fill_at(
    const posenc_plan *plan, const int64_t *positions, int64_t count, void *out, int64_t row_stride) {
  const posenc_status status = posenc_fill_at_check(plan, positions, count, out, row_stride, NULL, 0);
  const posenc_rows rows = {.positions = positions, .count = count};
  return status == POSENC_OK && count > 0 ? run(plan, &rows, out, row_stride) : status;
}

posenc_status posenc_fill_at_real(
    const posenc_plan *plan, const double *positions, int64_t count, void *out, int64_t row_stride) {
  const posenc_status status = posenc_fill_at_real_check(plan, positions, count, out, row_stride, NULL, 0);
  const posenc_rows rows = {.reals = positions, .count = count};
  return status == POSENC_OK && count > 0 ? run(plan, &rows, out, row_stride) : status;
}

posenc_status posenc_fill_pair(
    const posenc_plan *plan, int64_t first, int64_t count, void *sines, void *cosines, int64_t row_stride) {
  const posenc_status status = posenc_fill_pair_check(plan, first, count, sines, cosines, row_stride, NULL, 0);
  if (status != POSENC_OK || count == 0)
    return status;
  const int64_t n = posenc_n_freqs(&plan->spec), size = (int64_t)posenc_dtype_size((posenc_dtype)plan->spec.dtype);
  const posenc_rows rows = {.first = first, .count = count};
  const job j = {
      {.step = 1, .n_sines = n, .n_cosines = n}, sines, cosines, distance(count, n, row_stride) * size, size};
  const posenc_fpstate caller = posenc_fp_enter();
  posenc_tiles(plan, &rows, use, &j);
  posenc_fp_leave(caller);
  return POSENC_OK;
}
