/* A block: frequencies side by side, and what the rows of a run need of them.
 *
 *     run     64 rows around an anchor, a multiple of 64: anchor - 32 .. anchor + 31
 *
 * Where a row does not begin at a line, the first block does: it starts with lanes of no frequency, left of the row, or,
 * where rows follow each other without a gap, with the last frequencies of the row before (join.h).
 */
#ifndef POSENC_BLOCK_H
#define POSENC_BLOCK_H

#include "strip.h"

/* Frequencies of a block at most: 4 KiB of a row. Their anchors are in L1, their 264 KiB of steps mostly in L2. */
enum { MOST = 512 };

/* How rows are written: in the caches or around them; or what is already there, x, is scaled and added to, likewise. */
typedef enum store { PLAIN, STREAMED, ADDED, ADDED_STREAMED } store;

typedef struct block {
  const turns *t;
  int64_t first;    /* frequency of lane 0; below 0 in the first block of rows that do not begin at a line */
  int64_t from, to; /* columns of the block that exist */
  int vectors;      /* with any of them */
  store how;
  int64_t coarse, anchor; /* positions: of all runs, of this one */
  vx exempt[MOST / VD_LANES];
  const double *steps[MOST / GROUP]; /* of a group, as entries_of() gives them */
  double coarses[2 * MOST] LINE, anchors[2 * MOST] LINE; /* sines, then cosines, at those positions */
  double made[STEPS * ENTRY] LINE; /* steps of a strip where the plan keeps none, or none at a line */
  int shared;                      /* lanes at the left of group 0 that are the end of the row before; 0: none. If there are any: */
  double edge[2 * GROUP] LINE;     /* group 0's anchors for step -32, where the row before belongs to the run before */
  double joined[STEP * 2 * GROUP] LINE; /* group 0's steps, -32 to 31 */
} block;

/* Of `width` frequencies from `first`, for runs with one coarse part, that position. Rows end before column `end`. */
static inline void set_block(block *p, const turns *t, int64_t first, int64_t width, int64_t end, int64_t coarse, store how,
                             int own_steps)
{
  const int64_t columns = end - 2 * first;
  p->t = t;
  p->first = first;
  p->from = first < 0 ? -2 * first : 0;
  p->to = columns < 2 * width ? columns : 2 * width;
  p->vectors = (int)((p->to + EACH - 1) / EACH);
  p->how = how;
  p->coarse = coarse;
  p->shared = 0;
  for (int v = 0; v < p->vectors; v++) {
    const int64_t k = first + v * VD_LANES;
    store_angle(p->coarses + v * VD_LANES, MOST, coarse_angle(t, k, coarse));
    p->exempt[v] = vx_of(exempt_lanes(t, k, coarse));
    for (int b = 0; own_steps && b < STEPS; b++)
      store_angle(p->made + b * ENTRY + v * VD_LANES, ROOM, entry(t, steps_of(t, k), k, b, 1));
  }
  for (int g = 0; g * PER_GROUP < p->vectors; g++)
    p->steps[g] = own_steps ? p->made + g * GROUP : entries_of(t, t->steps, STEPS, first + g * GROUP);
}

/* For the run before this one, which may have another coarse part, but none further than COARSE from here: too careful by that. */
static inline vd relative_before(const block *p, int64_t k)
{
  return relative_at(p->t, k, (p->coarse < 0 ? -p->coarse : p->coarse) + COARSE);
}

static inline void set_run(block *p, int64_t anchor)
{
  p->anchor = anchor;
  for (int v = 0; v < p->vectors; v++) {
    const int64_t k = p->first + v * VD_LANES;
    const angle middle = entry(p->t, middles_of(p->t, k), k, (int)((anchor - p->coarse) / STEP), STEP);
    store_angle(p->anchors + v * VD_LANES, MOST, turned(load_angle(p->coarses + v * VD_LANES, MOST), middle));
  }
}

static inline angle anchor_of(const block *p, int v) { return load_angle(p->anchors + v * VD_LANES, MOST); }
static inline angle edge_of(const block *p, int v) { return load_angle(p->edge + v * VD_LANES, GROUP); }
static inline angle joined_step(const block *p, int v, int b)
{
  return load_angle(p->joined + (b + STEP / 2) * 2 * GROUP + v * VD_LANES, GROUP);
}

static inline angle step_of(const block *p, int v, int b) /* b >= 0 */
{
  return load_angle(p->steps[v / PER_GROUP] + b * ENTRY + v % PER_GROUP * VD_LANES, ROOM);
}

static inline angle value_of(const block *p, int v, int b)
{
  if (p->shared && v < PER_GROUP)
    return turned(b == -STEP / 2 ? edge_of(p, v) : anchor_of(p, v), joined_step(p, v, b));
  angle s = step_of(p, v, b < 0 ? -b : b);
  s.sin = vd_mul(s.sin, vd_set1(b < 0 ? -1.0 : 1.0));
  return turned(anchor_of(p, v), s);
}

/* The strip from vector `first` of row anchor + b, which is at `strip`. */
__attribute__((noinline)) static void settle_strip(const block *p, const posenc_spec *spec, int first, int b, float *strip,
                                                   settle_pairs *settle)
{
  if (p->anchor + b == 0 && !p->shared) /* most tables begin with it: angle 0, 0 and 1 exactly */
    return;
  for (int v = first; v < first + PER_STRIP && v < p->vectors; v++) {
    const int64_t position = p->anchor + b, k = p->first + v * VD_LANES, from = p->from - v * EACH;
    const angle y = value_of(p, v, b);
    check c = check_none();
    check_pairs(&c, y.sin, y.cos, vd_pack(y.sin, y.cos), p->exempt[v]);
    if (!check_flagged(&c)) /* usually one of the strip is */
      continue;
    float *const at = strip + (v - first) * EACH;
    settle(spec, p->t, position, k, y, relative_at(p->t, k, p->coarse), at, from, p->to - v * EACH);
    if (p->shared && from > 0) {
      const int64_t last = spec->d_model / 2 - p->shared + v * VD_LANES;
      settle(spec, p->t, position - 1, last, y, relative_before(p, last), at, 0, from);
    }
  }
}

#endif
