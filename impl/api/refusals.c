/* What fills and tables refuse: each refusal has its status and a message with the value and what is allowed. */
#include "api/refusals.h"

#include "api/spec.h"
#include "api/status.h"

#include <math.h>
#include <stdio.h>

static int64_t element(const posenc_plan *plan) { return (int64_t)posenc_dtype_size((posenc_dtype)plan->spec.dtype); }

/* Whether the arrays meet and b starts at a's start or behind it: b's first row starts in a row of a, or reaches the
 * next row of a. Only b's first row is compared: it is the row of b nearest to a. Addresses are compared as integers,
 * since the arrays are different objects. */
static int begins_in(posenc_array a, posenc_array b) {
  if ((uintptr_t)b.start < (uintptr_t)a.start || a.stride == 0)
    return 0;
  const uint64_t apart = (uintptr_t)b.start - (uintptr_t)a.start, row = apart / (uint64_t)a.stride;
  const int64_t at = (int64_t)(apart % (uint64_t)a.stride);
  return (row < (uint64_t)a.count && at < a.width) || (row + 1 < (uint64_t)a.count && a.stride - at < b.width);
}

int posenc_arrays_meet(posenc_array a, posenc_array b) { return begins_in(a, b) || begins_in(b, a); }

posenc_status posenc_check_results(const char *const names[], const posenc_array arrays[], int count) {
  for (int i = 1; i < count; i++) {
    const void *const start = arrays[i].start;
    if (!posenc_is_usable(start, sizeof(double)))
      return posenc_fail_pointer(names[i], start, sizeof(double), "memory");
    for (int j = 0; j < i; j++)
      if (posenc_arrays_meet(arrays[j], arrays[i]))
        return posenc_fail(POSENC_ERROR_ARGUMENT, "%s is %p and overlaps the %s at %p; allowed: separate arrays",
            names[i], start, names[j], arrays[j].start);
  }
  return POSENC_OK;
}

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
  if (!posenc_is_usable(array, (size_t)element(plan)))
    return posenc_fail_pointer(name, array, (size_t)element(plan), "memory");
  if (runs_over(array, elements * element(plan)))
    return posenc_fail(POSENC_ERROR_SIZE, "%s is %p and %" PRId64 " elements from there reach beyond the address space",
        name, array, elements);
  return POSENC_OK;
}

/* Elements from the first row's first to the last one's last. */
static int64_t span(int64_t count, int64_t columns, int64_t stride) {
  return count > 1 ? (count - 1) * stride + columns : columns;
}

static posenc_array array_of(const posenc_plan *p, const void *start, int64_t count, int64_t columns, int64_t stride) {
  return (posenc_array){start, count, (count > 1 ? stride : columns) * element(p), columns * element(p)};
}

/* count rows of so many columns, row_stride apart. The stride of a single row is ignored. */
static posenc_status check_rows(
    const posenc_plan *plan, int64_t count, int64_t columns, const char *columns_name, int64_t row_stride) {
  if (count != 1 && row_stride < columns)
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
  const double scale = plan->kernel_spec.position_scale;
  if (scale == 1.0)
    return posenc_fail(POSENC_ERROR_DOMAIN, "%s; allowed: -2^32 to 2^32", position);
  return posenc_fail(POSENC_ERROR_DOMAIN,
      "%s and position_scale is %.17g; allowed: -2^32 to 2^32, also for their product", position, scale);
}

