/* How the anchored and exact kernels walk a table of consecutive rows.
 *
 *     run     64 rows around an anchor, a multiple of 64: anchor - 32 .. anchor + 31
 *     strip   32 frequencies side by side, 256 bytes of a row: its anchors stay in registers while the rows of a run pass,
 *             its 17 KiB of steps in L1 while the rows of many runs pass
 *
 * Rows anchor + b and anchor - b share a step and its products (angle.h), so they are written together.
 *
 * Where a row does not begin at a line, the strips do: the first one starts with lanes of no frequency, left of the row. Large
 * tables are written around the caches, by whole lines; the lines in which one row ends and the next begins are put together in
 * a buffer first.
 *
 * `settle` is what exact brings: it gets the vectors among which check (simd.h) has found something. anchored brings none.
 */
#ifndef POSENC_TILES_H
#define POSENC_TILES_H

#include "entries.h"

#include <string.h>

enum { WIDE = 4, STRIP = WIDE * GROUP, LINE_FLOATS = 16, EACH = 2 * VD_LANES /* columns of a vector */ };

/* Rows at a time: enough for a strip's steps to be read from L1 nearly always. */
enum { ROWS = 1024, RUNS = ROWS / STEP + 1, MANY_RUNS = 8 /* steps at a line are worth a copy */ };

/* From here on a table is written around the caches. Below, its lines may still be in some cache when they are read. */
#define STREAM_BYTES (INT64_C(24) << 20)

#define LINE __attribute__((aligned(64)))

typedef double lanes[STRIP];

typedef enum store { PLAIN, STREAMED, PART } store; /* PART: of a group, only the columns that exist */

/* Where a group's columns of consecutive rows go, from the first row of a run. */
typedef struct target {
  float *row;
  int64_t stride;
} target;

typedef struct strip {
  int64_t first;                 /* frequency of lane 0; below 0 in the first strip of rows that do not begin at a line */
  int64_t from, to;              /* columns of the strip that exist */
  int groups;                    /* with any of them */
  store how[WIDE];               /* of a group */
  const double *steps[WIDE];     /* of a group, as entries_of() gives them */
  int64_t anchor;                /* position of the first run's */
  lanes anchors[RUNS][2] LINE;   /* their sines and cosines, run after run */
  lanes relative LINE, exempt LINE; /* see relative_at() */
  double made[STEPS][2][ROOM] LINE; /* steps where the plan keeps none, or none at a line */
} strip;

/* Looks again at the pairs y of frequencies k, k + 1, ... whose columns from .. to-1, of those at `out`, are already written. */
typedef void settle_pairs(const posenc_spec *spec, int64_t position, int64_t k, angle y, vd relative, float *out, int64_t from,
                          int64_t to);

/* Lanes whose angle, and the parts it is the sum of, stay within an eighth of a turn near this coarse position: all bits
 * set. Their errors are relative (exact.c). */
static inline vd relative_at(const turns *t, int64_t k, int64_t coarse)
{
  const double most = (double)(coarse < 0 ? -coarse : coarse) + COARSE / 2 + STEP / 2;
  return vd_ge(vd_set1(0.125), vd_mul(vd_set1(most), vd_abs(vd_loadu(t->hi + k))));
}

/* Of those, as bits of packed pairs, the sines that a check need not compare with CHECK_SMALL: they are 0 or at least 2^-125. */
static inline vd exempt_at(const turns *t, int64_t k, vd relative)
{
  const vd size = vd_abs(vd_loadu(t->hi + k)), zero = vd_set1(0.0), sines = vd_set1(0x1.fffffffep-1043); /* low halves */
  return vd_and(vd_and(relative, sines), vd_or(vd_ge(size, vd_set1(0x1p-120)), vd_ge(zero, size)));
}

/* Lanes of no frequency are exempt: what is computed there is finite, and never stored. */
static inline void no_frequency(const turns *t, int64_t first, int lanes_used, double *exempt)
{
  if (first < 0 || first + lanes_used > t->n)
    for (int v = 0; v < lanes_used; v++)
      if (first + v < 0 || first + v >= t->n)
        memset(&exempt[v], 0xff, sizeof exempt[v]);
}

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

