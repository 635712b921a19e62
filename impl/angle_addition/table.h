/* Consecutive rows: a table strip by strip, and in each strip run by run, row pair by row pair.
 *
 * Large tables are streamed: written around the caches, by whole cache lines. That wants rows a multiple of 64 bytes
 * apart, and lines that begin between two pairs. Then strips begin and end at lines. A row's columns before its first
 * whole line and after its last one share their lines with other rows: these ends are one narrow strip, which is
 * written to a buffer and copied by ordinary stores. (As two strips they would take 1.2 times as long.) Where rows are
 * not streamed, the ends are the columns that remain after whole groups of 8 pairs (split: 16).
 */
#ifndef POSENC_TABLE_H
#define POSENC_TABLE_H

#include "angle_addition/correct.h"

/* Rows in memory: where the columns of frequency k go at position `first`. The stride is in bytes. */
typedef struct rows_in_memory {
  const posenc_spec *spec;
  int64_t first, k;
  unsigned char *out;
  int64_t stride;
  int64_t is_split, second; /* bytes from the first value of a pair to the second */
  int64_t size;             /* of an element */
} rows_in_memory;

static inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max(int64_t a, int64_t b) { return a < b ? b : a; }

/* A row's columns from frequency k on. */
INLINE destination destination_of(const rows_in_memory *w, int64_t position, int64_t k) {
  unsigned char *const first =
      w->out + (position - w->first) * w->stride + (k - w->k) * (w->is_split ? 1 : 2) * w->size;
  return (destination){first, (unsigned char *)((uintptr_t)first + (uintptr_t)w->second)}; /* perhaps another array */
}

/* ---- a strip ---- */

/* Sets where the rows of r go, writes them, and rechecks those whose rounding test failed. Rows that are not wanted go
 * to one row that nobody reads. */
static inline void fill_pairs(const rows_in_memory *w, const strip *p, int64_t run, row_pairs r) {
  unsigned char unwanted[STRIP_BYTES] CACHE_ALIGNED;
  r.ahead = r.behind = (destination){unwanted, unwanted + STRIP_BYTES / 2};
  if (r.has_ahead) {
    r.ahead = destination_of(w, run + STEPS + r.first, p->selected.first);
    r.next_ahead = w->stride;
  }
  if (r.has_behind) {
    r.behind = destination_of(w, run + STEPS - 1 - r.first, p->selected.first);
    r.next_behind = -w->stride;
  }
  for (uint32_t failed = instance_of(p->o, p->n)(p, &r); failed; failed &= failed - 1)
    recheck(w->spec, p, run, __builtin_ctz(failed), &r);
}

/* The row at position 0, which is not computed as a sum: its angles are 0. */
static inline void set_row_0(output o, int columns, int cosines_first, destination to) {
  for (int c = 0; c < columns; c++)
    store_element(o, to, c, c % 2 != cosines_first ? 1.0 : 0.0);
}

/* Rows from .. to-1 of a strip. */
static void fill_strip(const rows_in_memory *w, strip *p, int64_t from, int64_t to) {
  for (int64_t run = run_of(from); run < to; run += RUN) {
    /* How many wanted rows are ahead of the anchor, and how many behind it. If all are on one side, the other number is
     * negative: they begin so many rows away from the anchor. */
    const int64_t start = run == 0 && from <= 0 ? 1 : from;
    const int64_t ahead = to - (run + STEPS), behind = run + STEPS - start, both = min(ahead, behind);
    const int64_t first = max(0, -both), end = min(STEPS, max(ahead, behind)), middle = max(first, min(both, end));
    set_anchor(p, run);
    if (first < middle)
      fill_pairs(w, p, run, (row_pairs){.first = (int)first, .end = (int)middle, .has_ahead = 1, .has_behind = 1});
    if (middle < end)
      fill_pairs(w, p, run,
          (row_pairs){
              .first = (int)middle, .end = (int)end, .has_ahead = middle < ahead, .has_behind = middle < behind});
  }
  if (from <= 0 && to > 0)
    set_row_0(p->o, 2 * p->n, p->cosines_first, destination_of(w, 0, p->selected.first));
}

/* ---- ends of rows ---- */

/* Copies rows first .. end-1 from a buffer: so many columns from those of frequency k on. It fetches the lines of the
 * next run's rows: ordinary stores wait for them. */
