/* Consecutive rows: a table strip by strip (runs.h has the rows of one), and both ends of rows.
 *
 * Large tables are streamed (stream.h), by whole cache lines. That wants rows a multiple of 64 bytes apart, and lines
 * that begin between two pairs. Then strips begin and end at lines. A row's columns before its first whole line and after
 * its last one are its ends: one narrow strip, which is written to a buffer. (As two strips they would take 1.2 times as
 * long.) Where rows follow each other without a gap, their ends share lines, and these are streamed from the buffer, too.
 * Elsewhere the ends are copied by ordinary stores, which wait for their lines.
 * Where rows are not streamed, the ends are the columns that remain after whole groups of 8 pairs (split: 16).
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

/* Copies `pairs` pairs of each row from a buffer, whose rows are STRIP_BYTES apart. It fetches the lines of the next run's
 * rows: ordinary stores wait for them. */
static void copy_rows(format fmt, destination from, destination to, int64_t row_bytes, int64_t pairs, int64_t rows) {
  const int64_t bytes = pairs * bytes_of_pair(fmt);
  for (int64_t i = 0; i < rows; i++, from = advanced(from, STRIP_BYTES), to = advanced(to, row_bytes)) {
    const uintptr_t next = to.first + (uintptr_t)(RUN * row_bytes);
    for (int64_t at = 0; at < bytes; at += 64)
      __builtin_prefetch((const void *)(next + (uintptr_t)at), 1);
    memcpy((void *)to.first, (const void *)from.first, (size_t)bytes);
    if (fmt.is_split)
      memcpy((void *)to.second, (const void *)from.second, (size_t)bytes);
  }
}

/* Both ends of rows, run by run: a small table in a buffer, whose `ending_pairs` pairs end a row and whose other pairs
 * begin it. */
static void fill_ends(
    const strip *p, const posenc_rows *r, const posenc_place *to, int64_t ending_pairs, int64_t from, int64_t end) {
  unsigned char buffer[RUN][STRIP_BYTES] CACHE_ALIGNED;
  const format fmt = p->fmt;
  const selection *const s = &p->selected;
  const posenc_place in_buffer = {buffer[0], buffer[0] + (to->is_split ? STRIP_BYTES / 2 : size_of(fmt)), STRIP_BYTES,
      to->is_split, to->cosines_first};
  for (int64_t run = run_of(from); run < end; run += RUN) {
    const posenc_rows rows = {.first = posenc_max(run, from), .k = s->first};
    const int64_t first = rows.first, count = posenc_min(run + RUN, end) - first;
    fill_strip(p, &rows, &in_buffer, first, first + count);
    copy_rows(fmt, destination_of(&rows, &in_buffer, fmt, first, s->first), destination_of(r, to, fmt, first, s->first),
        to->row_bytes, ending_pairs, count);
    if (ending_pairs < s->n)
      copy_rows(fmt, destination_of(&rows, &in_buffer, fmt, first, s->first + ending_pairs),
          destination_of(r, to, fmt, first, s->restart), to->row_bytes, s->n - ending_pairs, count);
  }
}

/* ---- ends that share lines ---- */

/* Streams whole lines, from anywhere. */
INLINE void stream_lines(uintptr_t to, const unsigned char *from, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += (int64_t)sizeof(vd))
    vd_put((double *)(to + (uintptr_t)at), vd_loadu(from + at), 1);
}

/* Both ends of rows that follow each other without a gap, run by run. Each array has a buffer: the table without the
 * columns between the ends. So an end and the beginning that follows it lie side by side, as in the line that they
 * share.
 *
 *     table     beginning 0  ...  end 0 | beginning 1  ...  end 1 | beginning 2  ...
 *     buffer    beginning 0, end 0 | beginning 1, end 1 | beginning 2, ...      (|: a row begins, in the midst of a line)
 *
 * The buffer begins with the last row of the run before. The first line of row `from` and the last line of row end - 1 have
 * bytes of other rows, too, which are not written. A `part` is a row, or half of one if its halves are sines and cosines. */
