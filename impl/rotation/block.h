/* A block: frequencies side by side, and what the rows of a run need of them.
 *
 *     run     64 rows around an anchor, a multiple of 64: anchor - 32 .. anchor + 31
 *
 * Where a row does not begin at a line, the first block does: it starts with lanes of no frequency, left of the row,
 * or, where rows follow each other without a gap, with the last frequencies of the row before (rotation/join.h).
 */
#ifndef POSENC_BLOCK_H
#define POSENC_BLOCK_H

#include "rotation/slots.h"

/* Frequencies of a block at most: 4 KiB of a row. Their anchors are in L1, their 264 KiB of steps mostly in L2. */
enum { MOST = 512 };

/* How rows are written: by ordinary stores or by non-temporal ones; ADDED: scaled x plus the row, by the same two. */
typedef enum store { PLAIN, STREAMED, ADDED, ADDED_STREAMED } store;

/* Sines and cosines of vectors side by side. */
typedef struct angles {
  double *sin, *cos;
} angles;

FLAT angle angle_in(angles a, int v) { return (angle){vd_loadu(a.sin + v * VD_LANES), vd_loadu(a.cos + v * VD_LANES)}; }
static inline void set_angle(angles a, int v, angle value) {
  vd_store(a.sin + v * VD_LANES, value.sin);
  vd_store(a.cos + v * VD_LANES, value.cos);
}

/* Where inner loops read. */
typedef struct view {
  angles coarses, anchors; /* of this block's positions, below */
  vx *exempt;
  slots slots;
} view;

typedef struct block {
  const turns *t;
  int64_t first;    /* frequency of lane 0; below 0 in the first block of rows that do not begin at a line */
  int64_t from, to; /* columns of the block that exist */
  int vectors;      /* with any of them */
  store how;
  int64_t coarse, anchor; /* positions: of all runs, of this one */
  int shared; /* lanes at the left of group 0 that are the end of the row before; 0: none. Then the slots have steps */
  /* Anchors of those lanes for step -32, where the row before belongs to the run before. */
  double edge[2 * GROUP] LINE;
  view view;
  slots_memory memory;                                   /* of the slots */
  double coarses[2 * MOST] LINE, anchors[2 * MOST] LINE; /* sines, then cosines */
  vx exempt[MOST / VD_LANES];
  const double *steps[MOST / GROUP]; /* of a group, as entries_of() gives them */
} block;

FLAT angles angles_in_slots(slots s, int i) { return (angles){slot_at(s, i)->values, slot_at(s, i + 1)->values}; }

/* Rows of float32 that are written, not added to, around the caches have theirs in the slots, others in the block's
 * arrays. Inner loops call this, as `how` is a constant there, and keep what it returns: for all the compiler knows,
 * stores may change *p. */
FLAT view view_of(block *p, slots s, store how) {
  if (how == STREAMED)
    return (view){angles_in_slots(s, COARSE_SLOT), angles_in_slots(s, ANCHOR_SLOT), slot_at(s, EXEMPT_SLOT)->lanes, s};
  return (view){{p->coarses, p->coarses + MOST}, {p->anchors, p->anchors + MOST}, p->exempt, s};
}

/* Of vector v behind `first`, the first one of a strip; b >= 0. `how` is p->how, in inner loops a constant. */
FLAT angle step_of(const block *p, const view *w, store how, int first, int v, int b) {
  if (how == STREAMED)
    return angle_in(angles_in_slots(w->slots, STEP_SLOT + 2 * b), first + v);
  return load_angle(p->steps[first / PER_GROUP + v / PER_GROUP] + b * ENTRY + v % PER_GROUP * VD_LANES, ROOM);
}

/* Of `width` frequencies from `first`, for runs with one coarse part, that position. Rows end before column `end`. The
 * block's columns of one row begin at `out`. Where the plan keeps no steps, a strip has its own, in the memory of the
 * slots. */
