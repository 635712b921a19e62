/* The rows of a run in a block, strip by strip.
 *
 * Rows anchor + b and anchor - b share a step and its products (angle.h), so they are written together.
 */
#ifndef POSENC_RUN_H
#define POSENC_RUN_H

#include "join.h"

FLAT void store_vector(float *at, vp packed, store how)
{
  if (how == STREAMED || how == ADDED_STREAMED)
    vp_stream(at, packed);
  else
    vp_store(at, packed);
}

/* Where the block's columns of rows anchor + lo, anchor + lo + 1, ... begin; x likewise, where rows are added to it. */
typedef struct target {
  float *row;
  int64_t stride;
  int lo;
  const float *x;
  int64_t x_stride;
  float scale;
} target;

static inline float *row_at(const target *to, int b) { return to->row + (b - to->lo) * to->stride; }
static inline const float *x_at(const target *to, int b) { return to->x + (b - to->lo) * to->x_stride; }

enum { FETCHED = 2 /* rows before x is read: a fifth faster where it is in memory */ };

/* Adds a strip of row anchor + b, of which `first` is the first vector, to x. It is settled beforehand: x may be overwritten. */
FLAT void add_strip(const block *p, const posenc_spec *spec, int first, int b, const target *to, vp *packed, int flagged,
                    settle_pairs *settle)
{
  const float *const x = x_at(to, b) + first * EACH;
  const float *const later = x_at(to, b < 0 ? b - FETCHED : b + FETCHED) + first * EACH; /* perhaps of no row: not read */
  for (int i = 0; i < 2 * STRIP; i += LINE_FLOATS)
    __builtin_prefetch(later + i);
  if (flagged) {
    float strip[2 * STRIP] LINE;
#pragma GCC unroll 32
    for (int v = 0; v < PER_STRIP; v++)
      vp_store(strip + v * EACH, packed[v]);
    settle_strip(p, spec, first, b, strip - first * EACH, settle);
#pragma GCC unroll 32
    for (int v = 0; v < PER_STRIP; v++)
      packed[v] = vp_load(strip + v * EACH);
  }
#pragma GCC unroll 32
  for (int v = 0; v < PER_STRIP; v++)
    packed[v] = vp_scaled_sum(vp_set1(to->scale), x + v * EACH, packed[v]);
}

FLAT void store_strip(float *at, const vp *packed, store how)
{
#pragma GCC unroll 32
  for (int v = 0; v < PER_STRIP; v++)
    store_vector(at + v * EACH, packed[v], how);
}

enum { BOTH, AHEAD, BEHIND };

/* The strip from vector `first`, all of which exists, of rows anchor + b and anchor - b, or one of them. */
FLAT void some_strips(const block *p, const posenc_spec *spec, store how, int which, int shared, int first, int b,
                      const target *to, settle_pairs *settle)
{
  check y_check = check_none(), z_check = y_check;
  const double *const anchors = p->anchors + first * VD_LANES, *const *const steps = p->steps + first / PER_GROUP;
  const vx *const exempt = p->exempt + first;
  float *const y_to = which == BEHIND ? NULL : row_at(to, b) + first * EACH;
  float *const z_to = which == AHEAD ? NULL : row_at(to, -b) + first * EACH;
  const int added = how == ADDED || how == ADDED_STREAMED;
  vp y_kept[PER_STRIP], z_kept[PER_STRIP];
#pragma GCC unroll 8
  for (int v = 0; v < PER_STRIP; v++) {
    const angle anchor = load_angle(anchors + v * VD_LANES, MOST);
    const int own = shared && v < PER_GROUP; /* steps */
    const angle step = own ? joined_step(p, v, b) : load_angle(steps[v / PER_GROUP] + b * ENTRY + v % PER_GROUP * VD_LANES, ROOM);
    if (which != BEHIND) {
      const angle y = turned(anchor, step);
      const vp packed = vd_pack(y.sin, y.cos);
      if (settle)
        check_pairs(&y_check, y.sin, y.cos, packed, exempt[v]);
      if (added)
        y_kept[v] = packed;
      else
        store_vector(y_to + v * EACH, packed, how);
    }
    if (which != AHEAD) {
      const angle z = own ? turned(anchor, joined_step(p, v, -b)) : turned_back(anchor, step);
      const vp packed = vd_pack(z.sin, z.cos);
      if (settle)
        check_pairs(&z_check, z.sin, z.cos, packed, exempt[v]);
      if (added)
        z_kept[v] = packed;
      else
        store_vector(z_to + v * EACH, packed, how);
    }
  }
  const int y_flagged = check_flagged(&y_check), z_flagged = check_flagged(&z_check); /* no, of a row that is not written */
  if (added) {
    /* Both are read before one is written: these rows may lie a multiple of 4 KiB apart, which a processor takes for the same. */
    if (which != BEHIND)
      add_strip(p, spec, first, b, to, y_kept, settle && y_flagged, settle);
    if (which != AHEAD)
      add_strip(p, spec, first, -b, to, z_kept, settle && z_flagged, settle);
    if (which != BEHIND)
      store_strip(y_to, y_kept, how);
    if (which != AHEAD)
      store_strip(z_to, z_kept, how);
  } else if (settle && (y_flagged | z_flagged)) {
    if (y_flagged)
      settle_strip(p, spec, first, b, row_at(to, b), settle);
    if (z_flagged)
      settle_strip(p, spec, first, -b, row_at(to, -b), settle);
  }
}

