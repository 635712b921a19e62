/* bfloat16, consecutive rows: walked as rotation/consecutive.h walks float32, in the caches by whole rows, around them
 * strip by strip. Strips (rotation/bf16_strip.h) go through a buffer whose lines are those of the table.
 */
#ifndef POSENC_BF16_H
#define POSENC_BF16_H

#include "rotation/bf16_strip.h"
#include "rotation/consecutive.h"

enum { BF16_MOST = 8 /* strips side by side */ };

FLAT void copy_lines(unsigned char *to, const unsigned char *from, int64_t bytes, store how) {
#pragma GCC unroll 8
  for (int64_t i = 0; i < bytes; i += EACH * (int64_t)sizeof(float))
    store_vector((float *)(void *)(to + i), vp_load((const float *)(const void *)(from + i)), how);
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
  unsigned char *row; /* where the strip's columns of row anchor + lo go */
  int64_t row_bytes;
  int lo, hi;
  store how;
} bf16_target;

/* Rows anchor + b and anchor - b of a strip, or the one that is wanted. */
static inline void bf16_rows(const bf16_strip *p, const posenc_spec *spec, int b, const bf16_target *to, int exact) {
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
    recheck_lanes(p, spec, b, y, z, apart, exact);
  if (b >= to->lo && b <= to->hi)
    copy_out(to->row + (b - to->lo) * to->row_bytes, (const unsigned char *)y, 4 * p->lanes, to->how);
  if (b > 0 && -b >= to->lo && -b <= to->hi)
    copy_out(to->row + (-b - to->lo) * to->row_bytes, (const unsigned char *)z, 4 * p->lanes, to->how);
}

/* Of the rows at r->first + i .. end-1, with one coarse part, some strips; the first one's columns of row i begin at
 * `row`. */
static inline void bf16_runs(bf16_strip *strips, int count, const posenc_spec *spec, const posenc_rows *r, int64_t i,
    int64_t end, unsigned char *row, int64_t row_bytes, store how, int exact) {
  for (int64_t j = i, next; j < end; j = next) {
    const int step = parts_of(r->first + j).step;
    next = j - step + STEP / 2 < end ? j - step + STEP / 2 : end;
    bf16_target to = {row + (j - i) * row_bytes, row_bytes, step, (int)(step + next - 1 - j), how};
    for (int s = 0; s < count; s++)
      set_bf16_run(&strips[s], r->first + j - step);
    const int furthest = -to.lo > to.hi ? -to.lo : to.hi, nearest = to.lo > 0 ? to.lo : to.hi < 0 ? -to.hi : 0;
    for (int b = nearest; b <= furthest; b++)
      for (int s = 0; s < count; s++) {
        bf16_target part = to;
        part.row += 4 * (strips[s].k - strips[0].k);
        bf16_rows(&strips[s], spec, b, &part, exact);
      }
  }
}

/* Whole pairs, with tables. Where rows follow each other without a gap and do not begin at a line, the line over two of
 * them is a strip of its own, but for the first and the last one. */
__attribute__((noinline)) static void fill_bf16(
    const posenc_spec *spec, const turns *t, const posenc_rows *r, void *out, int64_t stride, int exact) {
  bf16_strip strips[BF16_MOST];
  bf16_edge edge LINE;
  const int64_t row_bytes = 2 * stride, from = r->from / 2, end_k = r->to / 2;
  unsigned char *const column_0 = (unsigned char *)out - 4 * from; /* of a tile: where it would be */
  const int at_lines = (uintptr_t)out % 4 == 0 && row_bytes % 64 == 0;
  const store how = at_lines && r->count * (r->to - r->from) >= POSENC_STREAM_BYTES / 2 ? STREAMED : PLAIN;
  const int lead = at_lines ? (int)((uintptr_t)out % 64 / 4) : 0, most = how == STREAMED ? 1 : BF16_MOST;
  const int joined = how == STREAMED && lead > 0 && from == 0 && stride == r->to && end_k >= 2 * BF16_LINE;
  if (joined) {
    const posenc_rows first = {NULL, NULL, r->first, 1, r->from, r->to, NULL};
    const posenc_rows last = {NULL, NULL, r->first + r->count - 1, 1, r->from, r->to, NULL};
    write_dtype(spec, t, &first, out, stride, exact);
    write_dtype(spec, t, &last, (unsigned char *)out + (r->count - 1) * row_bytes, stride, exact);
  }
  for (int64_t i = 0, end; i < r->count; i = end) {
    const int64_t coarse = parts_of(r->first + i).coarse, coarse_end = coarse + COARSE / 2 - STEP / 2 - r->first;
    end = r->count - i < ROWS ? r->count : i + ROWS;
    end = end < coarse_end ? end : coarse_end;
    for (int64_t k = joined ? BF16_LINE - lead : from, last_k = joined ? end_k - lead : end_k; k < last_k;) {
      int count = 0;
      const int64_t first_k = k;
      for (; count < most && k < last_k; count++) {
        const int64_t room = k == from && lead ? BF16_STRIP - lead : BF16_STRIP,
                      lanes = last_k - k < room ? last_k - k : room;
        set_bf16_strip(&strips[count], t, k, (int)lanes, coarse);
        k += lanes;
      }
      bf16_runs(strips, count, spec, r, i, end, column_0 + i * row_bytes + 4 * first_k, row_bytes, how, exact);
    }
    const int64_t second = i > 0 ? i : 1;
    if (joined && second < end) {
      set_bf16_edge(&strips[0], edge, t, end_k, lead, coarse);
      bf16_runs(
          strips, 1, spec, r, second, end, (unsigned char *)out + second * row_bytes - 4 * lead, row_bytes, how, exact);
    }
  }
  if (how == STREAMED)
    stream_end();
}

static void prepare(const posenc_spec *spec, void *state) {
  const turns t = turns_of(spec, state);
  prepare_turns(spec, state);
  if (spec->dtype == POSENC_BF16 && t.steps)
    make_bf16_steps(&t);
}

#endif
