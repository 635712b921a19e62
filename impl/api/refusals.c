/* What fills and tables refuse: each refusal has its status and a message with the value and what is allowed. */
#include "api/refusals.h"

#include "api/fpstate.h"
#include "api/spec.h"
#include "api/status.h"

#include <math.h>
#include <stdio.h>

static int64_t element(const posenc_plan *plan) { return (int64_t)posenc_dtype_size((posenc_dtype)plan->spec.dtype); }

static posenc_status check_plan(const posenc_plan *plan, int64_t count) {
  if (!plan)
    return posenc_fail(POSENC_ERROR_ARGUMENT, "plan is NULL; a plan from posenc_plan_create() is needed");
  if (count < 0)
    return posenc_fail(POSENC_ERROR_ARGUMENT, "count is %" PRId64 "; allowed: 0 or more", count);
  return POSENC_OK;
}

/* Do so many bytes from `start` reach beyond the end of the address space? */
static int runs_over(const void *start, int64_t bytes) { return (uintptr_t)start > UINTPTR_MAX - (uintptr_t)bytes; }

/* An array of which so many elements are read or written; check_rows() has made sure that their number does not
 * overflow. */
static posenc_status check_array(const posenc_plan *plan, const char *name, const void *array, int64_t elements) {
  if (!array || (uintptr_t)array % (size_t)element(plan) != 0)
    return posenc_fail(
        POSENC_ERROR_ARGUMENT, "%s is %p; allowed: memory aligned to %" PRId64 " bytes", name, array, element(plan));
  if (runs_over(array, elements * element(plan)))
    return posenc_fail(POSENC_ERROR_SIZE, "%s is %p and %" PRId64 " elements from there reach beyond the address space",
        name, array, elements);
  return POSENC_OK;
}

/* Elements from the first row's first to the last one's last. */
static int64_t span(int64_t count, int64_t columns, int64_t stride) {
  return count > 1 ? (count - 1) * stride + columns : columns;
}

/* count rows of so many columns, row_stride apart. */
static posenc_status check_rows(
    const posenc_plan *plan, int64_t count, int64_t columns, const char *columns_name, int64_t row_stride) {
  if (row_stride < columns)
    return posenc_fail(POSENC_ERROR_ARGUMENT, "row_stride is %" PRId64 "; allowed: %s = %" PRId64 " or more",
        row_stride, columns_name, columns);
  const int64_t most = PTRDIFF_MAX / element(plan);
  if (count > 1 && row_stride > (most - columns) / (count - 1))
    return posenc_fail(POSENC_ERROR_SIZE,
        "count is %" PRId64 " and row_stride is %" PRId64 "; allowed: a product of at most %" PRId64 " elements", count,
        row_stride, most);
  return POSENC_OK;
}

/* ---- positions ---- */

static int outside(double position, double scale) {
  const double most = (double)POSENC_MAX_POSITION;
  return !(fabs(position) <= most && fabs(position * scale) <= most);
}

/* `position` names it and its value. */
static posenc_status refuse_position(const posenc_plan *plan, const char *position) {
  const double scale = plan->pairs.position_scale;
  if (scale == 1.0)
    return posenc_fail(POSENC_ERROR_DOMAIN, "%s; allowed: -2^32 to 2^32", position);
  return posenc_fail(POSENC_ERROR_DOMAIN,
      "%s and position_scale is %.17g; allowed: -2^32 to 2^32, also for their product", position, scale);
}

__attribute__((noinline)) static posenc_status check_each(const posenc_plan *plan, const posenc_rows *rows) {
  const double scale = plan->pairs.position_scale;
  char said[64];
  for (int64_t i = 0; rows->positions && i < rows->count; i++)
    if (outside((double)rows->positions[i], scale)) {
      snprintf(said, sizeof said, "positions[%" PRId64 "] is %" PRId64, i, rows->positions[i]);
      return refuse_position(plan, said);
    }
  for (int64_t i = 0; rows->reals && i < rows->count; i++)
    if (outside(rows->reals[i], scale)) {
      snprintf(said, sizeof said, "positions[%" PRId64 "] is %.17g", i, rows->reals[i]);
      return refuse_position(plan, said);
    }
  if (rows->positions || rows->reals)
    return POSENC_OK;
  if (outside((double)rows->first, scale)) {
    snprintf(said, sizeof said, "first is %" PRId64, rows->first);
    return refuse_position(plan, said);
  }
  if (rows->count - 1 > POSENC_MAX_POSITION - rows->first || outside((double)(rows->first + rows->count - 1), scale))
    return posenc_fail(POSENC_ERROR_DOMAIN,
        "first is %" PRId64 " and count is %" PRId64 ", so the last position%s is beyond 2^32; allowed: -2^32 to 2^32",
        rows->first, rows->count, scale != 1.0 ? ", or its product with position_scale," : "");
  return POSENC_OK;
}