static posenc_status check_each(const posenc_plan *plan, const posenc_rows *rows) {
  const double scale = plan->kernel_spec.position_scale;
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

/* The product with position_scale is checked as rounded to double. */
static posenc_status check_positions(const posenc_plan *plan, const posenc_rows *rows) {
  return rows->count == 0 ? POSENC_OK : check_each(plan, rows);
}

/* The array of positions is read, so all of it must lie within the address space, and rows of out apart from it. */
static posenc_status check_given(const posenc_rows *rows, posenc_array out) {
  const int64_t size = (int64_t)sizeof(int64_t), most = PTRDIFF_MAX / size;
  const void *const given = rows->positions ? (const void *)rows->positions : (const void *)rows->reals;
  if (!given || rows->count == 0)
    return POSENC_OK;
  if (!posenc_is_usable(given, sizeof(int64_t)))
    return posenc_fail_pointer("positions", given, sizeof(int64_t), "an array of count positions");
  if (rows->count > most || runs_over(given, rows->count * size))
    return posenc_fail(POSENC_ERROR_SIZE,
        "count is %" PRId64 " and positions are %p; allowed: positions within the address space, at most %" PRId64,
        rows->count, given, most);
  if (posenc_arrays_meet((posenc_array){given, 1, rows->count * size, rows->count * size}, out))
    return posenc_fail(POSENC_ERROR_ARGUMENT,
        "positions are %p and out is %p, so rows of out overlap positions; allowed: separate arrays", given, out.start);
  return POSENC_OK;
}

/* ---- phases ---- */

posenc_status posenc_check_phases(const posenc_plan *plan, const posenc_phases *phases) {
  static const char *const names[] = {"", "whole", "fraction", "rest"};
  const posenc_status status = check_plan(plan, 0);
  if (status != POSENC_OK)
    return status;
  if (!plan->kernel->phases)
    return posenc_fail(
        POSENC_ERROR_UNSUPPORTED, "the plan's impl is \"%s\"; allowed: exact and anchored", plan->kernel->info.name);
  const int64_t bytes = posenc_n_freqs(&plan->spec) * (int64_t)sizeof(double);
  const posenc_array arrays[] = {
      {0}, {phases->whole, 1, bytes, bytes}, {phases->fraction, 1, bytes, bytes}, {phases->rest, 1, bytes, bytes}};
  return posenc_check_results(names, arrays, 4);
}

/* ---- fills ---- */

posenc_status posenc_check_fill(const posenc_plan *plan, const posenc_rows *rows, const void *out, int64_t row_stride) {
  posenc_status status = check_plan(plan, rows->count);
  if (status == POSENC_OK)
    status = check_rows(plan, rows->count, plan->spec.d_model, "d_model", row_stride);
  if (status == POSENC_OK && rows->count > 0)
    status = check_array(plan, "out", out, span(rows->count, plan->spec.d_model, row_stride));
  if (status == POSENC_OK && rows->count > 0)
    status = check_given(rows, array_of(plan, out, rows->count, plan->spec.d_model, row_stride));
  return status == POSENC_OK ? check_positions(plan, rows) : status;
}

posenc_status posenc_check_at(const posenc_plan *plan, const posenc_rows *rows, const void *out, int64_t row_stride) {
  if (!rows->positions && !rows->reals && rows->count > 0)
    return posenc_fail_pointer("positions", NULL, sizeof(int64_t), "an array of count positions");
  return posenc_check_fill(plan, rows, out, row_stride);
}

posenc_status posenc_check_pair(
    const posenc_plan *plan, const posenc_rows *rows, const void *sines, const void *cosines, int64_t row_stride) {
  posenc_status status = check_plan(plan, rows->count);
  if (status != POSENC_OK)
    return status;
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): check_plan() has refused a NULL plan. */
  const int64_t n = posenc_n_freqs(&plan->spec), count = rows->count;
  status = check_rows(plan, count, n, "the number of frequencies", row_stride);
  if (status == POSENC_OK && count > 0)
    status = check_array(plan, "sines", sines, span(count, n, row_stride));
  if (status == POSENC_OK && count > 0)
    status = check_array(plan, "cosines", cosines, span(count, n, row_stride));
  if (status == POSENC_OK && count > 0 &&
      posenc_arrays_meet(array_of(plan, sines, count, n, row_stride), array_of(plan, cosines, count, n, row_stride)))
    return posenc_fail(POSENC_ERROR_ARGUMENT,
        "sines are %p and cosines are %p, so rows of %" PRId64 " columns overlap with row_stride %" PRId64
        "; allowed: separate arrays, or the halves of longer rows",
        sines, cosines, n, row_stride);
  return status == POSENC_OK ? check_positions(plan, rows) : status;
}

posenc_status posenc_check_table(const posenc_plan *plan, const posenc_rows *rows, int64_t row_stride) {
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
