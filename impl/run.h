/* The rows of a run in a strip: anchors and exemptions in registers, steps from L1.
 *
 * Rows anchor + b and anchor - b share a step and its products (angle.h), so they are written together.
 */
#ifndef POSENC_RUN_H
#define POSENC_RUN_H

#include "strip.h"

static inline void store_vector(const strip *p, int v, float *at, vp packed, store how)
{
  if (how == STREAMED)
    vp_stream(at, packed);
  else if (how == PLAIN)
    vp_store(at, packed);
  else
    store_columns(at, packed, p->from - v * EACH, p->to - v * EACH);
}

/* What stays in registers while the rows of a run pass. */
typedef struct held {
  angle anchors[WIDE * PER_GROUP];
  vx exempt[WIDE * PER_GROUP];
  const double *steps[WIDE];
  target to[WIDE];
} held;

enum { BOTH, AHEAD, BEHIND };

/* Rows anchor + b and anchor - back, or one of the two. Row 0 of `to` is anchor + lo. */
FLAT void some_rows(const strip *p, const posenc_spec *spec, int run, const held *h, int groups, const store *how, int shared,
                    const target *to, int lo, int which, int b, int back, settle_pairs *settle)
{
  check y_check = check_none(), z_check = y_check;
#pragma GCC unroll 32
  for (int v = 0; v < WIDE * PER_GROUP; v++) {
    if (v >= groups * PER_GROUP)
      break;
    const int own = shared && v < PER_GROUP; /* steps */
    if (which != BEHIND) {
      const angle y = turned(h->anchors[v], own ? joined_step(p, v, b) : step_of(h->steps, v, b));
      const vp packed = vd_pack(y.sin, y.cos);
      if (settle)
        check_pairs(&y_check, y.sin, y.cos, packed, h->exempt[v]);
      store_vector(p, v, place_of(h->to, v, b - lo), packed, how[v / PER_GROUP]);
    }
    if (which != AHEAD) {
      const angle z = own ? turned(h->anchors[v], joined_step(p, v, -back))
                          : turned_back(h->anchors[v], step_of(h->steps, v, back));
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
                   int shared, int lo, int hi, settle_pairs *settle)
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
  if (lo == -STEP / 2) {
    held edge = h;
#pragma GCC unroll 8
    for (int v = 0; v < PER_GROUP; v++)
      if (shared)
        edge.anchors[v] = edge_of(p, run, v);
    some_rows(p, spec, run, &edge, groups, hows, shared, to, lo, BEHIND, 0, STEP / 2, settle);
  }
  if (lo == -STEP / 2 && hi == STEP / 2 - 1) {
    some_rows(p, spec, run, &h, groups, hows, shared, to, -STEP / 2, AHEAD, 0, 0, settle);
    for (int b = 1; b < STEP / 2; b++)
      some_rows(p, spec, run, &h, groups, hows, shared, to, -STEP / 2, BOTH, b, b, settle);
    return;
  }
  for (int b = lo > -STEP / 2 ? lo : 1 - STEP / 2; b <= hi && b < 0; b++)
    some_rows(p, spec, run, &h, groups, hows, shared, to, lo, BEHIND, 0, -b, settle);
  for (int b = lo > 0 ? lo : 0; b <= hi; b++)
    some_rows(p, spec, run, &h, groups, hows, shared, to, lo, AHEAD, b, 0, settle);
}

static inline void strip_rows(const strip *p, const posenc_spec *spec, int run, int lo, int hi, const target *to,
                              settle_pairs *settle)
{
  if (p->groups < WIDE || p->how[0] != p->how[WIDE - 1] || p->how[0] == PART)
    run_rows(p, spec, run, p->groups, to, p->how, PART, 0, lo, hi, settle);
  else if (p->how[0] == STREAMED && p->shared)
    run_rows(p, spec, run, WIDE, to, NULL, STREAMED, 1, lo, hi, settle);
  else if (p->how[0] == STREAMED)
    run_rows(p, spec, run, WIDE, to, NULL, STREAMED, 0, lo, hi, settle);
  else if (p->shared)
    run_rows(p, spec, run, WIDE, to, NULL, PLAIN, 1, lo, hi, settle);
  else
    run_rows(p, spec, run, WIDE, to, NULL, PLAIN, 0, lo, hi, settle);
}

#endif
