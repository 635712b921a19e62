/* Consecutive rows: a table strip by strip, and in each strip run by run, row pair by row pair.
 *
 * Large tables are streamed: written around the caches, by whole cache lines. That wants rows a multiple of 64 bytes apart, and
 * lines that begin between two pairs. Then strips begin and end at lines. A row's columns before its first whole line and behind
 * the last one share their lines with other rows: these ends are one narrow strip, computed in a buffer and copied by ordinary
 * stores. Where rows are not streamed, the ends are the columns behind a row's last 8 pairs.
 *
 * Sums go by way of the buffer, too: x may be the output itself, and after the store a recheck would come too late.
 */
#ifndef POSENC_TABLE_ROWS_H
#define POSENC_TABLE_ROWS_H

#include "angle_addition/ziv.h"

/* What stays the same in a call. Addresses are of column `first_column` of the first row; strides in bytes. */
typedef struct table {
  const posenc_spec *spec;
  const turns *t;
  int64_t first, end; /* positions */
  int64_t first_column, end_column;
  int64_t first_line; /* the first frequency whose columns are in whole lines */
  unsigned char *out;
  int64_t stride;
  int split;
  int64_t second; /* split: how far behind the first value of a pair is the second */
  const posenc_addend *add;
  int64_t size;
  int is_fetched; /* 1: lines are fetched before ordinary stores and sums */
  int streamed;   /* the whole lines of rows */
  int buffered;   /* all of the rows */
} table;

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t most(int64_t a, int64_t b) { return a < b ? b : a; }

/* A row's columns from frequency k on. */
FLAT destination place_in(const table *w, int64_t position, int64_t k) {
  const int64_t pairs = k - w->first_column / 2, at = pairs * (w->split ? 1 : 2) * w->size;
  unsigned char *const first = w->out + (position - w->first) * w->stride + at;
  return (destination){first, first + w->second};
}

/* ---- by way of the buffer ---- */

enum { AT_A_TIME = 8 /* row pairs of large sums: they are added while the lines of the next ones come */ };

/* out = scale * x + row, n elements, by whole lines and streamed if `streamed`. */
FLAT void add_row(const float *row, const float *x, float scale, float *out, int64_t n, int streamed) {
  int64_t i = 0;
  for (; i + 2 * VD_LANES <= n; i += 2 * VD_LANES)
    vp_put(out + i, vp_scaled_sum(scale, vp_load(x + i), vp_load(row + i)), streamed);
  for (; i < n; i++)
    out[i] = scale * x[i] + row[i];
}

/* The exact row at position 0: angle 0 is no sum. */
static inline void set_row_0(const strip *p, destination to) {
  for (int c = 0; c < 2 * p->n; c++)
    store_element(p->f, to, c, c % 2 != p->cosines_first ? 1.0 : 0.0);
}

/* Copies, or adds to x, rows from .. to-1 of the buffer: so many columns from those of frequency k on. In large tables it fetches
 * the lines of the rows `later` further on. */
static void deliver(const table *w, const unsigned char *buffer, int64_t k, int64_t columns, int64_t from, int64_t to,
    int64_t later, int streamed) {
  const int64_t n = w->split ? (columns + 1) / 2 : columns;
  const size_t first_bytes = (size_t)(n * w->size), second_bytes = (size_t)(columns / 2 * w->size);
  destination row = place_in(w, from, k);
  for (int64_t i = from; i < to; i++, row = further(row, w->stride), buffer += STRIP_BYTES) {
    /* Beyond the table it does no harm. */
    for (size_t c = 0; w->is_fetched && !streamed && c < first_bytes; c += 64)
      __builtin_prefetch(row.first + later * w->stride + c, 1);
    if (w->add) {
      const float *const x = w->add->x + (i - w->first) * w->add->stride + 2 * k;
      for (int64_t c = 0; w->is_fetched && c < n; c += 16)
        __builtin_prefetch(x + later * w->add->stride + c);
      float *const out = (float *)(void *)row.first;
      const float *const values = (const float *)(const void *)buffer;
      if (streamed)
        add_row(values, x, w->add->scale, out, n, 1);
      else
        add_row(values, x, w->add->scale, out, n, 0);
      continue;
    }
    memcpy(row.first, buffer, first_bytes);
    if (w->split)
      memcpy(row.second, buffer + STRIP_BYTES / 2, second_bytes);
  }
}

/* All columns of a strip: those of whole lines, or the last ones of a row and the first ones. */
static inline void deliver_strip(
    const table *w, const strip *p, unsigned char (*buffer)[STRIP_BYTES], int64_t from, int64_t to, int64_t later) {
  const unsigned char *const rows = buffer[from & (RUN - 1)];
  const int64_t pair = w->split ? w->size : 2 * w->size, last = p->end - p->k;
  if (p->in_lines) {
    deliver(w, rows, p->k, 2 * p->n, from, to, later, w->streamed);
    return;
  }
  if (last > 0)
    deliver(w, rows, p->k, w->end_column - 2 * p->k, from, to, later, 0);
  if (w->first_line > p->next)
    deliver(w, rows + last * pair, p->next, least(2 * w->first_line, w->end_column) - 2 * p->next, from, to, later, 0);
}

/* ---- a strip ---- */

