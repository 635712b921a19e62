/* Rows that follow each other without a gap and do not begin at a line: a vector over the end of one and the start of the next
 * has lanes of both. They are at positions p - 1 and p, so its group has anchors and steps of its own: in the lanes of the row
 * before, step b - 1 where the others have b, and beside -32 step 31 of the run before.
 *
 * A row can be written so behind another one only, not as the first of a call.
 */
#ifndef POSENC_JOIN_H
#define POSENC_JOIN_H

#include "strip.h"

/* Which lanes of a vector are whose. */
typedef struct owners {
  vd before, own;
} owners;

static inline vd put_together(owners whose, vd before, vd own) { return vd_or(vd_and(whose.before, before), vd_and(whose.own, own)); }

static inline angle join(owners whose, angle before, angle own)
{
  return (angle){put_together(whose, before.sin, own.sin), put_together(whose, before.cos, own.cos)};
}

/* Makes the lanes without a frequency, in the first strip of rows of n pairs, the last of the rows before. */
static inline void join_rows(strip *p, int64_t n, int64_t runs, store how)
{
  static const double lane[GROUP] LINE = {0, 1, 2, 3, 4, 5, 6, 7};
  const turns *t = p->t;
  const int64_t coarse = parts_of(p->anchor).coarse, most = (coarse < 0 ? -coarse : coarse) + COARSE; /* the run before */
  p->shared = (int)-p->first;
  p->how[0] = how;
  for (int v = 0; v < GROUP; v += VD_LANES) {
    const int64_t k = n - p->shared + v, k_own = p->first + v;
    const vd index = vd_loadu(lane + v), relative = relative_at(t, k, most);
    const owners whose = {vd_ge(vd_set1(p->shared - 1), index), vd_ge(index, vd_set1(p->shared))};
    vd_store(p->relative + v, put_together(whose, relative, vd_load(p->relative + v)));
    vd_store(p->exempt + v, put_together(whose, exempt_at(t, k, relative), vd_load(p->exempt + v)));
    for (int r = -1; r < runs; r++) {
      const parts at = parts_of(p->anchor + r * STEP);
      const angle a = turned(compute(t, k, at.coarse), entry(t, middles_of(t, k), k, at.middle, STEP));
      if (r + 1 < runs)
        store_angle(p->edges[r + 1][0] + v, GROUP, join(whose, a, load_angle(p->anchors[r + 1][0] + v, STRIP)));
      if (r >= 0)
        store_angle(p->anchors[r][0] + v, STRIP, join(whose, a, load_angle(p->anchors[r][0] + v, STRIP)));
    }
    for (int b = -STEP / 2; b < STEP / 2; b++) {
      const int before = b == -STEP / 2 ? STEP / 2 - 1 : b - 1;
      const angle own = entry(t, steps_of(t, k_own), k_own, b, 1);
      store_angle(p->joined[STEP / 2 + b][0] + v, GROUP, join(whose, entry(t, steps_of(t, k), k, before, 1), own));
    }
  }
}

#endif
