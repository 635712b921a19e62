/* What fills, adds and tables refuse: each refusal has its status and a message with the value and what is allowed. */
#include "api/fpstate.h"
#include "api/plan.h"
#include "api/spec.h"
#include "api/status.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

typedef struct sentence { /* where a message goes */
  char *text;
  size_t size;
} sentence;

static int is_wanted(sentence m) { return m.text && m.size > 0; }

static int64_t element(const posenc_plan *plan) { return (int64_t)posenc_dtype_size((posenc_dtype)plan->spec.dtype); }

static posenc_status check_plan(const posenc_plan *plan, int64_t count, sentence m) {
  if (!plan)
    return posenc_fail(
        POSENC_ERROR_ARGUMENT, m.text, m.size, "plan is NULL; a plan from posenc_plan_create() is needed");
  if (count < 0)
    return posenc_fail(POSENC_ERROR_ARGUMENT, m.text, m.size, "count is %" PRId64 "; allowed: 0 or more", count);
  return POSENC_OK;
}

/* Do so many bytes from `start` reach beyond the end of the address space? */
static int runs_over(const void *start, int64_t bytes) { return (uintptr_t)start > UINTPTR_MAX - (uintptr_t)bytes; }

/* An array of which so many elements are read or written; check_rows() has made sure that their number does not
 * overflow. */
static posenc_status check_array(
    const posenc_plan *plan, const char *name, const void *array, int64_t elements, sentence m) {
  if (!array || (uintptr_t)array % (size_t)element(plan) != 0)
    return posenc_fail(POSENC_ERROR_ARGUMENT, m.text, m.size, "%s is %p; allowed: memory aligned to %" PRId64 " bytes",
        name, array, element(plan));
  if (runs_over(array, elements * element(plan)))
    return posenc_fail(POSENC_ERROR_SIZE, m.text, m.size,
        "%s is %p and %" PRId64 " elements from there reach beyond the address space", name, array, elements);
  return POSENC_OK;
}

/* Elements from the first row's first to the last one's last. */
static int64_t span(int64_t count, int64_t columns, int64_t stride) {
  return count > 1 ? (count - 1) * stride + columns : columns;
}

/* count rows of so many columns, a stride apart. Nothing is written for a message that nobody wants. */
static posenc_status check_rows(const posenc_plan *plan, int64_t count, int64_t columns, const char *columns_name,
    const char *name, const char *field, int64_t stride, sentence m) {
  if (stride < columns)
    return posenc_fail(POSENC_ERROR_ARGUMENT, m.text, m.size, "%s%s is %" PRId64 "; allowed: %s = %" PRId64 " or more",
        name, field, stride, columns_name, columns);
  const int64_t most = PTRDIFF_MAX / element(plan);
  if (count > 1 && stride > (most - columns) / (count - 1))
    return posenc_fail(POSENC_ERROR_SIZE, m.text, m.size,
        "count is %" PRId64 " and %s%s is %" PRId64 "; allowed: a product of at most %" PRId64 " elements", count, name,
        field, stride, most);
  return POSENC_OK;
}

/* ---- positions ---- */

static int outside(double position, double scale) {
  const double most = (double)POSENC_MAX_POSITION;
  return !(fabs(position) <= most && fabs(position * scale) <= most);
}

static posenc_status outside_fails(const char *name, const char *value, double scale, sentence m) {
  if (scale == 1.0)
    return posenc_fail(POSENC_ERROR_DOMAIN, m.text, m.size, "%s is %s; allowed: -2^32 to 2^32", name, value);
  return posenc_fail(POSENC_ERROR_DOMAIN, m.text, m.size,
      "%s is %s and position_scale is %.17g; allowed: -2^32 to 2^32, also for their product", name, value, scale);
}

__attribute__((noinline)) static posenc_status check_each(
    const posenc_plan *plan, const posenc_rows *rows, sentence m) {
  const double scale = plan->pairs.position_scale;
  char name[40], value[40];
  if (rows->positions || rows->reals) {
    for (int64_t i = 0; i < rows->count; i++) {
      const double position = posenc_row_real(rows, i);
      if (outside(position, scale)) {
        if (!is_wanted(m))
          return POSENC_ERROR_DOMAIN;
        snprintf(name, sizeof name, "positions[%" PRId64 "]", i);
        if (rows->reals)
          snprintf(value, sizeof value, "%.17g", position);
        else
          snprintf(value, sizeof value, "%" PRId64, rows->positions[i]);
        return outside_fails(name, value, scale, m);
      }
    }
    return POSENC_OK;
  }
  if (outside((double)rows->first, scale)) {
    if (!is_wanted(m))
      return POSENC_ERROR_DOMAIN;
    snprintf(value, sizeof value, "%" PRId64, rows->first);
    return outside_fails("first", value, scale, m);
  }
  if (rows->count > 0 &&
      (rows->count - 1 > POSENC_MAX_POSITION - rows->first || outside((double)(rows->first + rows->count - 1), scale)))
    return posenc_fail(POSENC_ERROR_DOMAIN, m.text, m.size,
        "first is %" PRId64 " and count is %" PRId64 ", so the last position%s is beyond 2^32; allowed: -2^32 to 2^32",
        rows->first, rows->count, scale == 1.0 ? "" : ", or its product with position_scale,");
  return POSENC_OK;
}

