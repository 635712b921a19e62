/* Single rows: a few rows, rows at positions in any order, and rows at real positions. A table's anchors and
 * rotations pay only for many rows (rows.h).
 *
 *   direct_row  exact, in float32 and 16 bits: each pair by its direct angle (angle.h), rotated by quarter turns after
 *               it is rounded to float32: nothing but exchanges and signs. The rounding test follows, and what
 *               correct.h has
 *   wide_row    exact in float64, and every dtype where a direct angle is not good enough
 *   sum_row     anchored: the anchor of the row's run, rotated by the row's step. It has the bits of a table
 */
#ifndef POSENC_SINGLE_H
#define POSENC_SINGLE_H

#include "angle_addition/table.h"

/* -0.0 is no integer: the sine of its angle is -0.0. */
static inline int is_integer(double position) {
  return position == rint(position) && !(position == 0.0 && signbit(position));
}

/* ---- wide ---- */

/* `columns` values from the sine of frequency k on. */
__attribute__((noinline)) static void wide_row(const row_at *row, int64_t k, int64_t columns, unsigned char *to) {
  for (; columns > 0; k += STRIP, columns -= 2 * STRIP, to += 2 * STRIP * size_of(row->fmt)) {
    double buffer[2 * STRIP], *const elements = row->fmt.dtype == POSENC_DTYPE_F64 ? (double *)(void *)to : buffer;
    const int64_t n = posenc_min(columns, 2 * STRIP);
    decide(row, k, n, elements);
    for (int c = 0; elements == buffer && c < n; c++)
      store_element(row->fmt, destination_in(to), c, elements[c]);
  }
}

/* ---- direct ---- */

/* n vectors of pairs, of frequencies from k on: sines and cosines less their quarter turns. */
typedef struct reduced_pairs {
  vd quarters[SIDE_BY_SIDE];
  sin_cos y[SIDE_BY_SIDE];
} reduced_pairs;

INLINE reduced_pairs direct_pairs(const row_at *row, int is_fractional, int n, int64_t k) {
  factors a[SIDE_BY_SIDE];
  reduced_pairs x;
  for (int v = 0; v < n; v++)
    a[v] = factors_of(row->f, is_fractional, k + v * VD_LANES, row->position, row->fraction);
  direct_reduced(n, is_fractional, a, x.quarters, x.y);
  return x;
}

/* Rotates, tests and stores vector v of the reduced pairs. Rotation only exchanges and negates values, so the test
 * gives the same answer before it. */
INLINE void store_pairs(format fmt, vtest *test, const reduced_pairs *x, int v, vu words, unsigned char *to) {
  const vp packed = vp_interleave_rotated(x->y[v].sin, x->y[v].cos, x->quarters[v]);
  if (fmt.dtype == POSENC_DTYPE_F32)
    test_doubles(test, x->y[v].sin, x->y[v].cos, words);
  else
    test_floats(fmt, test, packed, packed, words);
  store_packed(fmt, (uintptr_t)to, packed);
}

/* One vector of pairs, of which `columns` elements are wanted: tested with exempt frequencies, then rechecked. Where
 * turns count, the parts of an angle may cancel: no error is relative, and no frequency is exempt. */
INLINE void direct_vector(
    const row_at *row, format fmt, int is_fractional, int64_t k, int64_t columns, unsigned char *to) {
  enum { EACH = 2 * VD_LANES };
  unsigned char elements[EACH * sizeof(float)] CACHE_ALIGNED;
  const int64_t n = posenc_min(columns, EACH);
  vd is_exempt = exempt(fmt, vd_loadu(row->f->hi + k), fabs(row->position));
  if (is_fractional)
    is_exempt = vd_and(is_exempt, vd_ge(vd_set1(0.0), vd_abs(vd_loadu(row->f->removed_turns + k))));
  vtest test = vtest_start();
  const reduced_pairs x = direct_pairs(row, is_fractional, 1, k);
  store_pairs(fmt, &test, &x, 0, words_of(fmt, is_exempt), elements);
  memcpy(to, elements, (size_t)(n * size_of(fmt)));
  if (vtest_failed(&test) && row->position != 0.0) {
    double y[EACH] CACHE_ALIGNED;
    const sin_cos whole = with_quarters(x.y[0], x.quarters[0]);
    vd_store_interleaved(y, whole.sin, whole.cos);
    if (!vectors_agree(fmt.dtype, y))
      wide_row(row, k, n, to);
  }
}

/* `columns` values from the sine of frequency k on, in whole strips as far as they go. Software pipelining: the
 * polynomials of the next group overlap the rounding of this one. A strip whose test fails, and the columns after the
 * last whole strip, are computed vector by vector. */
