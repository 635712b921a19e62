/* Consecutive rows: a table strip by strip (runs.h has the rows of one), and both ends of rows.
 *
 * Large tables are streamed (stream.h), by whole cache lines. That wants rows a multiple of 64 bytes apart, and lines
 * that begin between two pairs. Then strips begin and end at lines. A row's head is its columns before the first whole
 * line, and its tail the columns after the last one. Head and tail, the ends of a row, make one narrow strip, which is
 * written to a buffer. (As two strips they would take 1.2 times as long.) Where rows follow each other without a gap, a
 * tail shares a line with the next head, and these lines are streamed from the buffer, too. Elsewhere the ends are
 * copied by ordinary stores, which wait for their lines. Where rows are not streamed, there are only tails: the columns
 * that remain after whole groups of 8 pairs (split: 16).
 */
#ifndef POSENC_TABLE_H
#define POSENC_TABLE_H

#include "angle_addition/runs.h"
#include "angle_addition/stream.h"

/* Are sines and cosines the two halves of each row, in the order in which they are given? */
static inline int are_halves(const posenc_rows *r, const posenc_place *to, format fmt) {
  const int64_t half = r->pairs * bytes_of_pair(fmt);
  return to->is_split && to->row_bytes == 2 * half && (uintptr_t)to->second - (uintptr_t)to->first == (uintptr_t)half;
}

/* ---- ends of rows ---- */

/* Copies `pairs` pairs of each row from a buffer, whose rows are STRIP_BYTES apart. It fetches the lines of the next
 * run's rows: ordinary stores wait for them. */
static void copy_rows(format fmt, destination from, destination to, int64_t row_bytes, int64_t pairs, int64_t rows) {
  const int64_t bytes = pairs * bytes_of_pair(fmt);
  for (int64_t i = 0; i < rows; i++, from = advanced(from, STRIP_BYTES), to = advanced(to, row_bytes)) {
    const uintptr_t next = to.first + (uintptr_t)(RUN * row_bytes);
    for (int64_t at = 0; at < bytes; at += LINE_BYTES)
      __builtin_prefetch((const void *)(next + (uintptr_t)at), 1);
    memcpy((void *)to.first, (const void *)from.first, (size_t)bytes);
    if (fmt.is_split)
      memcpy((void *)to.second, (const void *)from.second, (size_t)bytes);
  }
}

/* Both ends of rows, run by run: a small table in a buffer. In its rows the tail (`tail_pairs`) precedes the head. */
static void fill_ends(
    const strip *p, const posenc_rows *r, const posenc_place *to, int64_t tail_pairs, int64_t from, int64_t end) {
  unsigned char buffer[RUN][STRIP_BYTES] CACHE_ALIGNED;
  const format fmt = p->fmt;
  const selection *const s = &p->selected;
  const posenc_place in_buffer = {buffer[0], buffer[0] + (to->is_split ? STRIP_BYTES / 2 : size_of(fmt)), STRIP_BYTES,
      to->is_split, to->cosines_first};
  for (int64_t run = run_of(from); run < end; run += RUN) {
    const posenc_rows rows = {.first = posenc_max(run, from), .k = s->k};
    const int64_t first = rows.first, count = posenc_min(run + RUN, end) - first;
    fill_strip(p, &rows, &in_buffer, first, first + count);
    copy_rows(fmt, destination_of(&rows, &in_buffer, fmt, first, s->k), destination_of(r, to, fmt, first, s->k),
        to->row_bytes, tail_pairs, count);
    if (tail_pairs < s->n)
      copy_rows(fmt, destination_of(&rows, &in_buffer, fmt, first, s->k + tail_pairs),
          destination_of(r, to, fmt, first, s->restart), to->row_bytes, s->n - tail_pairs, count);
  }
}

/* ---- ends that share lines ---- */

/* Streams whole lines, from anywhere. */
INLINE void stream_lines(uintptr_t to, const unsigned char *from, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += (int64_t)sizeof(vd))
    vd_put((double *)(to + (uintptr_t)at), vd_loadu(from + at), 1);
}

/* Both ends of rows that follow each other without a gap, run by run. A `part` is a row, or half of one if its halves
 * are sines and cosines. Each array has a buffer: the table without the whole lines of its parts. So a tail and the
 * next head lie side by side, as in the line that they share.
 *
 *     table     head 0   whole lines   tail 0 | head 1   whole lines   tail 1 | head 2 ...
 *               <----------- part_bytes ------>                      (|: a part begins, in the midst of a line)
 *     buffer    head 0   tail 0 | head 1   tail 1 | head 2 ...
 *               <- both_bytes -->
 *
 * The buffer begins with the last row of the run before. The first line of row `from` and the last line of row end - 1
 * have bytes of other rows, too, which are not written. */
