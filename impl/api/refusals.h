#ifndef POSENC_REFUSALS_H
#define POSENC_REFUSALS_H

#include "api/plan.h"

/* An array in memory: `count` rows of `width` bytes, `stride` bytes apart. The stride of a single row is its width. */
typedef struct posenc_array {
  const void *start;
  int64_t count, stride, width;
} posenc_array;

/* Whether the arrays have a byte in common. They have the same shape, or one of them has a single row. */
int posenc_arrays_meet(posenc_array a, posenc_array b);

/* What the functions of these names refuse: each status is recorded with its sentence (api/status.h). */
posenc_status posenc_refuse_fill(const posenc_plan *plan, const posenc_rows *rows, const void *out, int64_t row_stride);
posenc_status posenc_refuse_at(const posenc_plan *plan, const posenc_rows *rows, const void *out, int64_t row_stride);
posenc_status posenc_refuse_pair(
    const posenc_plan *plan, const posenc_rows *rows, const void *sines, const void *cosines, int64_t row_stride);
posenc_status posenc_refuse_table(const posenc_plan *plan, const posenc_rows *rows, int64_t row_stride);
posenc_status posenc_refuse_add(const posenc_plan *plan, const posenc_rows *rows, const void *x, int64_t x_stride,
    double scale, const void *out, int64_t out_stride);
posenc_status posenc_refuse_add_batch(const posenc_plan *plan, const posenc_rows *rows, int64_t batch, const void *x,
    posenc_strides x_strides, double scale, const void *out, posenc_strides out_strides);

#endif
