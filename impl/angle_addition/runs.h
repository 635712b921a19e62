/* Rows of one strip: run by run, and row pair by row pair. */
#ifndef POSENC_RUNS_H
#define POSENC_RUNS_H

#include "angle_addition/correct.h"

static inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max(int64_t a, int64_t b) { return a < b ? b : a; }

/* The bytes from a pair's first value to the next pair's. */
INLINE int64_t bytes_of_pair(format fmt) { return (fmt.is_split ? 1 : 2) * size_of(fmt); }

/* Where frequency k goes at a position. `to` is the place of position r->first and frequency r->k. */
INLINE destination destination_of(
    const posenc_rows *r, const posenc_place *to, format fmt, int64_t position, int64_t k) {
  const int64_t bytes = (position - r->first) * to->row_bytes + (k - r->k) * bytes_of_pair(fmt);
  return advanced((destination){(uintptr_t)to->first, (uintptr_t)to->second}, bytes);
}

/* Sets where the row pairs go, writes them, and rechecks those whose rounding test failed. Rows that are not wanted go
 * to the free slot behind the words of the rounding test. */
static inline void fill_row_pairs(
    const strip *p, const posenc_rows *r, const posenc_place *to, int64_t run, row_pairs which) {
  const uintptr_t unwanted = (uintptr_t)(p->anchor + 3 * SLOT);
  which.ahead = which.behind = (destination){unwanted, unwanted + STRIP_BYTES / 2};
  if (which.has_ahead) {
    which.ahead = destination_of(r, to, p->fmt, run + STEPS + which.first, p->selected.first);
    which.next_ahead = to->row_bytes;
  }
  if (which.has_behind) {
    which.behind = destination_of(r, to, p->fmt, run + STEPS - 1 - which.first, p->selected.first);
    which.next_behind = -to->row_bytes;
  }
  uint64_t failed = instance_of(p->fmt.dtype, p->fmt.is_split, p->n, p->fmt.is_streamed)(p, &which);
  while (failed) {
    const int b = __builtin_ctzll(failed) / 2; /* two bits for each pair */
    recheck(p, to->cosines_first, run, b, (unsigned)(failed >> 2 * b), &which);
    failed &= ~(UINT64_C(3) << 2 * b);
  }
}

/* The row at position 0: its values are exactly 0 and 1, which sums need not be. */
static inline void set_row_0(format fmt, int columns, int cosines_first, destination to) {
  double group[2 * VD_LANES] CACHE_ALIGNED;
  vg_store(group, vd_set1(cosines_first), vd_set1(!cosines_first));
  const vg y[2] = {vg_load(group), vg_load(group)};
  const int groups = 1 + fmt.is_split;
  for (int i = 0; i < columns; i += groups * 2 * VD_LANES)
    store_groups(fmt, groups, y, to, i);
}

/* Rows from .. end-1 of a strip, run by run:
 *
 *     row      run                               run + 31 | run + 32                       run + 63
 *     pair     31  30  ...                      2   1   0 | 0   1   2                  ... 30  31
 *              <------------- behind ------------> anchor <------------ ahead ------------->
 *
 * Pairs in which both rows are wanted come first, then those in which one is. If all wanted rows are on one side, the
 * number of rows on the other side is at most 0: the wanted ones begin so many rows away from the anchor. */
static void fill_strip(const strip *p, const posenc_rows *r, const posenc_place *to, int64_t from, int64_t end) {
  for (int64_t run = run_of(from); run < end; run += RUN) {
    const int64_t start = run == 0 && from <= 0 ? 1 : from, first_ahead = run + STEPS;
    const int64_t rows_ahead = end - first_ahead, rows_behind = first_ahead - start;
    const int64_t both = min(rows_ahead, rows_behind), first_pair = max(0, -both);
    const int64_t end_pair = min(STEPS, max(rows_ahead, rows_behind)), middle = max(first_pair, min(both, end_pair));
    set_anchor(p, to->cosines_first, run);
    if (first_pair < middle)
      fill_row_pairs(
          p, r, to, run, (row_pairs){.first = (int)first_pair, .end = (int)middle, .has_ahead = 1, .has_behind = 1});
    if (middle < end_pair)
      fill_row_pairs(p, r, to, run,
          (row_pairs){.first = (int)middle,
              .end = (int)end_pair,
              .has_ahead = middle < rows_ahead,
              .has_behind = middle < rows_behind});
  }
  if (from <= 0 && end > 0)
    set_row_0(p->fmt, 2 * p->n, to->cosines_first, destination_of(r, to, p->fmt, 0, p->selected.first));
}

#endif