/* The strip from vector `first` of row anchor + b, at `row`; perhaps not all of it exists. */
__attribute__((noinline)) static void one_strip(const block *p, const posenc_spec *spec, int first, int b, float *row,
                                                settle_pairs *settle)
{
  check c = check_none();
  for (int v = first; v < first + PER_STRIP && v < p->vectors; v++) {
    const angle y = value_of(p, v, b);
    const vp packed = vd_pack(y.sin, y.cos);
    const int64_t from = p->shared ? 0 : p->from - v * EACH, to = p->to - v * EACH;
    if (settle)
      check_pairs(&c, y.sin, y.cos, packed, p->exempt[v]);
    if (from <= 0 && to >= EACH)
      store_vector(row + v * EACH, packed, p->how);
    else
      store_columns(row + v * EACH, packed, from, to);
  }
  if (settle && check_flagged(&c))
    settle_strip(p, spec, first, b, row, settle);
}

/* The same, added to x. */
__attribute__((noinline)) static void one_sum(const block *p, const posenc_spec *spec, int first, int b, const target *to,
                                              settle_pairs *settle)
{
  float strip[2 * STRIP] LINE, *const pe = strip - first * EACH, *const out = row_at(to, b);
  const float *const x = x_at(to, b);
  check c = check_none();
  for (int v = first; v < first + PER_STRIP && v < p->vectors; v++) {
    const angle y = value_of(p, v, b);
    const vp packed = vd_pack(y.sin, y.cos);
    if (settle)
      check_pairs(&c, y.sin, y.cos, packed, p->exempt[v]);
    vp_store(pe + v * EACH, packed);
  }
  if (settle && check_flagged(&c))
    settle_strip(p, spec, first, b, pe, settle);
  for (int v = first; v < first + PER_STRIP && v < p->vectors; v++) {
    const int64_t at = v * EACH, from = p->shared || p->from < at ? at : p->from, end = p->to < at + EACH ? p->to : at + EACH;
    if (end - from == EACH)
      store_vector(out + at, vp_scaled_sum(vp_set1(to->scale), x + at, vp_load(pe + at)), p->how);
    for (int64_t i = from; end - from < EACH && i < end; i++)
      out[i] = to->scale * x[i] + pe[i];
  }
}

/* Rows anchor + b and anchor - b, or one of them. `alone`: the block is one strip, all of which exists, as around the caches
 * nearly always: what is asked below would cost a tenth of it. Row -32 is the only one written from STEP / 2 steps behind. */
FLAT void some_rows(const block *p, const posenc_spec *spec, store how, int alone, int which, int b, const target *to,
                    settle_pairs *settle)
{
  if (alone) {
    some_strips(p, spec, how, which, 0, 0, b, to, settle);
    return;
  }
  const int whole = (int)(p->to / EACH) / PER_STRIP * PER_STRIP, edge = which == BEHIND && b == STEP / 2;
  int v = 0;
  if (p->shared && !edge) {
    some_strips(p, spec, how, which, 1, 0, b, to, settle);
    v = PER_STRIP;
  }
  while (v < p->vectors) {
    if (v < whole && (v > 0 || p->from == 0)) {
      some_strips(p, spec, how, which, 0, v, b, to, settle);
    } else if (how == ADDED || how == ADDED_STREAMED) {
      if (which != BEHIND)
        one_sum(p, spec, v, b, to, settle);
      if (which != AHEAD)
        one_sum(p, spec, v, -b, to, settle);
    } else {
      if (which != BEHIND)
        one_strip(p, spec, v, b, row_at(to, b), settle);
      if (which != AHEAD)
        one_strip(p, spec, v, -b, row_at(to, -b), settle);
    }
    v += PER_STRIP;
  }
}

/* Rows lo .. hi of a run, lo as in `to`. */
FLAT void run_rows(const block *p, const posenc_spec *spec, store how, int alone, const target *to, int hi, settle_pairs *settle)
{
  const int lo = to->lo, both = lo < 0 && hi > 0 ? (-lo < hi ? -lo : hi) : 0; /* rows behind the anchor with one ahead */
  for (int b = -lo; b > both && b >= -hi; b--)
    some_rows(p, spec, how, alone, BEHIND, b, to, settle);
  if (lo <= 0 && hi >= 0)
    some_rows(p, spec, how, alone, AHEAD, 0, to, settle);
  for (int b = 1; b <= both; b++)
    some_rows(p, spec, how, alone, BOTH, b, to, settle);
  for (int b = lo > both ? lo : both + 1; b <= hi; b++)
    some_rows(p, spec, how, alone, AHEAD, b, to, settle);
}

static inline void write_run(const block *p, const posenc_spec *spec, const target *to, int hi, settle_pairs *settle)
{
  const int alone = p->from == 0 && p->to == 2 * STRIP;
  if (p->how == STREAMED && alone)
    run_rows(p, spec, STREAMED, 1, to, hi, settle);
  else if (p->how == STREAMED)
    run_rows(p, spec, STREAMED, 0, to, hi, settle);
  else if (p->how == ADDED_STREAMED)
    run_rows(p, spec, ADDED_STREAMED, 0, to, hi, settle);
  else if (p->how == ADDED)
    run_rows(p, spec, ADDED, 0, to, hi, settle);
  else
    run_rows(p, spec, PLAIN, 0, to, hi, settle);
}

#endif