/* Writes row pairs of a run and rechecks those whose test failed: of wanted rows, `ahead` and `behind` the anchor. */
static inline void fill_row_pairs(
    const table *w, const strip *p, int64_t run, const row_pairs *r, int64_t ahead, int64_t behind) {
  for (uint32_t failed = instance_of(p->f, p->n)(p, r); failed; failed &= failed - 1) {
    const int b = __builtin_ctz(failed);
    recheck(w->spec, p, b, run, r, b < ahead, b < behind && run + STEPS - 1 - b != 0);
  }
}

/* Rows from .. to-1 of a strip: in place, or all of them by way of the buffer. Row 0 goes by it, too: its angle is no sum. */
static void fill_strip(const table *w, strip *p, int64_t from, int64_t to) {
  unsigned char buffer[RUN][STRIP_BYTES] LINE;
  for (int64_t run = run_of(from); run < to; run += RUN) {
    /* So many wanted rows are ahead of the anchor and behind it. One number is negative if the range ends before the anchor or
     * begins after it: the other side's rows begin that far away. */
    const int64_t upper = run + STEPS, ahead = to - upper, behind = upper - from, both = least(ahead, behind);
    const int64_t first = most(0, -both), end = least(STEPS, most(ahead, behind));
    const int64_t in_place = w->buffered || !p->in_lines ? first : run == 0 && from <= 0 ? end - 1 : end;
    set_anchor(p, run);
    for (int64_t b = first, next; b < end; b = next) {
      const int is_in_place = b < in_place;
      next = !is_in_place ? least(end, b + (w->add && w->is_fetched ? AT_A_TIME : STEPS))
             : b < both   ? least(both, in_place)
                          : in_place;
      unsigned char *const y = buffer[STEPS + b], *const z = buffer[STEPS - 1 - b];
      row_pairs r = {(int)b, (int)next, {y, y + STRIP_BYTES / 2}, {z, z + STRIP_BYTES / 2}, STRIP_BYTES, -STRIP_BYTES};
      if (is_in_place && b < ahead) {
        r.ahead = place_in(w, upper + b, p->k);
        r.next_ahead = w->stride;
      }
      if (is_in_place && b < behind) {
        r.behind = place_in(w, upper - 1 - b, p->k);
        r.next_behind = -w->stride;
      }
      p->f.streamed = is_in_place && w->streamed;
      fill_row_pairs(w, p, run, &r, ahead, behind);
      if (is_in_place)
        continue;
      if (run == 0 && from <= 0 && next == STEPS)
        set_row_0(p, (destination){buffer[0], buffer[0] + STRIP_BYTES / 2});
      /* The next row pairs are in this run, or the next run's first ones. */
      const int64_t up = next < STEPS ? AT_A_TIME : RUN - b, down = next < STEPS ? -AT_A_TIME : RUN + b;
      deliver_strip(w, p, buffer, most(from, upper - next), least(to, upper - b), down);
      deliver_strip(w, p, buffer, most(from, upper + b), least(to, upper + next), up);
    }
  }
}

/* ---- the walk ---- */

enum { MANY_ROWS = 2048 /* of a strip before the next one */ };

/* r: consecutive rows. out and stride are the caller's. */
__attribute__((noinline)) static void write_table(
    const posenc_spec *spec, const turns *t, const posenc_rows *r, void *out, int64_t stride) {
  const int64_t size = (int64_t)posenc_dtype_size((posenc_dtype)spec->dtype), pair = 2 * size;
  table w = {.spec = spec, .t = t, .first = r->first, .end = r->first + r->count, .first_column = r->from};
  w.end_column = r->to;
  w.out = out;
  w.stride = stride * size;
  w.split = r->split;
  w.second = r->second * size;
  w.add = r->add;
  w.size = size;
  strip p;
  p.f = (form){spec->dtype, w.split, 0, EXACT || size == 2};
  p.cosines_first = r->cosines_first;

  const int each = w.split ? (int)size : (int)pair; /* bytes of a row that a pair takes */
  const int in_line = 64 / each, before = (int)(-(uintptr_t)w.out % 64);
  const int is_large = posenc_is_streamed(spec, r->count, r->to - r->from);
  w.is_fetched = r->count * (r->to - r->from) * size > 1 << 20; /* smaller tables are likely to be in a core's caches */
  w.streamed =
      is_large && !(r->add && r->add->x == out) && before % each == 0 && w.stride % 64 == 0 && w.second % 64 == 0;
  w.buffered = r->add != NULL;

  /* Frequencies of whole lines, or of whole vectors where rows are not streamed. */
  const int64_t k = r->from / 2, end = (r->to + 1) / 2, unit = w.split ? 16 : w.streamed && in_line > 8 ? in_line : 8;
  w.first_line = w.streamed ? least(k + before / each, end) : k;
  const int64_t last_line = w.first_line + most(0, r->to / 2 - w.first_line) / unit * unit;
  const int64_t ends = (w.first_line - k) + (end - last_line), width = least(STRIP, STRIP_BYTES / pair);
  for (int64_t from = r->first, to; from < w.end; from = to) {
    to = least(run_of(from) + MANY_ROWS, w.end);
    if (ends) {
      set_strip(&p, t, last_line, end, k, (int)ends, 1, w.out);
      fill_strip(&w, &p, from, to);
    }
    for (int64_t at = w.first_line; at < last_line; at += width) {
      const unsigned char *const first = place_in(&w, w.first, at).first;
      set_strip(&p, t, at, INT64_MAX, 0, (int)least(last_line - at, width), w.streamed || !t->factors, first);
      fill_strip(&w, &p, from, to);
    }
  }
  if (w.streamed)
    stream_end();
}

#endif
