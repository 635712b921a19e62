/* How the anchored and exact kernels walk a table of consecutive rows: run by run, whole rows or at most 4 KiB of them,
 * so that the processor sees two long runs of stores, upwards and downwards, and fetches their lines in time.
 *
 * Large tables are written around the caches, by whole lines. There nothing is fetched, and reading steps from L2 would
 * compete with the stores: up to 1024 rows at a time, strip by strip, whose steps (17 KiB) are in L1. So it is where a
 * plan keeps no tables: a strip's steps are computed for all of those rows.
 *
 * Where lanes lie left of a row, so does the address that a strip's vectors are counted from, perhaps before the table:
 * an address that is never used (nor read are those that rotation/run.h fetches ahead of x), on machines whose
 * addresses are plain numbers.
 */
#ifndef POSENC_CONSECUTIVE_H
#define POSENC_CONSECUTIVE_H

#include "rotation/row.h"
#include "rotation/run.h"

/* Floats of its first line left of `out`. */
static inline int64_t floats_before(const float *out) {
  return (int64_t)((uintptr_t)out / sizeof(float) % LINE_FLOATS);
}

/* The frequency, 0 or below, in the first lane where vectors go to whole lines; 0 where lines and pairs never meet. */
static inline int64_t first_lane(const float *out, int64_t stride) {
  return floats_before(out) % 2 == 0 && stride % LINE_FLOATS == 0 ? -floats_before(out) / 2 : 0;
}

/* MANY_ROWS make the joins pay, but in the caches only if rows are not checked too: then crossing lines costs less than
 * the joins. */
enum { ROWS = 1024, MANY_ROWS = 192 };

__attribute__((noinline)) static void fill_rows(
    const posenc_spec *spec, const turns *t, const posenc_rows *r, float *out, int64_t stride, recheck_pairs *recheck) {
  block p;
  const int64_t position = r->first, count = r->count;
  const posenc_addend none = {out, stride, 0.0f}, add = r->add ? *r->add : none;
  const int64_t lane = first_lane(out, stride), pairs = r->to / 2;
  const int at_lines = floats_before(out) == -2 * lane && stride % LINE_FLOATS == 0;
  const int large = count * (r->to - r->from) >= POSENC_STREAM_BYTES / (int64_t)sizeof(float);
  const int joined = at_lines && lane < 0 && r->from == 0 && stride == r->to && add.stride == stride &&
                     pairs >= STRIP && count >= MANY_ROWS && (large || r->add || !recheck);
  const int streamed = at_lines && large && (joined || !r->add || lane == 0) && !(r->add && add.x == out);
  /* parts of vectors at both ends of a row cost more than crossing lines */
  const int64_t left = joined || streamed ? lane : 0;
  const store how = r->add ? (streamed ? ADDED_STREAMED : ADDED) : streamed ? STREAMED : PLAIN;
  const int64_t columns = r->to - (joined ? floats_before(out) : 0); /* of a row, up to the line it shares */
  const int64_t width = how == STREAMED || !t->steps ? STRIP : MOST;
  if (joined)
    one_row(spec, t, position, out, left, columns, r->add ? add.x : NULL, add.scale,
        recheck); /* its end comes with the next row */
  for (int64_t i = joined, end; i < count; i = end) {
    const parts at = parts_of(position + i);
    const int64_t coarse_end = at.coarse + COARSE / 2 - STEP / 2 - position;
    end = count - i < ROWS ? count : i + ROWS;
    end = end < coarse_end ? end : coarse_end;
    for (int64_t first = r->from / 2 + left; 2 * first < columns; first += width) {
      set_block(&p, t, first, width, columns, at.coarse, how, out + 2 * first, stride);
      if (joined && first < 0)
        join_block(&p, pairs);
      for (int64_t j = i, next; j < end; j = next) {
        const int step = parts_of(position + j).step;
        const target to = {
            out + j * stride + 2 * first, stride, step, add.x + j * add.stride + 2 * first, add.stride, add.scale};
        next = j - step + STEP / 2 < end ? j - step + STEP / 2 : end;
        set_run(&p, position + j - step);
        if (p.shared)
          join_run(&p, pairs);
        write_run(&p, spec, &to, (int)(step + next - 1 - j), recheck);
      }
    }
  }
  if (joined)
    one_row(spec, t, position + count - 1, out + (count - 1) * stride, columns / 2, r->to,
        r->add ? add.x + (count - 1) * stride : NULL, add.scale, recheck);
  if (streamed)
    stream_end();
}

#endif
