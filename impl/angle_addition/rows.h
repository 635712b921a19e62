/* The rows of a call: stretches of consecutive rows are tables, others are single rows. */
#ifndef POSENC_ROWS_H
#define POSENC_ROWS_H

#include "angle_addition/float64_rows.h"
#include "angle_addition/single_rows.h"
#include "angle_addition/sum_rows.h"

/* Fewer rows than this are computed without a table where a plan has factors. Measured at 512 columns. The sum of three angles
 * takes longer than a single row of exact, so anchored makes tables of fewer rows. */
enum { FEW = 12, FEW_SUMS = 4 };

/* anchored promises the bits of its sums; 16 bits, and positions between integers, are those of exact. */
static inline int is_sum(const posenc_spec *spec) {
  return !EXACT && (spec->dtype == POSENC_DTYPE_F32 || spec->dtype == POSENC_DTYPE_F64);
}

/* Rows from row i on whose positions are consecutive integers. */
static inline int64_t consecutive_from(const posenc_rows *r, int64_t i) {
  const double position = posenc_row_real(r, i);
  int64_t n = 1;
  if (!r->positions && !r->reals)
    return r->count - i;
  for (double next = position + 1.0; i + n < r->count && is_integer(posenc_row_real(r, i + n)); n++, next += 1.0)
    if (posenc_row_real(r, i + n) != next)
      break;
  return is_integer(position) ? n : 1;
}

/* Do frequencies of these columns lack whole turns? */
static inline int any_whole_turns(const turns *t, const posenc_rows *r) {
  int any = 0;
  for (int64_t k = r->from / 2; r->reals && 2 * k < r->to; k++)
    any |= t->whole[k] != 0.0;
  return any;
}

/* Columns of one row at any position, without a table. */
static inline void row_alone(const posenc_spec *spec, const turns *t, double position, int has_whole, int64_t k,
    int64_t columns, unsigned char *to) {
  if (is_sum(spec) && is_integer(position))
    sum_row(t, spec->dtype, (int64_t)position, k, columns, to);
  else if (spec->dtype == POSENC_DTYPE_F64)
    float64_row(spec, t, position, 2 * k, 2 * k + columns, (double *)(void *)to);
  else
    single_row(spec, t, position, has_whole, k, columns, to);
}

/* Adds a row by way of a buffer. */
static inline void add_row_alone(const posenc_spec *spec, const turns *t, const posenc_rows *r, int64_t i, float *out) {
  enum { COLUMNS = 8 * 2 * STRIP };
  float row[COLUMNS] LINE;
  for (int64_t c = 0; c < r->to; c += COLUMNS) {
    const int64_t n = least(r->to - c, COLUMNS);
    row_alone(spec, t, (double)(r->first + i), 0, c / 2, n, (unsigned char *)row);
    add_row(row, r->add->x + i * r->add->stride + c, r->add->scale, out + c, n, 0);
  }
}

static void rows(const posenc_spec *spec, const void *state, const posenc_rows *r, void *out, int64_t stride) {
  const turns t = turns_of(spec, state, FEW_WITHOUT_FACTORS);
  const int64_t size = (int64_t)posenc_dtype_size((posenc_dtype)spec->dtype);
  const int has_whole = any_whole_turns(&t, r);
  const int64_t few = r->cosines_first || r->split               ? 1
                      : EXACT && spec->dtype == POSENC_DTYPE_F64 ? INT64_MAX
                      : !t.factors                               ? FEW_WITHOUT_FACTORS
                      : is_sum(spec)                             ? FEW_SUMS
                                                                 : FEW;
  for (int64_t i = 0, n; i < r->count; i += n) {
    unsigned char *const to = (unsigned char *)out + i * stride * size;
    n = consecutive_from(r, i);
    if (n >= few && is_integer(posenc_row_real(r, i))) {
      posenc_rows part = *r;
      part.positions = NULL;
      part.reals = NULL;
      part.first = (int64_t)posenc_row_real(r, i);
      part.count = n;
      write_table(spec, &t, &part, to, stride);
      continue;
    }
    for (int64_t j = 0; j < n; j++) {
      unsigned char *const row = to + j * stride * size;
      if (r->add)
        add_row_alone(spec, &t, r, i + j, (float *)(void *)row);
      else
        row_alone(spec, &t, posenc_row_real(r, i + j), has_whole, r->from / 2, r->to - r->from, row);
    }
  }
}

#endif
