/* The steps of a group of 8 frequencies, in the row's vectors. See turns.h. */
#ifndef POSENC_STEPS_H
#define POSENC_STEPS_H

#include "angle.h"
#include "turns.h"

static inline void make_steps(const turns *t, int64_t group, double *steps)
{
  for (int64_t v = 0; v < GROUP; v += VD_LANES) {
    const int64_t k = group * GROUP + v;
    const vd hi = vd_load(t->hi + k), mid = vd_load(t->mid + k), lo = vd_load(t->lo + k);
    for (int64_t b = 0; b < STEPS; b++) {
      const angle a = angle_at(vd_set1((double)b), hi, mid, lo);
      vd_store(steps + (2 * b) * GROUP + v, a.sin);
      vd_store(steps + (2 * b + 1) * GROUP + v, a.cos);
    }
  }
}

static inline void prepare_steps(const posenc_spec *spec, void *state)
{
  const turns t = turns_of(spec, state);
  posenc_turns(spec, &t);
  if (t.steps)
    for (int64_t g = 0; g * GROUP < posenc_n_freqs(spec->d_model); g++)
      make_steps(&t, g, t.steps + g * GROUP_DOUBLES);
}

#endif
