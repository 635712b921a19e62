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

/* Refuses results of 8-byte elements that are no memory, or that overlap each other or arrays[0], which is only read. */
posenc_status posenc_check_results(const char *const names[], const posenc_array arrays[], int count);

/* posenc_check_X() checks the arguments of posenc_X(), and records a message if it refuses them (api/status.h). */
posenc_status posenc_check_fill(const posenc_plan *plan, const posenc_rows *rows, const void *out, int64_t row_stride);
posenc_status posenc_check_at(const posenc_plan *plan, const posenc_rows *rows, const void *out, int64_t row_stride);
posenc_status posenc_check_pair(
    const posenc_plan *plan, const posenc_rows *rows, const void *sines, const void *cosines, int64_t row_stride);
posenc_status posenc_check_phases(const posenc_plan *plan, const posenc_phases *phases);
posenc_status posenc_check_table(const posenc_plan *plan, const posenc_rows *rows, int64_t row_stride);

#endif
