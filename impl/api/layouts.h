/* From the pairs that kernels write to the columns of the caller's rows. */
#ifndef POSENC_LAYOUTS_H
#define POSENC_LAYOUTS_H

#include "api/plan.h"

/* Where the sines and cosines of a row's frequencies go: element k * step from `sines` or `cosines`, as many as there
 * are. */
typedef struct posenc_columns {
  int64_t sines, cosines; /* the first column of each; of pairs in two arrays, 0 and 0 */
  int64_t step, n_sines, n_cosines;
  int64_t zero; /* a column of zeros, or -1 */
} posenc_columns;

posenc_columns posenc_columns_of(const posenc_spec *spec);

/* The frequency of a column; -1: a column of zeros. */
int64_t posenc_frequency_of(const posenc_spec *spec, int64_t column);

/* Where rows go. */
typedef struct posenc_target {
  posenc_columns columns;
  unsigned char *sines, *cosines; /* of row 0, frequency 0 */
  int64_t row_bytes, size;        /* size: bytes of an element */
} posenc_target;

/* Writes rows in any layout, except the column of zeros. The plan's kernel computes part after part in L1, and the sines
 * and cosines of each part are copied to their columns. rows->from and rows->to are ignored. */
void posenc_write_parts(const posenc_plan *plan, const posenc_rows *rows, const posenc_target *target);

/* posenc_fill() after posenc_fp_enter(). */
posenc_status posenc_checked_fill(const posenc_plan *plan, const posenc_rows *rows, void *out, int64_t row_stride);

#endif
