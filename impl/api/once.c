/* posenc_fill_once: a plan for one call. */
#include "api/internal.h"

#include "api/fpstate.h"

POSENC_NOINLINE static posenc_status fill_once(
    const posenc_spec *spec, const char *impl, const posenc_rows *rows, void *out, int64_t row_stride) {
  posenc_plan *plan = NULL;
  POSENC_TRY(posenc_make_plan(&plan, spec, impl, rows->count));
  const posenc_status status = posenc_check_and_fill(plan, rows, out, row_stride);
  posenc_plan_destroy(plan);
  return status;
}

posenc_status posenc_fill_once(
    const posenc_spec *spec, const char *impl, int64_t first, int64_t count, void *out, int64_t row_stride) {
  const posenc_rows rows = {.first = first, .count = count};
  const posenc_fpstate caller = posenc_fp_enter();
  return posenc_fp_leave(caller, fill_once(spec, impl, &rows, out, row_stride));
}