static void stream_ends(const strip *p, const posenc_rows *r, const posenc_place *to, int64_t from, int64_t end) {
  enum { MOST = 128 /* bytes of a row in the buffer: two halves with a line each, or two lines of float64 */ };
  unsigned char buffer[2][(1 + RUN) * MOST] CACHE_ALIGNED;
  const int64_t parts = 1 + are_halves(r, to, p->fmt), arrays = to->is_split && parts == 1 ? 2 : 1; /* parts of a row */
  const int64_t both_bytes = p->width * bytes_of_pair(p->fmt);
  const int64_t head_bytes = (int64_t)(-(uintptr_t)to->first % LINE_BYTES), tail_bytes = both_bytes - head_bytes;
  const int64_t part_bytes = to->row_bytes / parts, buffer_row_bytes = parts * both_bytes;
  unsigned char *const first = buffer[0] + buffer_row_bytes;
  unsigned char *const second = !to->is_split ? first + size_of(p->fmt)
                                : parts == 2  ? first + both_bytes
                                              : buffer[1] + both_bytes;
  const posenc_place in_buffer = {first, second, buffer_row_bytes, to->is_split, to->cosines_first};
  for (int64_t run = run_of(from); run < end; run += RUN) {
    const posenc_rows rows = {.first = posenc_max(run, from), .k = p->selected.k};
    const int64_t count = posenc_min(run + RUN, end) - rows.first, n = parts * count;
    const int is_start = rows.first == from, is_end = rows.first + count == end;
    const destination row = destination_of(r, to, p->fmt, rows.first, r->k);
    fill_strip(p, &rows, &in_buffer, rows.first, rows.first + count);
    for (int a = 0; a < arrays; a++) {
      const uintptr_t line = (a ? row.second : row.first) - (uintptr_t)tail_bytes; /* of the first part's head */
      const unsigned char *const shared_line = buffer[a] + buffer_row_bytes - tail_bytes;
      if (is_start)
        memcpy((void *)(line + (uintptr_t)tail_bytes), shared_line + tail_bytes, (size_t)head_bytes);
      for (int64_t i = is_start; i < n; i++)
        stream_lines(line + (uintptr_t)(i * part_bytes), shared_line + i * both_bytes, both_bytes);
      if (is_end)
        memcpy((void *)(line + (uintptr_t)(n * part_bytes)), shared_line + n * both_bytes, (size_t)tail_bytes);
      /* The last row's tail shares a line with the next run's first head. */
      memcpy(buffer[a], buffer[a] + n * both_bytes, (size_t)buffer_row_bytes);
    }
  }
}

/* ---- the walk ---- */

/* The rows of a strip that are written before the next strip begins. A streamed strip first copies its rotations, which
 * pays over many rows. With ordinary stores fewer rows are faster beyond L2 (Emerald Rapids: 1.0 to 1.3 times the
 * speed; 64 rows cost 5 % within L2). */
enum { STREAMED_ROWS = 2048, CACHED_ROWS = 256 };

/* A row's frequencies but the ends, k .. end-1: in whole lines, or where rows are not streamed in whole vectors. */
typedef struct inner_span {
  int64_t k, end;
  int is_streamed, has_shared_lines;
} inner_span;

static inline inner_span inner_of(
    const posenc_problem *problem, const posenc_rows *r, const posenc_place *to, format fmt) {
  const int64_t each = bytes_of_pair(fmt), in_line = LINE_BYTES / each;
  const int64_t before = (int64_t)(-(uintptr_t)to->first % LINE_BYTES);
  const uintptr_t apart = (uintptr_t)to->second - (uintptr_t)to->first; /* as integers: the arrays may be anywhere */
  const int is_streamed = is_large(problem, r) && before % each == 0 && to->row_bytes % LINE_BYTES == 0 &&
                          (!to->is_split || apart % LINE_BYTES == 0) && instance_of(fmt.dtype, fmt.is_split, STRIP, 1);
  const int64_t end = r->k + r->pairs, from = is_streamed ? posenc_min(r->k + before / each, end) : r->k;
  const int64_t unit = to->is_split ? 16 : is_streamed && in_line > 8 ? in_line : 8;
  const int has_no_gap = to->row_bytes == r->pairs * each || are_halves(r, to, fmt);
  const int has_shared_lines = is_streamed && from > r->k && r->pairs % unit == 0 && has_no_gap;
  return (inner_span){from, from + (end - from) / unit * unit, is_streamed, has_shared_lines};
}

/* Rows of consecutive integer positions. */
__attribute__((noinline)) static void write_table(const frequencies *f, const posenc_rows *r, const posenc_place *to) {
  const int dtype = f->problem->dtype;
  const format fmt = {dtype, to->is_split, 0, is_tested(dtype)};
  const inner_span inner = inner_of(f->problem, r, to, fmt);
  const int64_t row_end = r->k + r->pairs, tail_pairs = row_end - inner.end;
  const int n_ends = (int)(inner.k - r->k + tail_pairs); /* pairs at both ends */
  const selection shared_ends = {.k = r->k, .n = n_ends, .end = inner.k, .restart = inner.end},
                  ends = {.k = inner.end, .n = n_ends, .end = row_end, .restart = r->k};
  const int64_t width = posenc_min(STRIP, STRIP_BYTES / (2 * size_of(fmt))), end = r->first + r->count;
  strip p;
  for (int64_t from = r->first, until; from < end; from = until) {
    until = posenc_min(run_of(from) + (inner.is_streamed ? STREAMED_ROWS : CACHED_ROWS), end);
    /* RUN: the rows of a pair that are not wanted lie up to a run outside. */
    p.furthest = (double)posenc_max(posenc_max(-run_of(from), from), posenc_max(-until, until)) + RUN;
    p.fmt = fmt;
    if (inner.has_shared_lines) {
      set_strip(&p, f, shared_ends, 1, (uintptr_t)to->first);
      stream_ends(&p, r, to, from, until);
    } else if (n_ends) {
      set_strip(&p, f, ends, 1, (uintptr_t)to->first);
      fill_ends(&p, r, to, tail_pairs, from, until);
    }
    p.fmt.is_streamed = inner.is_streamed;
    for (int64_t k = inner.k; k < inner.end; k += width) {
      const selection s = {.k = k, .n = (int)posenc_min(inner.end - k, width), .end = INT64_MAX};
      set_strip(&p, f, s, inner.is_streamed || !f->rotations, destination_of(r, to, fmt, r->first, k).first);
      fill_strip(&p, r, to, from, until);
    }
  }
  if (inner.is_streamed)
    stream_end();
}

#endif
