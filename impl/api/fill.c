/* posenc_fill() and its variants: they check their arguments and call the kernel. Layouts that the kernel does not
 * write are made part by part (api/layouts.c). */
#include "api/internal.h"

#include "api/fpstate.h"

#include <stdio.h>
#include <string.h>

static int64_t element_size(const posenc_plan *plan) { return posenc_dtype_info_of(plan->problem.dtype)->size; }

/* ---- checks: each refusal has its status, and a message with the value and what is allowed ---- */

posenc_status posenc_check_size(int64_t count, int64_t row_stride) {
  const int64_t most = INT64_MAX / (int64_t)sizeof(double);
  if (row_stride > most / count)
    return posenc_fail(POSENC_ERROR_SIZE,
        "count is %" PRId64 " and row_stride is %" PRId64 "; allowed: a product below 2^60", count, row_stride);
  return POSENC_OK;
}

/* count rows of so many columns, row_stride apart. The stride of a single row is ignored. */
static posenc_status check_rows(int64_t count, int64_t columns, const char *columns_name, int64_t row_stride) {
  if (count != 1 && row_stride < columns)
    return posenc_fail(POSENC_ERROR_ARGUMENT, "row_stride is %" PRId64 "; allowed: %s = %" PRId64 " or more",
        row_stride, columns_name, columns);
  return count > 1 ? posenc_check_size(count, row_stride) : POSENC_OK;
}

static posenc_status check_memory(const posenc_plan *plan, const char *name, const void *memory) {
  const size_t size = (size_t)element_size(plan);
  return posenc_is_usable(memory, size) ? POSENC_OK : posenc_fail_pointer(name, memory, size, "memory");
}

/* `what` names the position and its value. */
static posenc_status fail_position(double scale, const char *what) {
  if (scale == 1.0)
    return posenc_fail(POSENC_ERROR_DOMAIN, "%s; allowed: -2^32 to 2^32", what);
  return posenc_fail(POSENC_ERROR_DOMAIN,
      "%s and position_scale is %.17g; allowed: -2^32 to 2^32, also for their product", what, scale);
}

posenc_status posenc_check_positions(const posenc_plan *plan, const posenc_rows *rows) {
  const double scale = plan->problem.scale;
  const int64_t count = rows->count, first = rows->first;
  char said[64];
  for (int64_t i = 0; rows->positions && i < count; i++)
    if (posenc_is_outside((double)rows->positions[i], scale)) {
      snprintf(said, sizeof said, "positions[%" PRId64 "] is %" PRId64, i, rows->positions[i]);
      return fail_position(scale, said);
    }
  for (int64_t i = 0; rows->reals && i < count; i++)
    if (posenc_is_outside(rows->reals[i], scale)) {
      snprintf(said, sizeof said, "positions[%" PRId64 "] is %.17g", i, rows->reals[i]);
      return fail_position(scale, said);
    }
  if (rows->positions || rows->reals || count == 0)
    return POSENC_OK;
  if (posenc_is_outside((double)first, scale)) {
    snprintf(said, sizeof said, "first is %" PRId64, first);
    return fail_position(scale, said);
  }
  if (count - 1 > POSENC_MAX_POSITION - first || posenc_is_outside((double)(first + count - 1), scale))
    return posenc_fail(POSENC_ERROR_DOMAIN,
        "first is %" PRId64 " and count is %" PRId64 ", so the last position%s is beyond 2^32; allowed: -2^32 to 2^32",
        first, count, scale != 1.0 ? ", or its product with position_scale," : "");
  return POSENC_OK;
}

/* The distance between rows, in elements. With one row, row_stride is not used, and the caller may pass one whose
 * number of bytes overflows. */
static int64_t stride_of(int64_t count, int64_t columns, int64_t stride) { return count > 1 ? stride : columns; }

static posenc_array array_of(const posenc_plan *p, const void *start, int64_t count, int64_t columns, int64_t stride) {
  return (posenc_array){start, count, stride_of(count, columns, stride) * element_size(p), columns * element_size(p)};
}

/* The array of positions is read while rows are written. */
static posenc_status check_apart(const posenc_rows *rows, posenc_array out) {
  const void *const given = rows->positions ? (const void *)rows->positions : (const void *)rows->reals;
  const int64_t bytes = rows->count * (int64_t)sizeof(int64_t);
  if (!given)
    return POSENC_OK;
  if (!posenc_is_usable(given, sizeof(int64_t)))
    return posenc_fail_pointer("positions", given, sizeof(int64_t), "an array of count positions");
  if (posenc_arrays_meet((posenc_array){given, 1, bytes, bytes}, out))
    return posenc_fail(POSENC_ERROR_ARGUMENT,
        "positions are %p and out is %p, so rows of out overlap positions; allowed: separate arrays", given, out.start);
  return POSENC_OK;
}

static posenc_status check_fill(const posenc_plan *plan, const posenc_rows *rows, const void *out, int64_t row_stride) {
  POSENC_TRY(posenc_check_plan(plan, rows->count));
  POSENC_TRY(check_rows(rows->count, plan->spec.d_model, "d_model", row_stride));
  if (rows->count == 0)
    return POSENC_OK;
  POSENC_TRY(check_memory(plan, "out", out));
  POSENC_TRY(check_apart(rows, array_of(plan, out, rows->count, plan->spec.d_model, row_stride)));
  return posenc_check_positions(plan, rows);
}

