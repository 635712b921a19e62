/* Which row goes which way: consecutive rows are a table, others are rows by themselves. */
#ifndef POSENC_ROWS_H
#define POSENC_ROWS_H

#include "angle_addition/single.h"

/* From how many consecutive rows on a table is faster than rows by themselves. No bit depends on it. Measured at 512
 * columns. A single row of anchored takes two angles. The driver rearranges single rows of other layouts. */
static int64_t table_pays_from(const posenc_spec *spec, int has_rotations, const posenc_rows *r) {
  const int takes_two_angles = !is_tested(spec->dtype);
  if (EXACT && spec->dtype == POSENC_DTYPE_F64)
    return INT64_MAX;
  if (r->split)
    return 64;
  if (!has_rotations)
    return takes_two_angles ? 16 : 48;
  return takes_two_angles ? 4 : r->cosines_first ? 8 : 12;
}

/* ---- what a plan keeps ---- */

/* Rotations pay for tables of ordinary widths: a plan's memory has a limit. */
static int keeps_rotations(const posenc_spec *spec) {
  const posenc_rows any = {0};
  const int64_t from = table_pays_from(spec, 0, &any);
  return posenc_padded_freqs(spec) <= POSENC_TABLES_FREQS && from < INT64_MAX &&
         (spec->table_rows == 0 || spec->table_rows >= from);
}

/* Does the kernel write these consecutive rows in the layout that r requests? */
static int writes_layout(const posenc_spec *spec, const posenc_rows *r) {
  return spec->dtype == POSENC_DTYPE_F32 && r->count >= table_pays_from(spec, keeps_rotations(spec), r);
}

static size_t more_bytes(const posenc_spec *spec) { return posenc_frequencies_bytes(spec, keeps_rotations(spec)); }

static void prepare(const posenc_spec *spec, void *state) {
  const frequencies *const f = posenc_frequencies(spec, keeps_rotations(spec), state);
  for (int64_t k = 0; f->rotations && k < f->n; k += HALF_STRIP)
    make_rotations(f, k, rotations_of(f, k));
}

/* ---- rows ---- */

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

/* Columns of one row at any position. anchored promises the bits of its sums; 16 bits, and positions between integers,
 * are exact's. */
static inline void write_row(
    const posenc_spec *spec, const frequencies *f, double position, const posenc_rows *r, unsigned char *to) {
  const single row = {spec, f, position, fraction_of(f, position), {.dtype = spec->dtype}};
  if (!EXACT && posenc_dtype_size((posenc_dtype)spec->dtype) > 2 && is_integer(position))
    sum_row(&row, r->from / 2, r->to - r->from, to);
  else
    exact_row(&row, r->from / 2, r->to - r->from, to);
}

static void rows(const posenc_spec *spec, const void *state, const posenc_rows *r, void *out, int64_t stride) {
  const frequencies *const f = state;
  const int64_t size = (int64_t)posenc_dtype_size((posenc_dtype)spec->dtype);
  const int64_t pays_from = table_pays_from(spec, f->rotations != NULL, r);
  for (int64_t i = 0, n; i < r->count; i += n) {
    unsigned char *const to = (unsigned char *)out + i * stride * size;
    const double position = posenc_row_real(r, i);
    n = consecutive_from(r, i);
    if (n >= pays_from) { /* so they are integers */
      posenc_rows table = *r;
      table.positions = NULL;
      table.reals = NULL;
      table.first = (int64_t)position;
      table.count = n;
      write_table(spec, f, &table, to, stride);
      continue;
    }
    for (int64_t j = 0; j < n; j++)
      write_row(spec, f, posenc_row_real(r, i + j), r, to + j * stride * size);
  }
}

#endif