/* For `runs` runs from position `anchor`, all with one coarse part. */
static inline void set_strip(strip *p, const posenc_spec *spec, const turns *t, int64_t first, int64_t anchor, int64_t runs,
                             store how)
{
  const int64_t columns = spec->d_model - 2 * first;
  const parts at = parts_of(anchor);
  p->first = first;
  p->from = first < 0 ? -2 * first : 0;
  p->to = columns < 2 * STRIP ? columns : 2 * STRIP;
  p->groups = (int)((p->to + LINE_FLOATS - 1) / LINE_FLOATS);
  p->anchor = anchor;
  const int own_steps = !t->steps || (first % GROUP != 0 && runs >= MANY_RUNS);
  for (int v = 0; v < p->groups * GROUP; v += VD_LANES) {
    const int64_t k = first + v;
    const angle coarse = compute(t, k, at.coarse);
    const vd relative = relative_at(t, k, at.coarse);
    vd_store(p->relative + v, relative);
    vd_store(p->exempt + v, exempt_at(t, k, relative));
    for (int r = 0; r < runs; r++) {
      const angle a = turned(coarse, entry(t, middles_of(t, k), k, at.middle + r, STEP));
      vd_store(p->anchors[r][0] + v, a.sin);
      vd_store(p->anchors[r][1] + v, a.cos);
    }
    for (int b = 0; own_steps && b < STEPS; b++) {
      const angle a = entry(t, steps_of(t, k), k, b, 1);
      vd_store(p->made[b][0] + v, a.sin);
      vd_store(p->made[b][1] + v, a.cos);
    }
  }
  no_frequency(t, first, p->groups * GROUP, p->exempt);
  for (int g = 0; g < p->groups; g++) {
    p->how[g] = p->from > g * LINE_FLOATS || p->to < (g + 1) * LINE_FLOATS ? PART : how;
    p->steps[g] = own_steps ? p->made[0][0] + g * GROUP : entries_of(t, t->steps, STEPS, first + g * GROUP);
  }
}

static inline angle anchor_of(const strip *p, int run, int v)
{
  return (angle){vd_load(p->anchors[run][0] + v * VD_LANES), vd_load(p->anchors[run][1] + v * VD_LANES)};
}

static inline angle step_of(const double *const *steps, int v, int b)
{
  const double *e = steps[v * VD_LANES / GROUP] + b * ENTRY + v * VD_LANES % GROUP;
  return (angle){vd_loadu(e), vd_loadu(e + ROOM)};
}

static inline angle value_of(const strip *p, int run, int v, int b) /* b may be negative */
{
  angle s = step_of(p->steps, v, b < 0 ? -b : b);
  s.sin = vd_mul(s.sin, vd_set1(b < 0 ? -1.0 : 1.0));
  return turned(anchor_of(p, run, v), s);
}

enum { PER_GROUP = GROUP / VD_LANES }; /* vectors */

static inline float *place_of(const target *to, int v, int64_t row)
{
  return to[v / PER_GROUP].row + row * to[v / PER_GROUP].stride + v % PER_GROUP * EACH;
}

/* Row i of those in `to`, anchor + b. */
__attribute__((noinline)) static void settle_row(const strip *p, const posenc_spec *spec, int run, int b, const target *to,
                                                 int64_t i, settle_pairs *settle)
{
  for (int v = 0; v < p->groups * PER_GROUP; v++) {
    const angle y = value_of(p, run, v, b);
    check k = check_none();
    check_pairs(&k, y.sin, y.cos, vd_pack(y.sin, y.cos), vx_of(vd_load(p->exempt + v * VD_LANES)));
    if (check_flagged(&k)) /* few of those that brought us here */
      settle(spec, p->anchor + run * STEP + b, p->first + v * VD_LANES, y, vd_load(p->relative + v * VD_LANES),
             place_of(to, v, i), p->from - v * EACH, p->to - v * EACH);
  }
}

static inline void store_vector(const strip *p, int v, float *at, vp packed, store how)
{
  const int64_t from = p->from - v * EACH, to = p->to - v * EACH;
  if (how == STREAMED)
    vp_stream(at, packed);
  else if (how == PLAIN)
    vp_store(at, packed);
  else if (from < EACH && to > 0)
    vp_store_part(at, packed, from > 0 ? from : 0, to < EACH ? to : EACH);
}

#define FLAT static inline __attribute__((always_inline)) /* unrolled, with constants for `groups` and `how` where they can be */

/* What stays in registers while the rows of a run pass. */
typedef struct held {
  angle anchors[WIDE * PER_GROUP];
  vx exempt[WIDE * PER_GROUP];
  const double *steps[WIDE];
  target to[WIDE];
} held;

enum { BOTH, AHEAD, BEHIND };

