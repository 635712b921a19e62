/* How the anchored and exact kernels walk a table of consecutive rows: up to 1024 rows at a time, strip by strip, so that a
 * strip's 17 KiB of steps are read from L1 while the rows of many runs pass.
 *
 * Large tables are written around the caches, by whole lines.
 */
#ifndef POSENC_TILES_H
#define POSENC_TILES_H

#include "join.h"
#include "row.h"
#include "run.h"

/* From here on a table is written around the caches. Below, its lines may still be in some cache when they are read. */
#ifdef POSENC_STREAM_BYTES /* tests: small tables too */
#define STREAM_BYTES ((int64_t)POSENC_STREAM_BYTES)
#else
#define STREAM_BYTES (INT64_C(24) << 20)
#endif

/* Floats of its first line left of `out`. */
static inline int64_t floats_before(const float *out)
{
  return (int64_t)((uintptr_t)out / sizeof(float) % LINE_FLOATS);
}

/* The frequency, 0 or below, in the first lane where vectors go to whole lines; 0 where lines and pairs never meet. */
static inline int64_t first_lane(const float *out, int64_t stride)
{
  return floats_before(out) % 2 == 0 && stride % LINE_FLOATS == 0 ? -floats_before(out) / 2 : 0;
}

/* Shorter calls end before a join pays. */
enum { MANY_ROWS = 192 };

static inline void fill_rows(const posenc_spec *spec, const turns *t, int64_t position, int64_t count, float *out, int64_t stride,
                             settle_pairs *settle)
{
  strip p;
  const int64_t left = first_lane(out, stride);
  const int at_lines = floats_before(out) == -2 * left && stride % LINE_FLOATS == 0;
  const int joined = at_lines && left < 0 && stride == spec->d_model && stride >= 2 * STRIP && count >= MANY_ROWS;
  const store how = at_lines && count * spec->d_model >= STREAM_BYTES / (int64_t)sizeof(float) ? STREAMED : PLAIN;
  const int64_t columns = spec->d_model - (joined ? floats_before(out) : 0); /* of a row, up to the line it shares */
  if (joined)
    one_row(spec, t, position, out, left, settle);
  for (int64_t i = joined, end; i < count; i = end) {
    const parts at = parts_of(position + i);
    const int64_t anchor = position + i - at.step, same_coarse = at.coarse + COARSE / 2 - STEP / 2 - position;
    end = count - i < ROWS ? count : i + ROWS;
    end = end < same_coarse ? end : same_coarse;
    const int64_t runs = (position + end - anchor + STEP / 2 + STEP - 1) / STEP;
    for (int64_t first = left; 2 * first < columns; first += STRIP) {
      target to[WIDE];
      set_strip(&p, t, first, columns, anchor, runs, how);
      if (joined && first < 0)
        join_rows(&p, spec->d_model / 2, runs, how);
      for (int g = 0; g < p.groups; g++)
        to[g] = (target){out + i * stride + 2 * first + g * LINE_FLOATS, stride};
      for (int64_t run = 0, j = i, next; j < end; run++, j = next) {
        const int64_t middle = anchor + run * STEP - position; /* the anchor's row */
        next = middle + STEP / 2 < end ? middle + STEP / 2 : end;
        strip_rows(&p, spec, (int)run, (int)(j - middle), (int)(next - 1 - middle), to, settle);
        for (int g = 0; g < p.groups; g++)
          to[g].row += (next - j) * to[g].stride;
      }
    }
  }
  if (joined)
    one_row(spec, t, position + count - 1, out + (count - 1) * stride, columns / 2, settle);
  if (how == STREAMED)
    stream_end();
}

#endif
