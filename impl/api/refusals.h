#ifndef POSENC_REFUSALS_H
#define POSENC_REFUSALS_H

#include "api/plan.h"

/* What the functions of these names refuse: each status is recorded with its sentence (api/status.h). */
posenc_status posenc_refuse_fill(const posenc_plan *plan, const posenc_rows *rows, const void *out, int64_t row_stride);
posenc_status posenc_refuse_at(const posenc_plan *plan, const posenc_rows *rows, const void *out, int64_t row_stride);
posenc_status posenc_refuse_pair(
    const posenc_plan *plan, const posenc_rows *rows, const void *sines, const void *cosines, int64_t row_stride);
posenc_status posenc_refuse_table(const posenc_plan *plan, const posenc_rows *rows, int64_t row_stride);

#endif