/* Their products with position_scale may be rounded. */
static posenc_status check_positions(const posenc_plan *plan, const posenc_rows *rows, sentence m) {
  const posenc_fpstate caller = posenc_fp_enter();
  const posenc_status status = check_each(plan, rows, m);
  posenc_fp_leave(caller);
  return status;
}

/* The array of positions is read, so all of it must lie within the address space. */
static posenc_status check_given(const posenc_rows *rows, sentence m) {
  const int64_t size = (int64_t)sizeof(int64_t), most = PTRDIFF_MAX / size;
  const void *const given = rows->positions ? (const void *)rows->positions : (const void *)rows->reals;
  if (given && (rows->count > most || runs_over(given, rows->count * size)))
    return posenc_fail(POSENC_ERROR_SIZE, m.text, m.size,
        "count is %" PRId64 " and positions are %p; allowed: positions within the address space, at most %" PRId64,
        rows->count, given, most);
  return POSENC_OK;
}

/* ---- fills ---- */

static posenc_status check_fill(
    const posenc_plan *plan, const posenc_rows *rows, const void *out, int64_t row_stride, sentence m) {
  posenc_status status = check_plan(plan, rows->count, m);
  if (status == POSENC_OK)
    status = check_rows(plan, rows->count, plan->spec.d_model, "d_model", "row_stride", "", row_stride, m);
  if (status == POSENC_OK && rows->count > 0)
    status = check_array(plan, "out", out, span(rows->count, plan->spec.d_model, row_stride), m);
  if (status == POSENC_OK && rows->count > 0)
    status = check_given(rows, m);
  return status == POSENC_OK && rows->count > 0 ? check_positions(plan, rows, m) : status;
}

posenc_status posenc_fill_check(const posenc_plan *plan, int64_t first, int64_t count, const void *out,
    int64_t row_stride, char *message, size_t size) {
  const posenc_rows rows = {.first = first, .count = count};
  return check_fill(plan, &rows, out, row_stride, (sentence){message, size});
}

static posenc_status check_at(
    const posenc_plan *plan, const posenc_rows *rows, const void *out, int64_t row_stride, sentence m) {
  if (!rows->positions && !rows->reals && rows->count > 0)
    return posenc_fail(
        POSENC_ERROR_ARGUMENT, m.text, m.size, "positions is NULL; an array of count positions is needed");
  return check_fill(plan, rows, out, row_stride, m);
}

posenc_status posenc_fill_at_check(const posenc_plan *plan, const int64_t *positions, int64_t count, const void *out,
    int64_t row_stride, char *message, size_t size) {
  const posenc_rows rows = {.positions = positions, .count = count};
  return check_at(plan, &rows, out, row_stride, (sentence){message, size});
}

posenc_status posenc_fill_at_real_check(const posenc_plan *plan, const double *positions, int64_t count,
    const void *out, int64_t row_stride, char *message, size_t size) {
  const posenc_rows rows = {.reals = positions, .count = count};
  return check_at(plan, &rows, out, row_stride, (sentence){message, size});
}

posenc_status posenc_fill_pair_check(const posenc_plan *plan, int64_t first, int64_t count, const void *sines,
    const void *cosines, int64_t row_stride, char *message, size_t size) {
  const sentence m = {message, size};
  const posenc_rows rows = {.first = first, .count = count};
  posenc_status status = check_plan(plan, count, m);
  if (status != POSENC_OK)
    return status;
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): of a plan that is NULL, check_plan() gave an error. */
  const int64_t n = posenc_n_freqs(&plan->spec);
  status = check_rows(plan, count, n, "the number of frequencies", "row_stride", "", row_stride, m);
  if (status == POSENC_OK && count > 0)
    status = check_array(plan, "sines", sines, span(count, n, row_stride), m);
  if (status == POSENC_OK && count > 0)
    status = check_array(plan, "cosines", cosines, span(count, n, row_stride), m);
  return status == POSENC_OK && count > 0 ? check_positions(plan, &rows, m) : status;
}

posenc_status posenc_table_check(
    const posenc_plan *plan, int64_t first, int64_t count, int64_t row_stride, char *message, size_t size) {
  const sentence m = {message, size};
  const posenc_rows rows = {.first = first, .count = count};
  posenc_status status = check_plan(plan, count, m);
  if (status != POSENC_OK)
    return status;
  const int64_t d_model = plan->spec.d_model, stride = row_stride ? row_stride : d_model,
                most = PTRDIFF_MAX / element(plan);
  if (stride < d_model)
    return posenc_fail(POSENC_ERROR_ARGUMENT, message, size,
        "row_stride is %" PRId64 "; allowed: d_model = %" PRId64 " or more, or 0 for d_model", row_stride, d_model);
  if (count > 0 && stride > most / count) /* the last row has its whole stride too */
    return posenc_fail(POSENC_ERROR_SIZE, message, size,
        "count is %" PRId64 " and row_stride is %" PRId64 "; allowed: a product of at most %" PRId64 " elements", count,
        stride, most);
  return count > 0 ? check_positions(plan, &rows, m) : POSENC_OK;
}

