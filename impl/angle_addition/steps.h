/* The steps of angle_addition/turns.h: made for a plan, or for a strip where a plan keeps none. And the sum of a
 * position's parts by itself.
 */
#ifndef POSENC_STEPS_H
#define POSENC_STEPS_H

#include "angle_addition/ziv.h"

#include <string.h>

_Static_assert(GROUP % VD_LANES == 0 && POSENC_TABLES_FREQS % WINDOW == 0, "vectors cross neither groups nor windows");

/* All entries of VD_LANES frequencies from k; entry i goes to to[i]. anchored computes each, and promises those bits.
 * exact takes sums for steps, 8 i + 4 +- (j + 1/2), as its test has room for what they are off by: 12 angles instead of 36. */
enum { PARTS = EXACT ? 4 : 0 };
_Static_assert(PARTS % SIDE_BY_SIDE == 0 && STEPS % SIDE_BY_SIDE == 0 && MIDDLES % SIDE_BY_SIDE == 0, "no rest");
static inline void make_entries(const turns *t, int64_t k, double *const *to) {
  angle ahead[4], middle[4];
  for (int j = 0; j < PARTS; j += SIDE_BY_SIDE) {
    compute_several(SIDE_BY_SIDE, t, k, 0, position_of(j), 1.0, ahead + j);
    compute_several(SIDE_BY_SIDE, t, k, 0, 8.0 * j + 4.0, 8.0, middle + j);
  }
  for (int i = 0; i < PARTS; i++)
    for (int j = 0; j < PARTS; j++) {
      const angle behind = {vd_sub(vd_set1(0.0), ahead[j].sin), ahead[j].cos};
      const angle y = rotated(middle[i], ahead[j]), z = rotated(middle[i], behind);
      store_pairs(to[8 * i + 4 + j], y.sin, y.cos);
      store_pairs(to[8 * i + 3 - j], z.sin, z.cos);
    }
  for (int i = 8 * PARTS; i < ENTRIES; i += SIDE_BY_SIDE) {
    angle y[SIDE_BY_SIDE];
    compute_several(SIDE_BY_SIDE, t, k, 0, position_of(i), position_of(i + 1) - position_of(i), y);
    for (int v = 0; v < SIDE_BY_SIDE; v++)
      store_pairs(to[i + v], y[v].sin, y[v].cos);
  }
}

static inline void prepare_steps(const posenc_spec *spec, void *state) {
  const turns t = turns_of(spec, state);
  posenc_turns(spec, &t);
  for (int64_t k = 0; t.steps && k < t.n; k += VD_LANES) {
    double *entries[ENTRIES];
    for (int i = 0; i < ENTRIES; i++)
      entries[i] = steps_of(&t, k) + i * ENTRY;
    make_entries(&t, k, entries);
  }
}

/* The pairs of all entries of the 8 frequencies from k, a few of which may lie beside those of the table: there the
 * angle is 0. Entry i goes to to[i]. */
static inline void copy_entries(const turns *t, int64_t k, double *const *to) {
  const int64_t into = k & (GROUP - 1), group = k - into;
  if (into == 0 && group >= 0 && group < t->n) {
    for (int b = 0; b < ENTRIES; b++)
      memcpy(to[b], steps_of(t, k) + b * ENTRY, 2 * GROUP * sizeof(double));
    return;
  }
  double pairs[2][ENTRIES][2 * GROUP] __attribute__((aligned(64))); /* sines, cosines */
  for (int i = 0; i < 2 * GROUP; i += VD_LANES) {
    const int there = group + i / GROUP * GROUP >= 0 && group + i / GROUP * GROUP < t->n;
    for (int b = 0; b < ENTRIES; b++) {
      angle a = {vd_set1(0.0), vd_set1(1.0)};
      if (there)
        load_pairs(steps_of(t, group + i / GROUP * GROUP) + b * ENTRY + i % GROUP * 2, &a.sin, &a.cos);
      vd_store(pairs[0][b] + i, a.sin);
      vd_store(pairs[1][b] + i, a.cos);
    }
  }
  for (int b = 0; b < ENTRIES; b++)
    for (int i = 0; i < GROUP; i += VD_LANES)
      store_pairs(to[b] + 2 * i, vd_loadu(pairs[0][b] + into + i), vd_loadu(pairs[1][b] + into + i));
}

/* An entry of VD_LANES frequencies from k, ahead or behind: where the plan keeps them and k is a multiple of VD_LANES; */
static inline angle kept_angle(const turns *t, int64_t k, offset by) {
  angle a;
  load_pairs(steps_of(t, k / GROUP * GROUP) + by.entry * ENTRY + 2 * (k % GROUP), &a.sin, &a.cos);
  a.sin = vd_mul(a.sin, vd_set1(by.sign));
  return a;
}

/* and anywhere. */
static inline angle angle_of(const turns *t, int64_t k, offset by) {
  double sin[VD_LANES], cos[VD_LANES];
  angle a;
  if (!t->steps) {
    a = compute(t, k, position_of(by.entry));
  } else if (k % VD_LANES == 0) {
    return kept_angle(t, k, by);
  } else {
    for (int l = 0; l < VD_LANES; l++) {
      const int64_t f = k + l < t->n ? k + l : t->n - 1,
                    window = f / WINDOW * WINDOW; /* beyond them something finite */
      sin[l] = steps_of(t, window)[by.entry * ENTRY + pair_at((int)(f - window), 0)];
      cos[l] = steps_of(t, window)[by.entry * ENTRY + pair_at((int)(f - window), 1)];
    }
    a = (angle){vd_loadu(sin), vd_loadu(cos)};
  }
  a.sin = vd_mul(a.sin, vd_set1(by.sign));
  return a;
}

/* Of VD_LANES frequencies from k, given the coarse angle of a position: its anchor; and at the position, which is not 0,
 * the bits of angle_addition/tile.h. */
static inline angle anchor_at(const turns *t, angle coarse, int64_t k, int64_t position) {
  return rotated(coarse, angle_of(t, k, middle_of(position)));
}
static inline angle sum_at(const turns *t, angle coarse, int64_t k, int64_t position) {
  return rotated(anchor_at(t, coarse, k, position), angle_of(t, k, step_of(position)));
}

#endif
