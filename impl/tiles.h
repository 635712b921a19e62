/* How the anchored and exact kernels walk a table of consecutive rows: up to 1024 rows at a time, strip by strip, so that a
 * strip's 17 KiB of steps are read from L1 while the rows of many runs pass.
 *
 * Large tables are written around the caches, by whole lines; the lines in which one row ends and the next begins are put
 * together in a buffer first.
 */
#ifndef POSENC_TILES_H
#define POSENC_TILES_H

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

typedef float line[LINE_FLOATS];

enum { JOINED_ROWS = ROWS / 2 }; /* at a time, where their ends wait in the stack */

/* Writes the lines in which rows i .. end-1 begin, `before` floats left of the row. The very first and last are not whole. */
static inline void write_ends(float *out, int64_t stride, int64_t before, int64_t i, int64_t end, int64_t count, line *ends)
{
  for (int64_t r = i; r < end; r++) {
    float *to = out + r * stride;
    if (r == 0)
      memcpy(to, ends[0] + before, (size_t)(LINE_FLOATS - before) * sizeof *to);
    else
      for (int v = 0; v < LINE_FLOATS; v += EACH)
        vp_stream(to - before + v, vp_load(ends[r - i] + v));
  }
  memcpy(ends[0], ends[end - i], sizeof ends[0]);
  if (end == count)
    memcpy(out + count * stride - before, ends[0], (size_t)before * sizeof *out);
}

static inline void fill_rows(const posenc_spec *spec, const turns *t, int64_t position, int64_t count, float *out, int64_t stride,
                             settle_pairs *settle)
{
  strip p;
  line ends[JOINED_ROWS + 1] LINE;
  const int64_t before = floats_before(out), left = first_lane(out, stride);
  const int streamed = before == -2 * left && stride % LINE_FLOATS == 0 && count * spec->d_model >= STREAM_BYTES / (int64_t)sizeof(float);
  const int joined = streamed && before > 0 && stride == spec->d_model;
  const int64_t most = joined ? JOINED_ROWS : ROWS;
  for (int64_t i = 0, end; i < count; i = end) {
    const parts at = parts_of(position + i);
    const int64_t anchor = position + i - at.step, same_coarse = at.coarse + COARSE / 2 - STEP / 2 - position;
    end = count - i < most ? count : i + most;
    end = end < same_coarse ? end : same_coarse;
    const int64_t runs = (position + end - anchor + STEP / 2 + STEP - 1) / STEP;
    for (int64_t first = left; 2 * first < spec->d_model; first += STRIP) {
      target to[WIDE];
      set_strip(&p, spec, t, first, anchor, runs, streamed ? STREAMED : PLAIN);
      for (int g = 0; g < p.groups; g++)
        to[g] = joined && p.how[g] == PART ? (target){ends[first < 0 && g == 0 ? 0 : 1], LINE_FLOATS}
                                           : (target){out + i * stride + 2 * first + g * LINE_FLOATS, stride};
      for (int64_t run = 0, j = i, next; j < end; run++, j = next) {
        const int64_t middle = anchor + run * STEP - position; /* the anchor's row */
        next = middle + STEP / 2 < end ? middle + STEP / 2 : end;
        strip_rows(&p, spec, (int)run, (int)(j - middle), (int)(next - 1 - middle), to, settle);
        for (int g = 0; g < p.groups; g++)
          to[g].row += (next - j) * to[g].stride;
      }
    }
    if (joined)
      write_ends(out, stride, before, i, end, count, ends);
  }
  if (streamed)
    stream_end();
}

#endif
