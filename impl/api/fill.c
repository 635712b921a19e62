/* posenc_fill() and its variants: they check their arguments and call the kernel. Layouts that the kernel does not
 * write are made part by part (api/layouts.c). */
#include "api/fpstate.h"
#include "api/layouts.h"
#include "api/refusals.h"

#include <string.h>

/* With one row, row_stride is not used, and the caller may pass one whose number of bytes overflows. */
static int64_t distance(int64_t count, int64_t columns, int64_t row_stride) { return count > 1 ? row_stride : columns; }

/* Does the kernel write these rows, or are they made part by part? */
static int is_written_by_kernel(const posenc_plan *plan, const posenc_rows *rows) {
  if (rows->cosines_first || rows->split)
    return plan->kernel->writes_layout && !rows->positions && !rows->reals &&
           plan->kernel->writes_layout(&plan->kernel_spec, rows);
  return rows->to > 0;
}

/* count > 0: with count 0, pointers may be NULL, and arithmetic on them would be undefined. */
static void write_rows(const posenc_plan *plan, const posenc_rows *rows, const posenc_target *t) {
  const posenc_columns *const c = &t->columns;
  posenc_rows all = *rows;
  all.to = c->n_sines + c->n_cosines;
  all.cosines_first = c->cosines < c->sines;
  unsigned char *const first = all.cosines_first ? t->cosines : t->sines;
  unsigned char *const second = all.cosines_first ? t->sines : t->cosines;
  all.split = c->step == 1;
  if (all.split) /* the arrays may be anywhere, so addresses are subtracted as integers */
    all.second = (intptr_t)((uintptr_t)second - (uintptr_t)first) / (intptr_t)t->size;
  if (is_written_by_kernel(plan, &all))
    plan->kernel->rows(&plan->kernel_spec, plan->state, &all, first, t->row_bytes / t->size);
  else
    posenc_write_parts(plan, rows, t);
  for (int64_t i = 0; c->zero >= 0 && i < rows->count; i++)
    memset(t->sines + (c->zero - c->sines) * t->size + i * t->row_bytes, 0, (size_t)t->size);
}

static posenc_status fill_rows(const posenc_plan *plan, const posenc_rows *rows, void *out, int64_t given_stride) {
  const int64_t size = (int64_t)posenc_dtype_size((posenc_dtype)plan->spec.dtype);
  const posenc_columns c = posenc_columns_of(&plan->spec);
  unsigned char *const bytes = out;
  const posenc_target t = {c, bytes + c.sines * size, bytes + c.cosines * size,
      distance(rows->count, plan->spec.d_model, given_stride) * size, size};
  write_rows(plan, rows, &t);
  return POSENC_OK;
}

POSENC_NOINLINE posenc_status posenc_checked_fill(
    const posenc_plan *plan, const posenc_rows *rows, void *out, int64_t row_stride) {
  const posenc_status status = posenc_check_fill(plan, rows, out, row_stride);
  return status == POSENC_OK && rows->count > 0 ? fill_rows(plan, rows, out, row_stride) : status;
}

posenc_status posenc_fill(const posenc_plan *plan, int64_t first, int64_t count, void *out, int64_t row_stride) {
  const posenc_rows rows = {.first = first, .count = count};
  const posenc_fpstate caller = posenc_fp_enter();
  return posenc_fp_leave(caller, posenc_checked_fill(plan, &rows, out, row_stride));
}

static int are_consecutive(const posenc_rows *rows) {
  for (int64_t i = 1; i < rows->count; i++)
    if (rows->positions[i] != rows->positions[0] + i)
      return 0;
  return 1;
}

POSENC_NOINLINE static posenc_status fill_at(
    const posenc_plan *plan, const posenc_rows *given, void *out, int64_t row_stride) {
  const posenc_status status = posenc_check_at(plan, given, out, row_stride);
  if (status != POSENC_OK || given->count == 0)
    return status;
  posenc_rows rows = *given;
  if (given->positions && are_consecutive(given)) /* kernels write tables faster, in every layout */
    rows = (posenc_rows){.first = given->positions[0], .count = given->count};
  return fill_rows(plan, &rows, out, row_stride);
}

posenc_status posenc_fill_at(
    const posenc_plan *plan, const int64_t *positions, int64_t count, void *out, int64_t row_stride) {
  const posenc_rows rows = {.positions = positions, .count = count};
  const posenc_fpstate caller = posenc_fp_enter();
  return posenc_fp_leave(caller, fill_at(plan, &rows, out, row_stride));
}

posenc_status posenc_fill_at_real(
    const posenc_plan *plan, const double *positions, int64_t count, void *out, int64_t row_stride) {
  const posenc_rows rows = {.reals = positions, .count = count};
  const posenc_fpstate caller = posenc_fp_enter();
  return posenc_fp_leave(caller, fill_at(plan, &rows, out, row_stride));
}

POSENC_NOINLINE static posenc_status fill_pair(
    const posenc_plan *plan, const posenc_rows *rows, void *sines, void *cosines, int64_t row_stride) {
  const posenc_status status = posenc_check_pair(plan, rows, sines, cosines, row_stride);
  if (status != POSENC_OK || rows->count == 0)
    return status;
  const int64_t n = posenc_n_freqs(&plan->spec), size = (int64_t)posenc_dtype_size((posenc_dtype)plan->spec.dtype);
  const posenc_target t = {{.step = 1, .n_sines = n, .n_cosines = n, .zero = -1}, sines, cosines,
      distance(rows->count, n, row_stride) * size, size};
  write_rows(plan, rows, &t);
  return POSENC_OK;
}

posenc_status posenc_fill_pair(
    const posenc_plan *plan, int64_t first, int64_t count, void *sines, void *cosines, int64_t row_stride) {
  const posenc_rows rows = {.first = first, .count = count};
  const posenc_fpstate caller = posenc_fp_enter();
  return posenc_fp_leave(caller, fill_pair(plan, &rows, sines, cosines, row_stride));
}
