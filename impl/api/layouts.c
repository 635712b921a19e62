/* Layouts that kernels do not write: from the pairs of rows() to the columns of the caller's rows. */
#include "api/internal.h"

#include <string.h>

int64_t posenc_frequency_of(const posenc_spec *spec, int64_t column) {
  const int64_t n = posenc_frequency_count(spec);
  if (column >= n + spec->d_model / 2)
    return -1;
  return spec->layout == POSENC_LAYOUT_INTERLEAVED ? column / 2 : column < n ? column : column - n;
}

/* No part of consecutive rows crosses from one run of a kernel into the next. */
static int64_t rows_in_part(const posenc_rows *rows, int64_t i, int64_t most) {
  const int64_t n = posenc_min(rows->count - i, most);
  return rows->positions || rows->reals ? n : posenc_min(n, POSENC_RUN - ((rows->first + i) & (POSENC_RUN - 1)));
}

/* Both values of n pairs; size and stride are constants, so that this becomes shuffles where stride is 1. */
__attribute__((always_inline)) static inline void copy_values(
    const unsigned char *pairs, int64_t n, int64_t stride, size_t size, unsigned char *sines, unsigned char *cosines) {
  for (int64_t j = 0; j < n; j++) {
    memcpy(sines + (size_t)(j * stride) * size, pairs + (size_t)(2 * j) * size, size);
    memcpy(cosines + (size_t)(j * stride) * size, pairs + (size_t)(2 * j + 1) * size, size);
  }
}

__attribute__((always_inline)) static inline void copy_by_stride(const unsigned char *pairs, int64_t n, int64_t stride,
    size_t size, unsigned char *restrict sines, unsigned char *restrict cosines) {
  if (stride == 1)
    copy_values(pairs, n, 1, size, sines, cosines);
  else
    copy_values(pairs, n, 2, size, sines, cosines);
}

static void copy_pairs(
    const unsigned char *pairs, int64_t n, int64_t stride, int64_t size, unsigned char *sines, unsigned char *cosines) {
  switch (size) {
  case 2:
    copy_by_stride(pairs, n, stride, 2, sines, cosines);
    break;
  case 4:
    copy_by_stride(pairs, n, stride, 4, sines, cosines);
    break;
  default:
    copy_by_stride(pairs, n, stride, 8, sines, cosines);
  }
}

/* Some rows of some frequencies: pair j of row i is at `values` + i * row_bytes. It belongs to row `row` + i of the
 * call, and to frequency k + j. */
typedef struct part {
  int64_t row, rows, k, pairs;
  const unsigned char *values;
  int64_t row_bytes;
} part;

/* Copies the first values of the frequencies, and the second ones of those below n_second: all, or all but the last. */
static void copy_part(const part *p, int64_t size, int64_t n_second, const posenc_place *to) {
  const int64_t stride = to->is_split ? 1 : 2, both = posenc_min(p->pairs, n_second - p->k);
  for (int64_t i = 0; i < p->rows; i++) {
    const unsigned char *const pairs = p->values + i * p->row_bytes;
    const int64_t at = (p->row + i) * to->row_bytes + p->k * stride * size;
    unsigned char *const first = to->first + at, *const second = to->second + at;
    copy_pairs(pairs, both, stride, size, to->cosines_first ? second : first, to->cosines_first ? first : second);
    if (both < p->pairs)
      memcpy(first + both * stride * size, pairs + (2 * both + to->cosines_first) * size, (size_t)size);
  }
}

enum { PART_PAIRS = 128, PART_BYTES = 1 << 15 };

/* Narrow parts have more rows: whole runs of a kernel where they can. */
void posenc_write_parts(
    const posenc_plan *plan, const posenc_rows *rows, int64_t n_second, const posenc_place *to, int64_t from) {
  unsigned char values[PART_BYTES] __attribute__((aligned(64)));
  const int64_t n = plan->problem.n;
  if (from >= n)
    return;
  const int64_t size = posenc_dtype_info_of(plan->problem.dtype)->size;
  const int64_t start = from / POSENC_STRIP * POSENC_STRIP, width = posenc_min(posenc_padded(n - start), PART_PAIRS);
  const int64_t most = posenc_min(PART_BYTES / (2 * width * size), POSENC_RUN);
  part p = {.values = values, .row_bytes = 2 * width * size};
  const posenc_place in_part = {values, values + size, p.row_bytes, 0, 0};
  for (p.row = 0; p.row < rows->count; p.row += p.rows) {
    p.rows = rows_in_part(rows, p.row, most);
    for (p.k = start; p.k < n; p.k += p.pairs) {
      p.pairs = posenc_min(n - p.k, width);
      const posenc_rows rows_of_part = {.positions = rows->positions ? rows->positions + p.row : NULL,
          .reals = rows->reals ? rows->reals + p.row : NULL,
          .first = rows->first + p.row,
          .count = p.rows,
          .k = p.k,
          .pairs = p.pairs};
      plan->kernel->rows(&plan->problem, plan->state, &rows_of_part, &in_part);
      copy_part(&p, size, n_second, to);
    }
  }
}
