/* A strip: 32 frequencies side by side, 256 bytes of a row, and what the rows of up to 17 runs need of them.
 *
 *     run     64 rows around an anchor, a multiple of 64: anchor - 32 .. anchor + 31
 *
 * Where a row does not begin at a line, the strips do: the first one starts with lanes of no frequency, left of the row.
 *
 * `settle` is what exact brings: it gets the vectors among which check (simd.h) has found something. anchored brings none.
 */
#ifndef POSENC_STRIP_H
#define POSENC_STRIP_H

#include "entries.h"

#include <string.h>

enum { WIDE = 4, STRIP = WIDE * GROUP, LINE_FLOATS = 16, EACH = 2 * VD_LANES /* columns of a vector */ };

/* Rows at a time: enough for a strip's steps to be read from L1 nearly always. */
enum { ROWS = 1024, RUNS = ROWS / STEP + 1, MANY_RUNS = 8 /* steps at a line are worth a copy */ };

#define LINE __attribute__((aligned(64)))

typedef double lanes[STRIP];

typedef enum store { PLAIN, STREAMED, PART } store; /* PART: of a group, only the columns that exist */

/* Where a group's columns of consecutive rows go, from the first row of a run. */
typedef struct target {
  float *row;
  int64_t stride;
} target;

typedef struct strip {
  const turns *t;
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

/* A vector whose columns from .. to-1, of those at `at`, exist: perhaps none, perhaps more than it has. */
static inline void store_columns(float *at, vp packed, int64_t from, int64_t to)
{
  if (from <= 0 && to >= EACH)
    vp_store(at, packed);
  else if (from < EACH && to > 0)
    vp_store_part(at, packed, from > 0 ? from : 0, to < EACH ? to : EACH);
}

/* Looks again at the pairs y of frequencies k, k + 1, ... whose columns from .. to-1, of those at `out`, are already written. */
typedef void settle_pairs(const posenc_spec *spec, const turns *t, int64_t position, int64_t k, angle y, vd relative, float *out,
                          int64_t from, int64_t to);

/* Lanes whose angle, and the parts it is the sum of, stay within an eighth of a turn near this coarse position: all bits
 * set. Their errors are relative (exact.c). */
static inline vd relative_at(const turns *t, int64_t k, int64_t coarse)
{
  const double most = (double)(coarse < 0 ? -coarse : coarse) + COARSE / 2 + STEP / 2;
  return vd_ge(vd_set1(0.125), vd_mul(vd_set1(most), vd_abs(vd_loadu(t->hi + k))));
}

/* Of those, as bits of packed pairs, the sines that a check need not compare with CHECK_SMALL: they are at least
 * 2^-125, or below 2^-168 and 0 in float32. */
static inline vd exempt_at(const turns *t, int64_t k, vd relative)
{
  const vd size = vd_abs(vd_loadu(t->hi + k)), nothing = vd_set1(0x1p-202), sines = vd_set1(0x1.fffffffep-1043); /* low halves */
  return vd_and(vd_and(relative, sines), vd_or(vd_ge(size, vd_set1(0x1p-120)), vd_ge(nothing, size)));
}

/* Lanes of no frequency are exempt: what is computed there is finite, and never stored. */
static inline void no_frequency(const turns *t, int64_t first, int lanes_used, double *exempt)
{
  if (first < 0 || first + lanes_used > t->n)
    for (int v = 0; v < lanes_used; v++)
      if (first + v < 0 || first + v >= t->n)
        memset(&exempt[v], 0xff, sizeof exempt[v]);
}

/* For `runs` runs from position `anchor`, all with one coarse part. */
static inline void set_strip(strip *p, const posenc_spec *spec, const turns *t, int64_t first, int64_t anchor, int64_t runs,
                             store how)
{
  const int64_t columns = spec->d_model - 2 * first;
  const parts at = parts_of(anchor);
  p->t = t;
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
      settle(spec, p->t, p->anchor + run * STEP + b, p->first + v * VD_LANES, y, vd_load(p->relative + v * VD_LANES),
             place_of(to, v, i), p->from - v * EACH, p->to - v * EACH);
  }
}

#endif