/* Rows anchor + b and anchor - back, or one of the two. Row 0 of `to` is anchor + lo. */
FLAT void some_rows(const strip *p, const posenc_spec *spec, int run, const held *h, int groups, const store *how,
                    const target *to, int lo, int which, int b, int back, settle_pairs *settle)
{
  check y_check = check_none(), z_check = y_check;
#pragma GCC unroll 32
  for (int v = 0; v < WIDE * PER_GROUP; v++) {
    if (v >= groups * PER_GROUP)
      break;
    if (which != BEHIND) {
      const angle y = turned(h->anchors[v], step_of(h->steps, v, b));
      const vp packed = vd_pack(y.sin, y.cos);
      if (settle)
        check_pairs(&y_check, y.sin, y.cos, packed, h->exempt[v]);
      store_vector(p, v, place_of(h->to, v, b - lo), packed, how[v / PER_GROUP]);
    }
    if (which != AHEAD) {
      const angle z = turned_back(h->anchors[v], step_of(h->steps, v, back));
      const vp packed = vd_pack(z.sin, z.cos);
      if (settle)
        check_pairs(&z_check, z.sin, z.cos, packed, h->exempt[v]);
      store_vector(p, v, place_of(h->to, v, -back - lo), packed, how[v / PER_GROUP]);
    }
  }
  if (settle && which != BEHIND && check_flagged(&y_check))
    settle_row(p, spec, run, b, to, b - lo, settle);
  if (settle && which != AHEAD && check_flagged(&z_check))
    settle_row(p, spec, run, -back, to, -back - lo, settle);
}

/* Rows lo .. hi of a run, the first of them at `to`. `how` of all groups, or NULL: side by side, and all as `all`. */
FLAT void run_rows(const strip *p, const posenc_spec *spec, int run, int groups, const target *to, const store *how, store all,
                   int lo, int hi, settle_pairs *settle)
{
  held h;
  const store same[WIDE] = {all, all, all, all}, *const hows = how ? how : same;
#pragma GCC unroll 32
  for (int v = 0; v < WIDE * PER_GROUP; v++) {
    const int there = v < groups * PER_GROUP ? v : 0;
    h.anchors[v] = anchor_of(p, run, there);
    h.exempt[v] = vx_of(vd_load(p->exempt + there * VD_LANES));
  }
#pragma GCC unroll 4
  for (int g = 0; g < WIDE; g++) {
    h.steps[g] = p->steps[g < groups ? g : 0];
    h.to[g] = how ? to[g < groups ? g : 0] : (target){to[0].row + g * LINE_FLOATS, to[0].stride};
  }
  if (lo == -STEP / 2 && hi == STEP / 2 - 1) {
    some_rows(p, spec, run, &h, groups, hows, to, -STEP / 2, BOTH, 0, STEP / 2, settle); /* the two that are left over */
    for (int b = 1; b < STEP / 2; b++)
      some_rows(p, spec, run, &h, groups, hows, to, -STEP / 2, BOTH, b, b, settle);
    return;
  }
  for (int b = lo; b <= hi && b < 0; b++)
    some_rows(p, spec, run, &h, groups, hows, to, lo, BEHIND, 0, -b, settle);
  for (int b = lo > 0 ? lo : 0; b <= hi; b++)
    some_rows(p, spec, run, &h, groups, hows, to, lo, AHEAD, b, 0, settle);
}

static inline void strip_rows(const strip *p, const posenc_spec *spec, int run, int lo, int hi, const target *to,
                              settle_pairs *settle)
{
  if (p->groups < WIDE || p->how[0] != p->how[WIDE - 1] || p->how[0] == PART)
    run_rows(p, spec, run, p->groups, to, p->how, PART, lo, hi, settle);
  else if (p->how[0] == STREAMED)
    run_rows(p, spec, run, WIDE, to, NULL, STREAMED, lo, hi, settle);
  else
    run_rows(p, spec, run, WIDE, to, NULL, PLAIN, lo, hi, settle);
}

typedef float line[LINE_FLOATS];

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
  line ends[ROWS + 1] LINE;
  const int64_t before = floats_before(out), left = first_lane(out, stride);
  const int streamed = before == -2 * left && stride % LINE_FLOATS == 0 && count * spec->d_model >= STREAM_BYTES / (int64_t)sizeof(float);
  const int joined = streamed && before > 0 && stride == spec->d_model;
  for (int64_t i = 0, end; i < count; i = end) {
    const parts at = parts_of(position + i);
    const int64_t anchor = position + i - at.step, same_coarse = at.coarse + COARSE / 2 - STEP / 2 - position;
    end = count - i < ROWS ? count : i + ROWS;
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
