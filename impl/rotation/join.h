/* Rows that follow each other without a gap and do not begin at a line: a vector over the end of one and the start of
 * the next has lanes of both. They are at positions p - 1 and p, so its group has anchors and steps of its own: in the
 * lanes of the row before, step b - 1 where the others have b, and beside -32 step 31 of the run before.
 *
 * A row can be written so behind another one only, not as the first of a call.
 */
#ifndef POSENC_JOIN_H
#define POSENC_JOIN_H

#include "rotation/block.h"

/* Which lanes of a vector are whose. */
typedef struct owners {
  vd before, own;
} owners;

static inline owners owners_of(const block *p, int v) {
  static const double lane[GROUP] LINE = {0, 1, 2, 3, 4, 5, 6, 7};
  const vd index = vd_loadu(lane + v * VD_LANES);
  return (owners){vd_ge(vd_set1(p->shared - 1), index), vd_ge(index, vd_set1(p->shared))};
}

static inline vd put_together(owners whose, vd before, vd own) {
  return vd_or(vd_and(whose.before, before), vd_and(whose.own, own));
}

static inline angle join(owners whose, angle before, angle own) {
  return (angle){put_together(whose, before.sin, own.sin), put_together(whose, before.cos, own.cos)};
}

/* For rows of so many pairs, without a gap: the lanes left of a row's first frequency become the last ones of the row
 * before. */
static inline void join_block(block *p, int64_t pairs) {
  const turns *t = p->t;
  p->shared = (int)-p->first;
  for (int v = 0; v < PER_GROUP; v++) {
    const int64_t before = pairs - p->shared + v * VD_LANES, own = p->first + v * VD_LANES;
    const owners whose = owners_of(p, v);
    p->view.exempt[v] =
        vx_of(put_together(whose, exempt_at(t, before, relative_before(p, before)), exempt_lanes(t, own, p->coarse)));
    for (int b = -STEP / 2; b < STEP / 2; b++) {
      const angle step_before = entry(t, steps_of(t, before), before, b == -STEP / 2 ? STEP / 2 - 1 : b - 1, 1);
      const angle step = entry(t, steps_of(t, own), own, b, 1);
      store_angle(joined_step(&p->view, v, b), GROUP, join(whose, step_before, step));
    }
  }
}

static inline angle angle_of_anchor(const turns *t, int64_t k, int64_t anchor) {
  const parts at = parts_of(anchor);
  return rotated(compute(t, k, at.coarse), entry(t, middles_of(t, k), k, at.middle, STEP));
}

/* After set_run(). */
static inline void join_run(block *p, int64_t pairs) {
  for (int v = 0; v < PER_GROUP; v++) {
    const int64_t k = pairs - p->shared + v * VD_LANES;
    const owners whose = owners_of(p, v);
    const angle own = angle_in(p->view.anchors, v);
    set_angle(p->view.anchors, v, join(whose, angle_of_anchor(p->t, k, p->anchor), own));
    store_angle(p->edge + v * VD_LANES, GROUP, join(whose, angle_of_anchor(p->t, k, p->anchor - STEP), own));
  }
}

#endif