static void copy_rows(
    const rows_in_memory *w, const unsigned char *buffer, int64_t k, int64_t columns, int64_t first, int64_t end) {
  const size_t n = (size_t)((w->is_split ? (columns + 1) / 2 : columns) * w->size);
  for (int64_t i = first; i < end; i++, buffer += STRIP_BYTES) {
    const destination row = destination_of(w, i, k);
    const uintptr_t next =
        (uintptr_t)row.first + (uintptr_t)(RUN * w->stride); /* perhaps behind the table: no pointer */
    for (size_t c = 0; c < n; c += 64)
      __builtin_prefetch((const void *)(next + c), 1);
    memcpy(row.first, buffer, n);
    if (w->is_split)
      memcpy(row.second, buffer + STRIP_BYTES / 2, (size_t)(columns / 2 * w->size));
  }
}

/* Both ends of rows, run by run: a small table in a buffer, of which `last` columns end a row and `first` columns begin
 * it. */
static void fill_ends(const rows_in_memory *w, strip *p, int64_t last, int64_t first, int64_t from, int64_t to) {
  unsigned char buffer[RUN][STRIP_BYTES] CACHE_ALIGNED;
  const selection *const s = &p->selected;
  for (int64_t run = run_of(from); run < to; run += RUN) {
    const int64_t begin = max(run, from), end = min(run + RUN, to);
    const rows_in_memory rows = {
        w->spec, begin, s->first, buffer[0], STRIP_BYTES, w->is_split, w->is_split ? STRIP_BYTES / 2 : 0, w->size};
    fill_strip(&rows, p, begin, end);
    if (last > 0)
      copy_rows(w, buffer[0], s->first, last, begin, end);
    if (first > 0)
      copy_rows(w, destination_of(&rows, begin, s->end).first, s->restart, first, begin, end);
  }
}

/* ---- the walk ---- */

/* Rows of a strip before the next one. A streamed strip first copies its factors, which pays over many rows. With
 * ordinary stores fewer rows are faster beyond L2 (Emerald Rapids: 1.0 to 1.3 times the speed; 64 rows cost 5 % within
 * L2). */
enum { STREAMED_ROWS = 2048, CACHED_ROWS = 256 };

/* Frequencies k .. end-1 of a call; those from first_line to last_line-1 are in whole lines, or in whole vectors where
 * rows are not streamed. */
typedef struct lines {
  int64_t k, first_line, last_line, end;
  int is_streamed;
} lines;

static inline lines lines_of(const rows_in_memory *w, const posenc_rows *r) {
  const int64_t each = w->is_split ? w->size : 2 * w->size; /* bytes of a row that a pair takes */
  const int64_t in_line = 64 / each, before = (int64_t)(-(uintptr_t)w->out % 64);
  lines l = {.k = r->from / 2, .end = (r->to + 1) / 2};
  l.is_streamed = posenc_is_streamed(w->spec, r->count, r->to - r->from) && before % each == 0 && w->stride % 64 == 0 &&
                  w->second % 64 == 0;
  const int64_t unit = w->is_split ? 16 : l.is_streamed && in_line > 8 ? in_line : 8;
  l.first_line = l.is_streamed ? min(l.k + before / each, l.end) : l.k;
  l.last_line = l.first_line + max(0, r->to / 2 - l.first_line) / unit * unit;
  return l;
}

/* Rows of consecutive integer positions. `out` and stride are the caller's. */
__attribute__((noinline)) static void write_table(
    const posenc_spec *spec, const frequencies *f, const posenc_rows *r, void *out, int64_t stride) {
  const int64_t size = (int64_t)posenc_dtype_size((posenc_dtype)spec->dtype), end = r->first + r->count;
  const rows_in_memory w = {spec, r->first, r->from / 2, out, stride * size, r->split, r->second * size, size};
  const lines l = lines_of(&w, r);
  const int64_t ends = l.first_line - l.k + l.end - l.last_line, width = min(STRIP, STRIP_BYTES / (2 * size));
  strip p;
  p.cosines_first = r->cosines_first;
  for (int64_t from = r->first, to; from < end; from = to) {
    to = min(run_of(from) + (l.is_streamed ? STREAMED_ROWS : CACHED_ROWS), end);
    p.furthest = (double)max(max(-run_of(from), from), max(-to, to)) + RUN;
    p.o = (output){spec->dtype, w.is_split != 0, 0, is_tested(spec->dtype)};
    if (ends) {
      set_strip(&p, f, (selection){l.last_line, (int)ends, l.end, l.k}, 1, w.out);
      fill_ends(&w, &p, r->to - 2 * l.last_line, min(2 * l.first_line, r->to) - 2 * l.k, from, to);
    }
    p.o.is_streamed = l.is_streamed;
    for (int64_t k = l.first_line; k < l.last_line; k += width) {
      const selection s = {k, (int)min(l.last_line - k, width), INT64_MAX, 0};
      set_strip(&p, f, s, l.is_streamed || !f->rotations, destination_of(&w, w.first, k).first);
      fill_strip(&w, &p, from, to);
    }
  }
  if (l.is_streamed)
    stream_end();
}

#endif
