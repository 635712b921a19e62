/* bfloat16, consecutive rows: walked as angle_addition/walk.h walks float32, in the caches by whole rows, around them strip by
 * strip. Strips (angle_addition/bf16_strip.h) go through a buffer whose lines are those of the table.
 */
#ifndef POSENC_BF16_H
#define POSENC_BF16_H

#include "angle_addition/bf16_strip.h"
#include "angle_addition/walk.h"

enum { BF16_MOST = 8 /* strips side by side */ };

FLAT void copy_lines(unsigned char *to, const unsigned char *from, int64_t bytes, store how) {
#pragma GCC unroll 8
  for (int64_t i = 0; i < bytes; i += EACH * (int64_t)sizeof(float))
    store_vector((float *)(void *)(to + i), vp_load((const float *)(const void *)(from + i)), how == STREAMED);
}

/* Both begin at the same place of a line, if `how` says STREAMED. */
static inline void copy_out(unsigned char *to, const unsigned char *from, int64_t bytes, store how) {
  const int64_t whole = 4 * BF16_STRIP, line = 4 * BF16_LINE;
  if (how == PLAIN && bytes == whole) {
    copy_lines(to, from, whole, PLAIN);
  } else if (how == PLAIN) {
    memcpy(to, from, (size_t)bytes);
  } else if (bytes == whole && (uintptr_t)to % 64 == 0) {
    copy_lines(to, from, whole, STREAMED);
  } else {
    const int64_t head = (int64_t)(-(uintptr_t)to % 64), first = head < bytes ? head : bytes,
                  lines = (bytes - first) / line * line;
    const int64_t rest = bytes - first - lines;
    if (first)
      memcpy(to, from, (size_t)first);
    copy_lines(to + first, from + first, lines, STREAMED);
    if (rest)
      memcpy(to + first + lines, from + first + lines, (size_t)rest);
  }
}

typedef struct bf16_target {
  unsigned char *row; /* where the strip's columns of the run's first row go */
  int64_t row_bytes;
  int from, to; /* rows that are wanted */
  store how;
} bf16_target;

/* The rows of a strip ahead of the anchor by step b and behind it, or the one that is wanted. */
static inline void bf16_rows(const bf16_strip *p, const posenc_spec *spec, int b, const bf16_target *to) {
  uint32_t ahead[BF16_STRIP + BF16_LINE] LINE, behind[BF16_STRIP + BF16_LINE] LINE, apart[BF16_STRIP] LINE, any = 0;
  const int shift = (int)((uintptr_t)to->row % 64 / 4);
  uint32_t *const y = ahead + shift, *const z = behind + shift;
  if (p->lanes == BF16_STRIP && p->absolute)
    any = strip_pairs(p, 0, BF16_STRIP, 1, b, y, z, apart);
  else if (p->lanes == BF16_STRIP)
    any = strip_pairs(p, 0, BF16_STRIP, 0, b, y, z, apart);
  else
    for (int l = 0; l < p->lanes; l += BF16_LINE)
      any |= strip_pairs(p, l, l + BF16_LINE, 0, b, y, z, apart);
  if (any)
    recheck_lanes(p, spec, b, y, z, apart);
  for (int i = 0; i < 2; i++) {
    const int row = i ? STEPS - 1 - b : STEPS + b;
    if (row >= to->from && row < to->to)
      copy_out(to->row + row * to->row_bytes, (const unsigned char *)(i ? z : y), 4 * p->lanes, to->how);
  }
}

/* Rows i .. end-1 of r, in some strips; the first one's columns of row 0 begin at `row`. */
static inline void bf16_runs(bf16_strip *strips, int count, const posenc_spec *spec, const posenc_rows *r, int64_t i,
    int64_t end, unsigned char *row, int64_t row_bytes, store how) {
  for (int64_t run = run_of(r->first + i); run < r->first + end; run += RUN) {
    const int64_t from = r->first + i - run, to = r->first + end - run;
    const bf16_target rows = {
        row + (run - r->first) * row_bytes, row_bytes, from > 0 ? (int)from : 0, to < RUN ? (int)to : RUN, how};
    for (int s = 0; s < count; s++)
      set_bf16_run(&strips[s], run);
    for (int b = 0; b < STEPS; b++)
      for (int s = 0; s < count; s++) {
        bf16_target part = rows;
        part.row += 4 * (strips[s].k - strips[0].k);
        bf16_rows(&strips[s], spec, b, &part);
      }
  }
}