static void stream_ends(const strip *p, const posenc_rows *r, const posenc_place *to, int64_t from, int64_t end) {
  enum { MOST = 128 /* bytes of a row in the buffer: two halves with a line each, or two lines of float64 */ };
  unsigned char buffer[2][(1 + RUN) * MOST] CACHE_ALIGNED;
  const int64_t parts = 1 + are_halves(r, to, p->fmt), arrays = to->is_split && parts == 1 ? 2 : 1; /* parts of a row */
  const int64_t ends_bytes = p->width * bytes_of_pair(p->fmt); /* both ends of a part */
  const int64_t beginning_bytes = (int64_t)(-(uintptr_t)to->first % 64), ending_bytes = ends_bytes - beginning_bytes;
  const int64_t part_bytes = to->row_bytes / parts, buffer_row_bytes = parts * ends_bytes;
  unsigned char *const first = buffer[0] + buffer_row_bytes;
  unsigned char *const second = !to->is_split ? first + size_of(p->fmt)
                                : parts == 2  ? first + ends_bytes
                                              : buffer[1] + ends_bytes;
  const posenc_place in_buffer = {first, second, buffer_row_bytes, to->is_split, to->cosines_first};
  for (int64_t run = run_of(from); run < end; run += RUN) {
    const posenc_rows rows = {.first = posenc_max(run, from), .k = p->selected.first};
    const int64_t count = posenc_min(run + RUN, end) - rows.first, n = parts * count;
    const int is_start = rows.first == from, is_end = rows.first + count == end;
    const destination row = destination_of(r, to, p->fmt, rows.first, r->k);
    fill_strip(p, &rows, &in_buffer, rows.first, rows.first + count);
    for (int a = 0; a < arrays; a++) {
      const uintptr_t line = (a ? row.second : row.first) - (uintptr_t)ending_bytes; /* that the first part shares */
      const unsigned char *const shared_line = buffer[a] + buffer_row_bytes - ending_bytes;
      if (is_start)
        memcpy((void *)(line + (uintptr_t)ending_bytes), shared_line + ending_bytes, (size_t)beginning_bytes);
      for (int64_t i = is_start; i < n; i++)
        stream_lines(line + (uintptr_t)(i * part_bytes), shared_line + i * ends_bytes, ends_bytes);
      if (is_end)
        memcpy((void *)(line + (uintptr_t)(n * part_bytes)), shared_line + n * ends_bytes, (size_t)ending_bytes);
      /* The last row's end shares a line with the next run's first row. */
      memcpy(buffer[a], buffer[a] + n * ends_bytes, (size_t)buffer_row_bytes);
    }
  }
}

/* ---- the walk ---- */

/* The rows of a strip that are written before the next strip begins. A streamed strip first copies its rotations, which
 * pays over many rows. With ordinary stores fewer rows are faster beyond L2 (Emerald Rapids: 1.0 to 1.3 times the speed;
 * 64 rows cost 5 % within L2). */
enum { STREAMED_ROWS = 2048, CACHED_ROWS = 256 };

/* A row's frequencies but the ends, k .. end-1: in whole lines, or where rows are not streamed in whole vectors. */
typedef struct inner_span {
  int64_t k, end;
  int is_streamed, has_shared_lines;
} inner_span;

static inline inner_span inner_of(
    const posenc_problem *problem, const posenc_rows *r, const posenc_place *to, format fmt) {
  const int64_t each = bytes_of_pair(fmt), in_line = 64 / each, before = (int64_t)(-(uintptr_t)to->first % 64);
  const uintptr_t apart = (uintptr_t)to->second - (uintptr_t)to->first; /* as integers: the arrays may be anywhere */
  const int is_streamed = is_large(problem, r) && before % each == 0 && to->row_bytes % 64 == 0 &&
                          (!to->is_split || apart % 64 == 0) && instance_of(fmt.dtype, fmt.is_split, STRIP, 1);
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
  const int64_t row_end = r->k + r->pairs, ending_pairs = row_end - inner.end;
  const int n_ends = (int)(inner.k - r->k + ending_pairs); /* pairs at both ends */
  const selection shared_ends = {.first = r->k, .n = n_ends, .end = inner.k, .restart = inner.end},
                  ends = {.first = inner.end, .n = n_ends, .end = row_end, .restart = r->k};
  const int64_t width = posenc_min(STRIP, STRIP_BYTES / (2 * size_of(fmt))), end = r->first + r->count;
  strip p;
  for (int64_t from = r->first, until; from < end; from = until) {
    until = posenc_min(run_of(from) + (inner.is_streamed ? STREAMED_ROWS : CACHED_ROWS), end);
    p.furthest = (double)posenc_max(posenc_max(-run_of(from), from), posenc_max(-until, until)) + RUN;
    p.fmt = fmt;
    if (inner.has_shared_lines) {
      set_strip(&p, f, shared_ends, 1, (uintptr_t)to->first);
      stream_ends(&p, r, to, from, until);
    } else if (n_ends) {
      set_strip(&p, f, ends, 1, (uintptr_t)to->first);
      fill_ends(&p, r, to, ending_pairs, from, until);
    }
    p.fmt.is_streamed = inner.is_streamed;
    for (int64_t k = inner.k; k < inner.end; k += width) {
      const selection s = {.first = k, .n = (int)posenc_min(inner.end - k, width), .end = INT64_MAX};
      set_strip(&p, f, s, inner.is_streamed || !f->rotations, destination_of(r, to, fmt, r->first, k).first);
      fill_strip(&p, r, to, from, until);
    }
  }
  if (inner.is_streamed)
    stream_end();
}

#endif
