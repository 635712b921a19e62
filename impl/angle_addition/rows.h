/* Which row goes which way: consecutive rows are a table, others are single rows. */
#ifndef POSENC_ROWS_H
#define POSENC_ROWS_H

#include "angle_addition/single.h"

/* Is a row at an integer position a sum, with the bits of a table? anchored promises them in float32 and float64. */
INLINE int is_sum_row(int dtype) { return !EXACT && posenc_dtype_info_of(dtype)->size > 2; }

/* From how many consecutive rows on a table is faster than single rows; INT64_MAX: never. No bit depends on it.
 * Measured on Zen 4 at 128 to 1024 columns. A row that is a sum takes two angles.
 * Other layouts pay earlier: without a table, posenc_write_parts() has to copy the values. */
static int64_t table_pays_from(int dtype, int has_rotations, const posenc_place *to) {
  if (EXACT && dtype == POSENC_DTYPE_F64)
    return INT64_MAX;
  if (!has_rotations)
    return is_sum_row(dtype) ? 16 : 48;
  return is_sum_row(dtype) ? 4 : to->is_split || to->cosines_first ? 8 : 12;
}

/* ---- what a plan keeps ---- */

/* Rotations, unless all its tables are so short that making them costs more than they save. */
static int keeps_rotations(const posenc_problem *problem) {
  const int64_t from = table_pays_from(problem->dtype, 0, &(posenc_place){0});
  return posenc_padded(problem->n) <= MOST_WITH_ROTATIONS && from < INT64_MAX &&
         (problem->table_rows == 0 || problem->table_rows >= from);
}

static size_t extra_bytes(const posenc_problem *problem) {
  return posenc_frequencies_bytes(problem, keeps_rotations(problem));
}

static void prepare(const posenc_problem *problem, void *state) {
  const frequencies *const f = posenc_set_frequencies(problem, keeps_rotations(problem), state);
  for (int64_t k = 0; f->rotations && k < f->n; k += HALF_STRIP)
    make_rotations(f, k, rotations_of(f, k));
}

/* ---- rows ---- */

static int table(const posenc_problem *problem, const void *state, const posenc_rows *r, const posenc_place *to) {
  const frequencies *const f = state;
  if (r->count < table_pays_from(problem->dtype, f->rotations != NULL, to) ||
      !instance_of(problem->dtype, to->is_split, 0, 0))
    return 0;
  write_table(f, r, to);
  return 1;
}

/* How many rows from row i on have positions that are consecutive integers; 1 if that of row i is no integer. */
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

/* One row at any position. 16 bits, and positions between integers, are exact's. */
static inline void write_row(const row_at *row, const posenc_rows *r, unsigned char *to) {
  if (is_sum_row(row->fmt.dtype) && is_integer(row->position))
    sum_row(row, r->k, 2 * r->pairs, to);
  else
    exact_row(row, r->k, 2 * r->pairs, to);
}

static void write_rows(const posenc_problem *problem, const void *state, const posenc_rows *r, const posenc_place *to) {
  const frequencies *const f = state;
  posenc_ratio ratio = {0};
  for (int64_t i = 0, n; i < r->count; i += n) {
    posenc_place place = *to;
    place.first += i * to->row_bytes;
    place.second += i * to->row_bytes;
    n = consecutive_from(r, i);
    /* Only with n > 1 are positions known to be integers, which `first` can hold. */
    const posenc_rows consecutive = {.first = (int64_t)posenc_row_real(r, i), .count = n, .k = r->k, .pairs = r->pairs};
    if (n > 1 && table(problem, state, &consecutive, &place))
      continue;
    for (int64_t j = 0; j < n; j++) {
      const double position = posenc_row_real(r, i + j);
      const row_at row = {f, position, counted_fraction(f, position), &ratio, {.dtype = problem->dtype}};
      write_row(&row, r, place.first + j * to->row_bytes);
    }
  }
}

#endif