static inline void one_bf16_row(
    const posenc_spec *spec, const turns *t, const posenc_rows *r, int64_t i, void *out, int64_t stride) {
  const posenc_rows row = posenc_row_alone(r, i);
  write_dtype(spec, t, &row, (unsigned char *)out + 2 * i * stride, stride);
}

/* Whole pairs, with tables. Where rows follow each other without a gap and do not begin at a line, the line over two of
 * them is a strip of its own, but for the first and the last one. Runs next to position 0, where relative errors are
 * largest, come by themselves. */
__attribute__((noinline)) static void fill_bf16(
    const posenc_spec *spec, const turns *t, const posenc_rows *r, void *out, int64_t stride) {
  bf16_strip strips[BF16_MOST];
  bf16_edge edge LINE;
  const int64_t row_bytes = 2 * stride, from = r->from / 2, end_k = r->to / 2;
  unsigned char *const column_0 = (unsigned char *)out - 4 * from; /* of a tile: where it would be */
  const int at_lines = (uintptr_t)out % 4 == 0 && row_bytes % 64 == 0;
  const store how = at_lines && posenc_is_streamed(spec, r->count, r->to - r->from) ? STREAMED : PLAIN;
  const int lead = at_lines ? (int)((uintptr_t)out % 64 / 4) : 0, most = how == STREAMED ? 1 : BF16_MOST;
  const int joined = how == STREAMED && lead > 0 && from == 0 && stride == r->to && end_k >= 2 * BF16_LINE;
  for (int64_t i = 0, end; i < r->count; i = end) {
    const int64_t run = run_of(r->first + i), rows = run >= -RUN && run <= 0                ? RUN
                                                     : run < -RUN && run + MANY_ROWS > -RUN ? -RUN - run
                                                                                            : MANY_ROWS;
    end = run + rows - r->first < r->count ? run + rows - r->first : r->count;
    const double first_anchor = anchor_of(run), last_anchor = anchor_of(run_of(r->first + end - 1));
    for (int64_t k = joined ? BF16_LINE - lead : from, last_k = joined ? end_k - lead : end_k; k < last_k;) {
      int count = 0;
      const int64_t first_k = k;
      for (; count < most && k < last_k; count++) {
        const int64_t room = k == from && lead ? BF16_STRIP - lead : BF16_STRIP,
                      lanes = last_k - k < room ? last_k - k : room;
        set_bf16_strip(&strips[count], t, k, (int)lanes, first_anchor, last_anchor);
        k += lanes;
      }
      bf16_runs(strips, count, spec, r, i, end, column_0 + 4 * first_k, row_bytes, how);
    }
    const int64_t second = i > 0 ? i : 1;
    if (joined && second < end) {
      set_bf16_edge(&strips[0], edge, t, end_k, lead, first_anchor, last_anchor);
      bf16_runs(strips, 1, spec, r, second, end, (unsigned char *)out - 4 * lead, row_bytes, how);
    }
  }
  /* what no strip has: the outer rows where lines are joined; and position 0, where sine and cosine are exact */
  if (joined) {
    one_bf16_row(spec, t, r, 0, out, stride);
    one_bf16_row(spec, t, r, r->count - 1, out, stride);
  }
  if (r->first <= 0 && r->first + r->count > 0)
    one_bf16_row(spec, t, r, -r->first, out, stride);
  if (how == STREAMED)
    stream_end();
}

static void prepare(const posenc_spec *spec, void *state) {
  const turns t = turns_of(spec, state);
  prepare_steps(spec, state);
  if (spec->dtype == POSENC_DTYPE_BF16 && t.steps)
    make_bf16_steps(&t);
}

#endif