INLINE void direct_row(
    const row_at *row, format fmt, int is_fractional, int64_t k, int64_t columns, unsigned char *to) {
  enum { AT_ONCE = SIDE_BY_SIDE * VD_LANES };
  const int64_t whole_end = k + columns / (2 * STRIP) * STRIP;
  reduced_pairs now, next;
  if (k < whole_end)
    next = now = direct_pairs(row, is_fractional, SIDE_BY_SIDE, k);
  for (; columns > 0; k += STRIP, columns -= 2 * STRIP, to += 2 * STRIP * size_of(fmt)) {
    if (k < whole_end) {
      vtest test = vtest_start();
#pragma GCC unroll 8
      for (int64_t i = 0; i < STRIP; i += AT_ONCE) {
        if (k + i + AT_ONCE < whole_end)
          next = direct_pairs(row, is_fractional, SIDE_BY_SIDE, k + i + AT_ONCE);
        for (int v = 0; v < SIDE_BY_SIDE; v++)
          store_pairs(fmt, &test, &now, v, words_of_all(fmt, 0), to + 2 * (i + v * VD_LANES) * size_of(fmt));
        now = next;
      }
      if (!vtest_failed(&test) || row->position == 0.0)
        continue;
    }
    for (int64_t i = 0; i < STRIP && 2 * i < columns; i += VD_LANES)
      direct_vector(row, fmt, is_fractional, k + i, columns - 2 * i, to + 2 * i * size_of(fmt));
  }
}

/* An instance for each dtype. */
INLINE void direct_row_of(const row_at *row, int is_fractional, int64_t k, int64_t columns, unsigned char *to) {
  if (row->fmt.dtype == POSENC_DTYPE_F32)
    direct_row(row, (format){.dtype = POSENC_DTYPE_F32}, is_fractional, k, columns, to);
  else if (row->fmt.dtype == POSENC_DTYPE_BF16)
    direct_row(row, (format){.dtype = POSENC_DTYPE_BF16}, is_fractional, k, columns, to);
  else
    direct_row(row, (format){.dtype = POSENC_DTYPE_F16}, is_fractional, k, columns, to);
}

/* Correctly rounded, at any position. A direct angle is good enough if the position is 0 or at least 2^-20 in
 * size, and if no removed turns that count are NaN. */
__attribute__((noinline)) static void exact_row(const row_at *row, int64_t k, int64_t columns, unsigned char *to) {
  const int is_tiny = fabs(row->position) < 0x1p-20 && !is_integer(row->position);
  if (row->fmt.dtype == POSENC_DTYPE_F64 || is_tiny || (row->fraction != 0.0 && row->f->has_lost_turns))
    wide_row(row, k, columns, to);
  else if (row->fraction == 0.0)
    direct_row_of(row, 0, k, columns, to);
  else
    direct_row_of(row, 1, k, columns, to);
}

/* ---- sums ---- */

/* anchored in float32 and float64, at integers: (sin, cos)(anchor +- step), as in a table. */
__attribute__((noinline)) static void sum_row(const row_at *row, int64_t k, int64_t columns, unsigned char *to) {
  const int64_t position = (int64_t)row->position, run = run_of(position), ahead = position - (run + STEPS);
  const int64_t b = ahead >= 0 ? ahead : -1 - ahead;
  const format fmt = {.dtype = row->fmt.dtype};
  for (; columns > 0; k += HALF_STRIP, columns -= SLOT, to += SLOT * size_of(fmt)) {
    double anchor[2 * SLOT] CACHE_ALIGNED, own[SLOT] CACHE_ALIGNED;
    unsigned char elements[SLOT * sizeof(double)] CACHE_ALIGNED;
    const double *rotation = own;
    if (row->f->rotations)
      rotation = rotations_of(row->f, k) + offset_of_rotation(b);
    else
      make_pairs(row->f, k, step_of(b), 1, own, NULL);
    make_pairs(row->f, k, anchor_of(run), 0, anchor, anchor + SLOT);
    for (int i = 0; i < SLOT; i += 2 * VD_LANES) {
      vg y, z;
      add_angles(rotation + i, anchor + i, &y, &z);
      if (ahead < 0)
        y = z;
      store_groups(fmt, 1, &y, destination_in(elements), i);
    }
    if (position == 0)
      set_row_0(fmt, SLOT, 0, destination_in(elements));
    memcpy(to, elements, (size_t)(posenc_min(columns, SLOT) * size_of(fmt)));
  }
}

#endif
