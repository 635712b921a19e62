/* How the anchored and exact kernels walk a table of consecutive rows: run by run, whole rows or at most 2 KiB of them,
 * so that the processor sees long runs of stores, upwards and downwards, and fetches their lines in time.
 *
 * Large tables are written around the caches, by whole lines. There nothing is fetched, and reading steps from L2 would
 * compete with the stores: up to 2048 rows at a time, strip by strip of 32 frequencies, whose steps (16 KiB) are in
 * L1. So it is where a plan keeps no steps: a strip's are computed for all of those rows.
 *
 * Where lanes lie left of a row, so does the address that a strip's vectors are counted from, perhaps before the table:
 * an address that is never used, on machines whose addresses are plain numbers.
 */
#ifndef POSENC_WALK_H
#define POSENC_WALK_H

#include "angle_addition/edges.h"
#include "angle_addition/pieces.h"

enum { MANY_ROWS = 2048, BEYOND_L2 = 1 << 18 /* float32, and as many of x */ };

__attribute__((noinline)) static void write_range(
    const posenc_spec *spec, const turns *t, const posenc_rows *r, void *table, int64_t stride, store how, int joined) {
  const int is_half = spec->dtype == POSENC_DTYPE_F16;
  float *const out = is_half ? NULL : table;
  uint16_t *const halves = is_half ? table : NULL;
  block p = {.cosines_first = r->cosines_first, .split = r->second != 0};
  block_memory memory;
  edges e;
  if (joined)
    set_edges(&e, t, r->cosines_first);
  const int per_frequency = r->second ? 1 : 2;                        /* columns side by side */
  const int64_t lane = how == STREAMED ? -floats_before(out) / 2 : 0; /* of the first line, in frequencies */
  const int64_t width = how == STREAMED || !t->steps ? STRIP : MOST, last = r->first + r->count;
  const int64_t end = joined ? r->to + 2 * lane : r->to; /* the line over two rows is one of the next row */
  for (int64_t from = r->first, to; from < last; from = to) {
    to = run_of(from) + MANY_ROWS < last ? run_of(from) + MANY_ROWS : last;
    for (int64_t k = r->from / 2 + lane; 2 * k < end; k += width) {
      const int64_t at = per_frequency * k;
      set_block(&p, &memory, t, k, width, end, how, out ? out + at : NULL);
      p.edges = joined && k < 0 ? e.rows : NULL;
      for (int64_t run = run_of(from); run < to; run += RUN) {
        const int64_t row = run + STEPS - r->first;
        if (p.edges)
          edges_of_run(&e, spec, run);
        target rows = {.run = run,
            .first = r->first,
            .from = from > run ? (int)(from - run) : 0,
            .to = to - run < RUN ? (int)(to - run) : RUN,
            .row = out ? out + (row * stride + at) : NULL,
            .second = r->second,
            .halves = halves ? halves + (row * stride + at) : NULL,
            .stride = stride};
        if (r->add) {
          rows.x = r->add->x + (row * r->add->stride + at);
          rows.x_stride = r->add->stride;
          rows.scale = r->add->scale;
          rows.fetched = r->count * (r->to - r->from) >= BEYOND_L2;
        }
        write_run(&p, spec, &rows);
      }
    }
  }
}

static inline void write_table(
    const posenc_spec *spec, const turns *t, const posenc_rows *r, float *out, int64_t stride) {
  const int at_pair = floats_before(out) % (r->second ? LINE_FLOATS : 2) == 0;
  const int at_lines = at_pair && stride % LINE_FLOATS == 0 && r->second % LINE_FLOATS == 0;
  const int streamed = posenc_is_streamed(spec, r->count, r->to - r->from) && !(r->add && r->add->x == out);
  const store how = !streamed ? (r->add ? PIECES : PLAIN) : r->add || !at_lines ? PIECES_STREAMED : STREAMED;
  const int no_gaps = r->from == 0 && stride == r->to && !r->second;
  const int joined = how == STREAMED && t->steps && floats_before(out) > 0 && no_gaps;
  write_range(spec, t, r, out, stride, how, joined);
  for (int i = 0; joined && i < 2; i++) { /* the first line of all, and the last */
    posenc_rows part = *r;
    part.first = i ? r->first + r->count - 1 : r->first;
    part.count = 1;
    part.from = i ? (r->to - 1) / (2 * WINDOW) * (2 * WINDOW) : 0;
    part.to = i || r->to < 2 * WINDOW ? r->to : 2 * WINDOW;
    write_range(spec, t, &part, out + (part.first - r->first) * stride, stride, PLAIN, 0);
  }
  if (streamed)
    stream_end();
  if (how != PIECES && how != PIECES_STREAMED && r->first <= 0 &&
      r->first + r->count > 0) /* angle 0: no sum, but 0 and 1 exactly */
    for (int64_t c = r->from; c < r->to; c++)
      out[-r->first * stride + (r->second ? c / 2 + c % 2 * r->second : c)] = (float)(c % 2 != r->cosines_first);
}

/* float16 of consecutive rows. */
__attribute__((noinline)) static void fill_half(
    const posenc_spec *spec, const turns *t, const posenc_rows *r, uint16_t *out, int64_t stride) {
  const int streamed = posenc_is_streamed(spec, r->count, r->to - r->from);
  write_range(spec, t, r, out - r->from, stride, streamed ? PIECES_STREAMED : PIECES, 0);
  if (streamed)
    stream_end();
}

#endif