/* ---- adds ---- */

/* A number that is finite as a float. A NaN raises a flag by being compared. */
__attribute__((noinline)) static int is_finite_float(volatile const double *scale) {
  return fabs(*scale) <= 0x1.fffffefffffffp127;
}

static int scale_allowed(double scale) {
  const posenc_fpstate caller = posenc_fp_enter();
  const int allowed = is_finite_float(&scale);
  posenc_fp_leave(caller);
  return allowed;
}

/* Does any element of one row lie in another? Either rows lie between the batch's steps, or the batch between the
 * rows'. */
static int rows_meet(posenc_strides s, int64_t count, int64_t batch, int64_t d_model) {
  const int rows_inside = batch <= 1 || (count - 1) * s.row + d_model <= s.batch;
  const int batch_inside = count <= 1 || (batch - 1) * s.batch + d_model <= s.row;
  return !rows_inside && !batch_inside;
}

static posenc_status check_strides(
    const posenc_plan *plan, int64_t count, int64_t batch, const char *name, posenc_strides s, sentence m) {
  const int64_t d_model = plan->spec.d_model, most = PTRDIFF_MAX / element(plan);
  posenc_status status = check_rows(plan, count, d_model, "d_model", name, ".row", s.row, m);
  if (status == POSENC_OK && batch > 1)
    status = check_rows(plan, batch, d_model, "d_model", name, ".batch", s.batch, m);
  if (status == POSENC_OK && count > 1 && batch > 1 && (count - 1) * s.row > most - d_model - (batch - 1) * s.batch)
    return posenc_fail(POSENC_ERROR_SIZE, m.text, m.size,
        "%s reach beyond the address space; allowed: %" PRId64 " elements", name, most);
  return status;
}

static int64_t span_of_all(const posenc_plan *plan, int64_t count, int64_t batch, posenc_strides s) {
  return span(batch, span(count, plan->spec.d_model, s.row), s.batch);
}

posenc_status posenc_add_batch_check(const posenc_plan *plan, int64_t first, int64_t count, int64_t batch,
    const void *x, posenc_strides x_strides, double scale, const void *out, posenc_strides out_strides, char *message,
    size_t size) {
  const sentence m = {message, size};
  const posenc_rows rows = {.first = first, .count = count};
  posenc_status status = check_plan(plan, count, m);
  if (status != POSENC_OK)
    return status;
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): of a plan that is NULL, check_plan() gave an error. */
  if (plan->spec.dtype != POSENC_F32 && plan->spec.dtype != POSENC_BF16)
    return posenc_fail(POSENC_ERROR_UNSUPPORTED, message, size,
        "the plan's dtype is %s; posenc_add allows float32 and bfloat16", posenc_dtype_names[plan->spec.dtype]);
  if (batch < 0)
    return posenc_fail(POSENC_ERROR_ARGUMENT, message, size, "batch is %" PRId64 "; allowed: 0 or more", batch);
  if (!scale_allowed(scale))
    return posenc_fail(
        POSENC_ERROR_ARGUMENT, message, size, "scale is %.17g; allowed: numbers that are finite as a float", scale);
  status = check_strides(plan, count, batch, "x_strides", x_strides, m);
  if (status == POSENC_OK)
    status = check_strides(plan, count, batch, "out_strides", out_strides, m);
  if (status != POSENC_OK || count == 0 || batch == 0)
    return status;
  if (rows_meet(out_strides, count, batch, plan->spec.d_model))
    return posenc_fail(POSENC_ERROR_ARGUMENT, message, size,
        "out_strides are %" PRId64 " for the batch and %" PRId64
        " for rows, so rows of out may overlap; allowed with count %" PRId64 " and batch %" PRId64
        ": one that leaves room for all of the other",
        out_strides.batch, out_strides.row, count, batch);
  status = check_array(plan, "x", x, span_of_all(plan, count, batch, x_strides), m);
  if (status == POSENC_OK)
    status = check_array(plan, "out", out, span_of_all(plan, count, batch, out_strides), m);
  return status == POSENC_OK ? check_positions(plan, &rows, m) : status;
}

posenc_status posenc_add_check(const posenc_plan *plan, int64_t first, int64_t count, const void *x, int64_t x_stride,
    double scale, const void *out, int64_t out_stride, char *message, size_t size) {
  const int64_t d_model = plan ? plan->spec.d_model : 0;
  if (plan && (x_stride < d_model || out_stride < d_model))
    return posenc_fail(POSENC_ERROR_ARGUMENT, message, size,
        "%s is %" PRId64 "; allowed: d_model = %" PRId64 " or more", x_stride < d_model ? "x_stride" : "out_stride",
        x_stride < d_model ? x_stride : out_stride, d_model);
  return posenc_add_batch_check(plan, first, count, 1, x, (posenc_strides){d_model, x_stride}, scale, out,
      (posenc_strides){d_model, out_stride}, message, size);
}
