/* Rows of one strip: run by run, and row pair by row pair. */
#ifndef POSENC_RUNS_H
#define POSENC_RUNS_H

#include "angle_addition/correct.h"

/* Where frequency k goes at a position. `to` is the place of position r->first and frequency r->k. */
INLINE destination destination_of(
    const posenc_rows *r, const posenc_place *to, format fmt, int64_t position, int64_t k) {
  const int64_t bytes = (position - r->first) * to->row_bytes + (k - r->k) * bytes_of_pair(fmt);
  return advanced((destination){(uintptr_t)to->first, (uintptr_t)to->second}, bytes);
}

/* Sets where the row pairs go, writes them, and rechecks those whose rounding test failed. Rows that are not wanted go
 * to the free slot behind the words of the rounding test. */
static inline void fill_row_pairs(
    const strip *p, const posenc_rows *r, const posenc_place *to, int64_t run, row_pairs pairs) {
  const uintptr_t unwanted = (uintptr_t)(p->anchor + 3 * SLOT);
  pairs.ahead = pairs.behind = (destination){unwanted, unwanted + STRIP_BYTES / 2};
  if (pairs.has_ahead) {
    pairs.ahead = destination_of(r, to, p->fmt, run + STEPS + pairs.from, p->selected.k);
    pairs.next_ahead = to->row_bytes;
  }
  if (pairs.has_behind) {
    pairs.behind = destination_of(r, to, p->fmt, run + STEPS - 1 - pairs.from, p->selected.k);
    pairs.next_behind = -to->row_bytes;
  }
  uint64_t failed = instance_of(p->fmt.dtype, p->fmt.is_split, p->width, p->fmt.is_streamed)(p, &pairs);
  while (failed) {
    const int b = __builtin_ctzll(failed) / 2; /* two bits for each pair */
    recheck(p, to->cosines_first, run, b, (unsigned)(failed >> 2 * b), &pairs);
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

/* Row pairs from .. end-1 of a run; none if end is 0. */
typedef struct pair_span {
  int64_t from, end;
} pair_span;

/* The intersection of from .. end-1 with the pairs of a run, 0 .. STEPS-1. */
static inline pair_span clipped(int64_t from, int64_t end) {
  const pair_span inside = {posenc_max(from, 0), posenc_min(end, STEPS)};
  return inside.from < inside.end ? inside : (pair_span){0, 0};
}

/* Rows from .. end-1 of a strip, run by run:
 *
 *     row      run                               run + 31 | run + 32                       run + 63
 *     pair     31  30  ...                      2   1   0 | 0   1   2                  ... 30  31
 *              <------------- behind ------------> anchor <------------ ahead ------------->
 *
 * The wanted rows ahead of the anchor are a span of pairs, and so are the wanted rows behind it. If neither span is
 * empty, both begin at pair 0, because the rows follow each other. The pairs in both spans are written first: both of
 * their rows are wanted. The rest of the longer span follows: one row of each pair is wanted, and the other one is
 * thrown away. */
static void fill_strip(const strip *p, const posenc_rows *r, const posenc_place *to, int64_t from, int64_t end) {
  for (int64_t run = run_of(from); run < end; run += RUN) {
    const int64_t start = run == 0 && from <= 0 ? 1 : from; /* set_row_0() writes row 0 */
    const int64_t first_ahead = run + STEPS;                /* the anchor is half a row before it */
    const pair_span ahead = clipped(start - first_ahead, end - first_ahead),
                    behind = clipped(first_ahead - end, first_ahead - start);
    const int64_t both_end = posenc_min(ahead.end, behind.end);
    const int is_longer_ahead = ahead.end > behind.end;
    const pair_span longer = is_longer_ahead ? ahead : behind;
    const pair_span rest = {posenc_max(longer.from, both_end), longer.end};
    set_anchor(p, to->cosines_first, run);
    if (both_end > 0)
      fill_row_pairs(p, r, to, run, (row_pairs){.from = 0, .end = (int)both_end, .has_ahead = 1, .has_behind = 1});
    if (rest.from < rest.end)
      fill_row_pairs(p, r, to, run,
          (row_pairs){.from = (int)rest.from,
              .end = (int)rest.end,
              .has_ahead = is_longer_ahead,
              .has_behind = !is_longer_ahead});
  }
  if (from <= 0 && end > 0)
    set_row_0(p->fmt, 2 * p->width, to->cosines_first, destination_of(r, to, p->fmt, 0, p->selected.k));
}

#endif