static posenc_status check_pair(
    const posenc_plan *plan, const posenc_rows *rows, const void *sines, const void *cosines, int64_t row_stride) {
  POSENC_TRY(posenc_check_plan(plan, rows->count));
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): posenc_check_plan() has refused a NULL plan. */
  const int64_t n = plan->problem.n, count = rows->count;
  POSENC_TRY(check_rows(count, n, "the number of frequencies", row_stride));
  if (count == 0)
    return POSENC_OK;
  POSENC_TRY(check_memory(plan, "sines", sines));
  POSENC_TRY(check_memory(plan, "cosines", cosines));
  if (posenc_arrays_meet(array_of(plan, sines, count, n, row_stride), array_of(plan, cosines, count, n, row_stride)))
    return posenc_fail(POSENC_ERROR_ARGUMENT,
        "sines are %p and cosines are %p, so rows of %" PRId64 " columns overlap with row_stride %" PRId64
        "; allowed: separate arrays, or the halves of longer rows",
        sines, cosines, n, row_stride);
  return posenc_check_positions(plan, rows);
}

/* ---- fills ---- */

/* Lets the kernel write whole pairs and returns 1, or returns 0 if it does not write them in this layout. */
static int try_kernel(const posenc_plan *plan, const posenc_rows *rows, const posenc_place *to) {
  const posenc_kernel *const kernel = plan->kernel;
  if (rows->pairs == 0)
    return 0;
  if (to->is_split || to->cosines_first)
    return kernel->table && !rows->positions && !rows->reals && kernel->table(&plan->problem, plan->state, rows, to);
  kernel->rows(&plan->problem, plan->state, rows, to);
  return 1;
}

/* The first `pairs` frequencies have both values. One more, in an odd row that ends in half a pair, has the first only.
 * count > 0: with count 0, pointers may be NULL, and arithmetic on them would be undefined. */
static void write_pairs(const posenc_plan *plan, const posenc_rows *given, int64_t pairs, const posenc_place *to) {
  posenc_rows rows = *given;
  rows.pairs = pairs;
  const int64_t written = try_kernel(plan, &rows, to) ? pairs : 0;
  posenc_write_parts(plan, &rows, pairs, to, written);
}

static posenc_status fill_rows(const posenc_plan *plan, const posenc_rows *rows, void *out, int64_t row_stride) {
  const posenc_spec *const s = &plan->spec;
  const int64_t n = plan->problem.n, pairs = s->d_model / 2, size = element_size(plan);
  unsigned char *const first = out;
  posenc_place to = {.first = first, .row_bytes = stride_of(rows->count, s->d_model, row_stride) * size};
  to.is_split = s->layout == POSENC_LAYOUT_SPLIT;
  to.cosines_first = s->order == POSENC_ORDER_COS_FIRST;
  to.second = first + (to.is_split ? n : 1) * size;
  write_pairs(plan, rows, pairs, &to);
  for (int64_t i = 0; n + pairs < s->d_model && i < rows->count; i++) /* a column of zeros */
    memset(first + i * to.row_bytes + (n + pairs) * size, 0, (size_t)size);
  return POSENC_OK;
}

POSENC_NOINLINE posenc_status posenc_check_and_fill(
    const posenc_plan *plan, const posenc_rows *rows, void *out, int64_t row_stride) {
  POSENC_TRY(check_fill(plan, rows, out, row_stride));
  return rows->count > 0 ? fill_rows(plan, rows, out, row_stride) : POSENC_OK;
}

posenc_status posenc_fill(const posenc_plan *plan, int64_t first, int64_t count, void *out, int64_t row_stride) {
  const posenc_rows rows = {.first = first, .count = count};
  const posenc_fpstate caller = posenc_fp_enter();
  return posenc_fp_leave(caller, posenc_check_and_fill(plan, &rows, out, row_stride));
}

static int are_consecutive(const posenc_rows *rows) {
  for (int64_t i = 1; i < rows->count; i++)
    if (rows->positions[i] != rows->positions[0] + i)
      return 0;
  return 1;
}

POSENC_NOINLINE static posenc_status fill_at(
    const posenc_plan *plan, const posenc_rows *given, void *out, int64_t row_stride) {
  if (!given->positions && !given->reals && given->count > 0)
    return posenc_fail_pointer("positions", NULL, sizeof(int64_t), "an array of count positions");
  POSENC_TRY(check_fill(plan, given, out, row_stride));
  if (given->count == 0)
    return POSENC_OK;
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
  POSENC_TRY(check_pair(plan, rows, sines, cosines, row_stride));
  if (rows->count == 0)
    return POSENC_OK;
  const int64_t n = plan->problem.n, row_bytes = stride_of(rows->count, n, row_stride) * element_size(plan);
  write_pairs(plan, rows, n, &(posenc_place){sines, cosines, row_bytes, .is_split = 1});
  return POSENC_OK;
}

posenc_status posenc_fill_pair(
    const posenc_plan *plan, int64_t first, int64_t count, void *sines, void *cosines, int64_t row_stride) {
  const posenc_rows rows = {.first = first, .count = count};
  const posenc_fpstate caller = posenc_fp_enter();
  return posenc_fp_leave(caller, fill_pair(plan, &rows, sines, cosines, row_stride));
}
