/* How the anchored and exact kernels walk a table.
 *
 *     run     consecutive rows of one anchor (positions 64 a .. 64 a + 63)
 *     strip   up to 32 frequencies side by side, 256 bytes of a row: its anchors and its 32 KiB of steps stay in L1 while
 *             the rows of several runs pass
 *
 * A kernel brings `row`, which turns the anchors of a strip by the steps of one row and writes its columns, and perhaps
 * `begin`, which looks at a strip's anchors first.
 */
#ifndef POSENC_TILES_H
#define POSENC_TILES_H

#include "steps.h"

#include <string.h>

enum { WIDE = 4, STRIP = WIDE * GROUP };

/* Rows at a time: enough to read a strip's steps from L1, few enough to stay within the pages the TLB knows. */
enum { ROWS = 256 };

/* From here on a table is written around the caches. Below, its lines may still be in some cache when they are read. */
#define STREAM_BYTES (INT64_C(24) << 20)

#define LINE __attribute__((aligned(64)))

typedef struct strip {
  double sin[STRIP] LINE, cos[STRIP] LINE; /* of the anchor */
  double turned[STRIP] LINE;               /* see angle.h */
  double exempt[STRIP] LINE;               /* see exact.c */
  const double *steps[WIDE];               /* see turns.h */
  int64_t first, columns;                  /* first frequency; columns to write, 2 STRIP at most */
  int groups;
} strip;

typedef struct place { /* of a row that is written: what a redo needs to know */
  const posenc_spec *spec;
  int64_t position;
} place;

typedef void strip_begin(strip *p, const turns *t);
typedef void strip_row(const strip *p, const place *at, float *out);

static inline void set_anchor(strip *p, const turns *t, int64_t anchor)
{
  for (int v = 0; v < p->groups * GROUP; v += VD_LANES) {
    const int64_t k = p->first + v;
    const angle a = angle_at(vd_set1((double)anchor), vd_load(t->hi + k), vd_load(t->mid + k), vd_load(t->lo + k));
    vd_store(p->sin + v, a.sin);
    vd_store(p->cos + v, a.cos);
    vd_store(p->turned + v, a.turned);
  }
}

static inline int64_t anchor_of(int64_t position)
{
  return position & ~(int64_t)(STEPS - 1);
}

static inline int64_t run_end(const posenc_rows *r, int64_t i)
{
  const int64_t anchor = anchor_of(posenc_row_position(r, i));
  if (!r->positions) {
    const int64_t end = anchor + STEPS - r->first;
    return end < r->count ? end : r->count;
  }
  do
    i++;
  while (i < r->count && anchor_of(r->positions[i]) == anchor);
  return i;
}

static inline void set_strip(const posenc_spec *spec, const turns *t, int64_t first, strip *p, double (*made)[GROUP_DOUBLES])
{
  const int64_t left = spec->d_model - 2 * first, groups = (left + 2 * GROUP - 1) / (2 * GROUP);
  p->first = first;
  p->columns = left < 2 * STRIP ? left : 2 * STRIP;
  p->groups = (int)(groups < WIDE ? groups : WIDE);
  for (int g = 0; g < p->groups; g++) {
    p->steps[g] = t->steps ? t->steps + (first / GROUP + g) * GROUP_DOUBLES : made[g];
    if (!t->steps)
      make_steps(t, first / GROUP + g, made[g]);
  }
}

/* Rows [i, end) of one run in one strip, straight to the table. */
static inline void store_rows(const strip *p, const posenc_spec *spec, const posenc_rows *r, int64_t i, int64_t end,
                              float *out, int64_t stride, strip_row *row)
{
  for (; i < end; i++) {
    const place at = {spec, posenc_row_position(r, i)};
    row(p, &at, out + i * stride + 2 * p->first);
  }
}

/* The same by whole lines around the caches, at any alignment: rows are computed into a buffer, some at a time so that they
 * are read back from L1 and not from the store buffer. What does not fill a line at a strip's right edge stays behind,
 * in `edge`, until the next strip has the rest; only the ends of a row are stored in parts. */
enum { LAG = 4, FLOATS = 16 /* in a line */ };

typedef float edges[ROWS][FLOATS];

static inline void stream_rows(const strip *p, const posenc_spec *spec, const posenc_rows *r, int64_t i, int64_t end,
                               float *out, int64_t stride, strip_row *row, float (*edge)[FLOATS])
{
  float buffer[LAG][FLOATS + 2 * STRIP] LINE;
  const int last = 2 * p->first + p->columns == spec->d_model;
  for (int64_t n; i < end; i += n, edge += n) {
    n = end - i < LAG ? end - i : LAG;
    for (int64_t j = 0; j < n; j++) {
      const place at = {spec, posenc_row_position(r, i + j)};
      row(p, &at, buffer[j] + FLOATS);
    }
    for (int64_t j = 0; j < n; j++) {
      float *to = out + (i + j) * stride + 2 * p->first;
      const int64_t before = (int64_t)((uintptr_t)to / sizeof(float) % FLOATS); /* floats of the first line left of `to` */
      const float *from = buffer[j] + FLOATS;
      int64_t left = p->columns;
      if (p->first == 0) { /* the row's left end: up to the first whole line */
        for (int64_t part = (FLOATS - before) % FLOATS; part > 0 && left > 0; part--, left--)
          *to++ = *from++;
      } else if (before > 0) {
        memcpy(buffer[j], edge[j], sizeof edge[j]);
        from -= before;
        to -= before;
        left += before;
      }
      for (; left >= FLOATS; left -= FLOATS, from += FLOATS, to += FLOATS)
        stream_line(to, from);
      if (last)
        memcpy(to, from, (size_t)left * sizeof *to);
      else if (before > 0)
        memcpy(edge[j], buffer[j] + 2 * STRIP, sizeof edge[j]);
    }
  }
}

static inline void walk(const posenc_spec *spec, const void *state, const posenc_rows *r, float *out, int64_t stride,
                        strip_begin *begin, strip_row *row)
{
  const turns t = turns_of(spec, state);
  double made[WIDE][GROUP_DOUBLES] LINE;
  edges edge LINE;
  const int streamed = t.steps && r->count * spec->d_model >= STREAM_BYTES / (int64_t)sizeof(float);
  const int64_t most = t.steps ? ROWS : r->count;
  strip p;
  for (int64_t i = 0; i < r->count; i += most) {
    const int64_t end = r->count - i < most ? r->count : i + most;
    for (int64_t first = 0; 2 * first < spec->d_model; first += STRIP) {
      set_strip(spec, &t, first, &p, made);
      for (int64_t j = i, next; j < end; j = next) {
        next = run_end(r, j);
        next = next < end ? next : end;
        set_anchor(&p, &t, anchor_of(posenc_row_position(r, j)));
        if (begin)
          begin(&p, &t);
        if (streamed)
          stream_rows(&p, spec, r, j, next, out, stride, row, edge + (j - i));
        else
          store_rows(&p, spec, r, j, next, out, stride, row);
      }
    }
  }
  if (streamed)
    stream_end();
}

#endif