static inline void set_block(block *p, const turns *t, int64_t first, int64_t width, int64_t end, int64_t coarse,
    store how, const float *out, int64_t stride) {
  const int64_t columns = end - 2 * first;
  p->t = t;
  p->first = first;
  p->from = first < 0 ? -2 * first : 0;
  p->to = columns < 2 * width ? columns : 2 * width;
  p->vectors = (int)((p->to + EACH - 1) / EACH);
  p->how = how;
  p->coarse = coarse;
  p->shared = 0;
  const slots s = slots_in(&p->memory, out, stride);
  double *const own = t->steps || how == STREAMED ? NULL : slot_at(s, STEP_SLOT)->values;
  p->view = view_of(p, s, how);
  for (int v = 0; v < p->vectors; v++) {
    const int64_t k = first + v * VD_LANES;
    set_angle(p->view.coarses, v, coarse_angle(t, k, coarse));
    p->view.exempt[v] = vx_of(exempt_lanes(t, k, coarse));
    for (int b = 0; (own || how == STREAMED) && b < STEPS; b++) {
      const angle step = entry(t, steps_of(t, k), k, b, 1);
      if (own)
        store_angle(own + b * ENTRY + v * VD_LANES, ROOM, step);
      else
        set_angle(angles_in_slots(s, STEP_SLOT + 2 * b), v, step);
    }
  }
  for (int g = 0; how != STREAMED && g * PER_GROUP < p->vectors; g++)
    p->steps[g] = own ? own + g * GROUP : entries_of(t, t->steps, STEPS, first + g * GROUP);
}

/* For the run before this one, which may have another coarse part, but none further than COARSE from here: too careful
 * by that. */
static inline vd relative_before(const block *p, int64_t k) {
  return relative_at(p->t, k, (p->coarse < 0 ? -p->coarse : p->coarse) + COARSE);
}

static inline void set_run(block *p, int64_t anchor) {
  p->anchor = anchor;
  for (int v = 0; v < p->vectors; v++) {
    const int64_t k = p->first + v * VD_LANES;
    const angle middle = entry(p->t, middles_of(p->t, k), k, (int)((anchor - p->coarse) / STEP), STEP);
    set_angle(p->view.anchors, v, rotated(angle_in(p->view.coarses, v), middle));
  }
}

static inline angle edge_of(const block *p, int v) { return load_angle(p->edge + v * VD_LANES, GROUP); }
FLAT double *joined_step(const view *w, int v, int b) {
  enum { EACH_SLOT = STRIP / (2 * GROUP) };
  const int i = b + STEP / 2;
  return slot_at(w->slots, JOINED_SLOT + i / EACH_SLOT)->values + i % EACH_SLOT * 2 * GROUP + v * VD_LANES;
}

static inline angle value_of(const block *p, int v, int b) {
  if (p->shared && v < PER_GROUP)
    return rotated(
        b == -STEP / 2 ? edge_of(p, v) : angle_in(p->view.anchors, v), load_angle(joined_step(&p->view, v, b), GROUP));
  angle s = step_of(p, &p->view, p->how, 0, v, b < 0 ? -b : b);
  s.sin = vd_mul(s.sin, vd_set1(b < 0 ? -1.0 : 1.0));
  return rotated(angle_in(p->view.anchors, v), s);
}

/* The strip from vector `first` of row anchor + b, which is at `strip`. */
__attribute__((noinline)) static void recheck_strip(
    const block *p, const posenc_spec *spec, int first, int b, float *strip, recheck_pairs *recheck) {
  if (p->anchor + b == 0 && !p->shared) /* most tables begin with it: angle 0, 0 and 1 exactly */
    return;
  for (int v = first; v < first + PER_STRIP && v < p->vectors; v++) {
    const int64_t position = p->anchor + b, k = p->first + v * VD_LANES, from = p->from - v * EACH;
    const angle y = value_of(p, v, b);
    rounding_test c = test_none();
    test_pairs(&c, y.sin, y.cos, vd_pack(y.sin, y.cos), p->view.exempt[v]);
    if (!test_failed(&c)) /* usually one of the strip is */
      continue;
    float *const at = strip + (v - first) * EACH;
    recheck(spec, p->t, position, k, y, relative_at(p->t, k, p->coarse), at, from, p->to - v * EACH);
    if (p->shared && from > 0) {
      const int64_t last = spec->d_model / 2 - p->shared + v * VD_LANES;
      recheck(spec, p->t, position - 1, last, y, relative_before(p, last), at, 0, from);
    }
  }
}

#endif
