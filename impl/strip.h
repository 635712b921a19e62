/* A strip: 32 frequencies side by side, 256 bytes of a row, and what the rows of up to 17 runs need of them.
 *
 *     run     64 rows around an anchor, a multiple of 64: anchor - 32 .. anchor + 31
 *
 * Where a row does not begin at a line, the strips do: the first one starts with lanes of no frequency, left of the row, or,
 * where rows follow each other without a gap, with the last frequencies of the row before (join.h).
 *
 * `settle` is what exact brings: it gets the vectors among which check (simd.h) has found something. anchored brings none.
 */
#ifndef POSENC_STRIP_H
#define POSENC_STRIP_H

#include "entries.h"

#include <string.h>

enum { WIDE = 4, STRIP = WIDE * GROUP, LINE_FLOATS = 16, EACH = 2 * VD_LANES /* columns of a vector */ };

/* Rows at a time: enough for a strip's steps to be read from L1 nearly always. */
enum { ROWS = 1024, RUNS = ROWS / STEP + 1, MANY_RUNS = 4 /* steps at a line are worth a copy */ };

#define LINE __attribute__((aligned(64)))
#define FLAT static inline __attribute__((always_inline)) /* unrolled, with constants for arguments where they can be */

typedef double lanes[STRIP], group_lanes[2][GROUP];

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
  int shared;                       /* lanes of group 0 that are the last frequencies of the row before; then it has its own: */
  group_lanes edges[RUNS] LINE;     /* anchors of a run's first row, behind which another run's row ends */
  group_lanes joined[STEP] LINE;    /* steps -32 to 31 */
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

/* For `runs` runs from position `anchor`, all with one coarse part. Rows end before column `end`. */
static inline void set_strip(strip *p, const turns *t, int64_t first, int64_t end, int64_t anchor, int64_t runs, store how)
{
  const int64_t columns = end - 2 * first;
  const parts at = parts_of(anchor);
  p->t = t;
  p->first = first;
  p->from = first < 0 ? -2 * first : 0;
  p->to = columns < 2 * STRIP ? columns : 2 * STRIP;
  p->groups = (int)((p->to + LINE_FLOATS - 1) / LINE_FLOATS);
  p->anchor = anchor;
  p->shared = 0;
  const int own_steps = !t->steps || (first % GROUP != 0 && runs >= MANY_RUNS);
  for (int v = 0; v < p->groups * GROUP; v += VD_LANES) {
    const int64_t k = first + v;
    const angle coarse = compute(t, k, at.coarse);
    const vd relative = relative_at(t, k, at.coarse);
    vd_store(p->relative + v, relative);
    vd_store(p->exempt + v, exempt_at(t, k, relative));
    for (int r = 0; r < runs; r++) {
      const angle a = turned(coarse, entry(t, middles_of(t, k), k, at.middle + r, STEP));
      store_angle(p->anchors[r][0] + v, STRIP, a);
    }
    for (int b = 0; own_steps && b < STEPS; b++)
      store_angle(p->made[b][0] + v, ROOM, entry(t, steps_of(t, k), k, b, 1));
  }
  no_frequency(t, first, p->groups * GROUP, p->exempt);
  for (int g = 0; g < p->groups; g++) {
    p->how[g] = p->from > g * LINE_FLOATS || p->to < (g + 1) * LINE_FLOATS ? PART : how;
    p->steps[g] = own_steps ? p->made[0][0] + g * GROUP : entries_of(t, t->steps, STEPS, first + g * GROUP);
  }
}

static inline angle anchor_of(const strip *p, int run, int v) { return load_angle(p->anchors[run][0] + v * VD_LANES, STRIP); }
static inline angle edge_of(const strip *p, int run, int v) { return load_angle(p->edges[run][0] + v * VD_LANES, GROUP); }
static inline angle joined_step(const strip *p, int v, int b)
{
  return load_angle(p->joined[b + STEP / 2][0] + v * VD_LANES, GROUP);
}

static inline angle step_of(const double *const *steps, int v, int b)
{
  return load_angle(steps[v * VD_LANES / GROUP] + b * ENTRY + v * VD_LANES % GROUP, ROOM);
}

enum { PER_GROUP = GROUP / VD_LANES }; /* vectors */

static inline angle value_of(const strip *p, int run, int v, int b) /* b may be negative */
{
  if (p->shared && v < PER_GROUP)
    return turned(b == -STEP / 2 ? edge_of(p, run, v) : anchor_of(p, run, v), joined_step(p, v, b));
  angle s = step_of(p->steps, v, b < 0 ? -b : b);
  s.sin = vd_mul(s.sin, vd_set1(b < 0 ? -1.0 : 1.0));
  return turned(anchor_of(p, run, v), s);
}

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
    if (!check_flagged(&k)) /* most, also among those that brought us here */
      continue;
    const vd relative = vd_load(p->relative + v * VD_LANES);
    const int64_t position = p->anchor + run * STEP + b, from = p->from - v * EACH;
    settle(spec, p->t, position, p->first + v * VD_LANES, y, relative, place_of(to, v, i), from, p->to - v * EACH);
    if (p->shared && v < PER_GROUP && from > 0)
      settle(spec, p->t, position - 1, spec->d_model / 2 - p->shared + v * VD_LANES, y, relative, place_of(to, v, i), 0, from);
  }
}

#endif
