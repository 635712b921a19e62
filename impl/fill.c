/* The driver: arguments checked, floating-point state normalised, kernel called, state restored. */
#include "check.h"
#include "fpstate.h"
#include "plan.h"

static posenc_status run(const posenc_plan *plan, const posenc_rows *rows, void *out, int64_t row_stride)
{
  const posenc_fpstate caller = posenc_fp_enter();
  plan->kernel->rows(&plan->spec, plan->state, rows, out, row_stride);
  posenc_fp_leave(caller);
  return POSENC_OK;
}

posenc_status posenc_fill(const posenc_plan *plan, int64_t first, int64_t count, void *out, int64_t row_stride)
{
  const posenc_status status = posenc_fill_check(plan, first, count, out, row_stride, NULL, 0);
  const posenc_rows rows = {NULL, first, count};
  return status == POSENC_OK ? run(plan, &rows, out, row_stride) : status;
}

posenc_status posenc_fill_at(const posenc_plan *plan, const int64_t *positions, int64_t count, void *out,
                             int64_t row_stride)
{
  const posenc_status status = posenc_fill_at_check(plan, positions, count, out, row_stride, NULL, 0);
  const posenc_rows rows = {positions, 0, count};
  return status == POSENC_OK ? run(plan, &rows, out, row_stride) : status;
}
