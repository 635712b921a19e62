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

/* Some rows of some frequencies, small enough to stay in L1: pair j of row i is values[i * stride + 2 j], and belongs
 * to row row + i of the call and frequency k + j. */
typedef struct posenc_part {
  int64_t row, rows, k, pairs;
  unsigned char *values;
  int64_t stride; /* elements */
} posenc_part;

enum { POSENC_PART_PAIRS = 512, POSENC_PART_BYTES = 1 << 15 };

typedef void posenc_use_part(const posenc_part *part, const void *job);

/* Every part of those rows, one after the other, by the plan's kernel: of `widest` frequencies at most, up to
 * POSENC_PART_PAIRS. Narrow ones have more rows, whole runs of a kernel where they can. rows->from and to are not looked
 * at. The floating-point state is the caller's to set. */
void posenc_parts(
    const posenc_plan *plan, const posenc_rows *rows, int64_t widest, posenc_use_part *use, const void *job);

/* Row i of a part: sines and cosines to where the columns' first ones are. Elements of `size` bytes. */
void posenc_place(const posenc_part *part, int64_t i, const posenc_columns *columns, int64_t size, unsigned char *sines,
    unsigned char *cosines);

#endif