/* Their products with position_scale may be rounded. */
static posenc_status check_positions(const posenc_plan *plan, const posenc_rows *rows) {
  if (rows->count == 0)
    return POSENC_OK;
  const posenc_fpstate caller = posenc_fp_enter();
  const posenc_status status = check_each(plan, rows);
  posenc_fp_leave(caller);
  return status;
}

/* The array of positions is read, so all of it must lie within the address space. */
static posenc_status check_given(const posenc_rows *rows) {
  const int64_t size = (int64_t)sizeof(int64_t), most = PTRDIFF_MAX / size;
  const void *const given = rows->positions ? (const void *)rows->positions : (const void *)rows->reals;
  if (given && (rows->count > most || runs_over(given, rows->count * size)))
    return posenc_fail(POSENC_ERROR_SIZE,
        "count is %" PRId64 " and positions are %p; allowed: positions within the address space, at most %" PRId64,
        rows->count, given, most);
  return POSENC_OK;
}

posenc_status posenc_positions_check(
    const posenc_plan *plan, int64_t first, int64_t count, const int64_t *positions, const double *real_positions) {
  const posenc_rows rows = {.positions = positions, .reals = real_positions, .first = first, .count = count};
  if (positions && real_positions)
    return posenc_fail(POSENC_ERROR_ARGUMENT, "positions and real_positions are given; allowed: one of them, or none");
  posenc_status status = check_plan(plan, count);
  if (status == POSENC_OK)
    status = check_given(&rows);
  return status == POSENC_OK ? check_positions(plan, &rows) : status;
}

/* ---- fills ---- */

posenc_status posenc_refuse_fill(
    const posenc_plan *plan, const posenc_rows *rows, const void *out, int64_t row_stride) {
  posenc_status status = check_plan(plan, rows->count);
  if (status == POSENC_OK)
    status = check_rows(plan, rows->count, plan->spec.d_model, "d_model", row_stride);
  if (status == POSENC_OK && rows->count > 0)
    status = check_array(plan, "out", out, span(rows->count, plan->spec.d_model, row_stride));
  if (status == POSENC_OK && rows->count > 0)
    status = check_given(rows);
  return status == POSENC_OK ? check_positions(plan, rows) : status;
}

posenc_status posenc_refuse_at(const posenc_plan *plan, const posenc_rows *rows, const void *out, int64_t row_stride) {
  if (!rows->positions && !rows->reals && rows->count > 0)
    return posenc_fail(POSENC_ERROR_ARGUMENT, "positions is NULL; an array of count positions is needed");
  return posenc_refuse_fill(plan, rows, out, row_stride);
}

posenc_status posenc_refuse_pair(
    const posenc_plan *plan, const posenc_rows *rows, const void *sines, const void *cosines, int64_t row_stride) {
  posenc_status status = check_plan(plan, rows->count);
  if (status != POSENC_OK)
    return status;
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): of a plan that is NULL, check_plan() gave an error. */
  const int64_t n = posenc_n_freqs(&plan->spec), count = rows->count;
  status = check_rows(plan, count, n, "the number of frequencies", row_stride);
  if (status == POSENC_OK && count > 0)
    status = check_array(plan, "sines", sines, span(count, n, row_stride));
  if (status == POSENC_OK && count > 0)
    status = check_array(plan, "cosines", cosines, span(count, n, row_stride));
  return status == POSENC_OK ? check_positions(plan, rows) : status;
}

posenc_status posenc_refuse_table(const posenc_plan *plan, const posenc_rows *rows, int64_t row_stride) {
  const posenc_status status = check_plan(plan, rows->count);
  if (status != POSENC_OK)
    return status;
  const int64_t d_model = plan->spec.d_model, stride = row_stride ? row_stride : d_model,
                most = PTRDIFF_MAX / element(plan), count = rows->count;
  if (stride < d_model)
    return posenc_fail(POSENC_ERROR_ARGUMENT,
        "row_stride is %" PRId64 "; allowed: d_model = %" PRId64 " or more, or 0 for d_model", row_stride, d_model);
  if (count > 0 && stride > most / count) /* the last row has its whole stride too */
    return posenc_fail(POSENC_ERROR_SIZE,
        "count is %" PRId64 " and row_stride is %" PRId64 "; allowed: a product of at most %" PRId64 " elements", count,
        stride, most);
  return check_positions(plan, rows);
}
