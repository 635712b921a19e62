/* A strip of one row or of two, side by side: computed, checked, stored.
 *
 * Two rows at once are less work for the processor than twice one. Rows anchor + b and anchor - b share a step and its
 * products (rotation/angle.h); where only one side of an anchor is wanted, as by the first 32 rows of a table, two
 * neighbours share the anchor.
 */
#ifndef POSENC_INNER_LOOP_H
#define POSENC_INNER_LOOP_H

#include "rotation/join.h"

FLAT void store_vector(float *at, vp packed, store how) {
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

/* Adds a strip of row anchor + b, of which `first` is the first vector, to x. It is rechecked first, because out may be
 * x. */
FLAT void add_strip(const block *p, const posenc_spec *spec, int first, int b, const target *to, vp *packed,
    int flagged, recheck_pairs *recheck) {
  const float *const x = x_at(to, b) + first * EACH;
  /* perhaps of no row: not read */
  const float *const later = x_at(to, b < 0 ? b - FETCHED : b + FETCHED) + first * EACH;
  for (int i = 0; i < 2 * STRIP; i += LINE_FLOATS)
    __builtin_prefetch(later + i);
  if (flagged) {
    float strip[2 * STRIP] LINE;
#pragma GCC unroll 32
    for (int v = 0; v < PER_STRIP; v++)
      vp_store(strip + v * EACH, packed[v]);
    recheck_strip(p, spec, first, b, strip, recheck);
#pragma GCC unroll 32
    for (int v = 0; v < PER_STRIP; v++)
      packed[v] = vp_load(strip + v * EACH);
  }
#pragma GCC unroll 32
  for (int v = 0; v < PER_STRIP; v++)
    packed[v] = vp_scaled_sum(vp_set1(to->scale), x + v * EACH, packed[v]);
}

FLAT void store_strip(float *at, const vp *packed, store how) {
#pragma GCC unroll 32
  for (int v = 0; v < PER_STRIP; v++)
    store_vector(at + v * EACH, packed[v], how);
}

/* Which rows, from the anchor: y and z, or one of them; b >= 0. */
typedef enum pair_of_rows {
  BOTH,       /* b and -b */
  AHEAD,      /* b */
  BEHIND,     /*       -b */
  TWO_AHEAD,  /* b and b + 1 */
  TWO_BEHIND, /* -b - 1 and -b */
} pair_of_rows;

static inline int row_of_y(pair_of_rows rows, int b) { return rows == TWO_BEHIND ? -b - 1 : b; }
static inline int row_of_z(pair_of_rows rows, int b) { return rows == TWO_AHEAD ? b + 1 : -b; }

/* The strip from vector `first`, all of which exists, of those rows. `w` is a copy of the block's view. Returns 1 if
 * the rounding test fails in y, plus 2 if it fails in z; with non-temporal stores these are not rechecked yet. */
FLAT int rotate_strip(const block *p, const view *w, const posenc_spec *spec, store how, pair_of_rows rows, int shared,
    int first, int b, const target *to, recheck_pairs *recheck) {
  rounding_test y_check = test_none(), z_check = y_check;
  const int y_b = row_of_y(rows, b), z_b = row_of_z(rows, b), y_there = rows != BEHIND, z_there = rows != AHEAD;
  const int two_steps = rows == TWO_AHEAD || rows == TWO_BEHIND, y_step = rows == TWO_BEHIND ? b + 1 : b;
  float *const y_to = y_there ? row_at(to, y_b) + first * EACH : NULL;
  float *const z_to = z_there ? row_at(to, z_b) + first * EACH : NULL;
  const int added = how == ADDED || how == ADDED_STREAMED;
  vp y_kept[PER_STRIP], z_kept[PER_STRIP];
  if (how == STREAMED)
    __asm__ volatile("" ::: "memory"); /* what is in the slots is read there, not from a copy on the stack */
#pragma GCC unroll 8
  for (int v = 0; v < PER_STRIP; v++) {
    const angle anchor = angle_in(w->anchors, first + v);
    const int own = shared && v < PER_GROUP; /* steps */
    const angle step = own ? load_angle(joined_step(w, v, y_b), GROUP) : step_of(p, w, how, first, v, y_step);
    if (y_there) {
      const angle y = rows == TWO_BEHIND && !own ? rotated_back(anchor, step) : rotated(anchor, step);
      const vp packed = vd_pack(y.sin, y.cos);
      if (recheck)
        test_pairs(&y_check, y.sin, y.cos, packed, w->exempt[first + v]);
      if (added)
        y_kept[v] = packed;
      else
        store_vector(y_to + v * EACH, packed, how);
    }
    if (z_there) {
      const int z_step = rows == TWO_AHEAD ? b + 1 : b;
      const angle other = own         ? load_angle(joined_step(w, v, z_b), GROUP)
                          : two_steps ? step_of(p, w, how, first, v, z_step)
                                      : step;
      const angle z = own || rows == TWO_AHEAD ? rotated(anchor, other) : rotated_back(anchor, other);
      const vp packed = vd_pack(z.sin, z.cos);
      if (recheck)
        test_pairs(&z_check, z.sin, z.cos, packed, w->exempt[first + v]);
      if (added)
        z_kept[v] = packed;
      else
        store_vector(z_to + v * EACH, packed, how);
    }
  }
  const int y_flagged = y_there && test_failed(&y_check), z_flagged = z_there && test_failed(&z_check);
  if (added) {
    /* Both are read before one is written: these rows may lie a multiple of 4 KiB apart, which a processor takes for
     * the same. */
    if (y_there)
      add_strip(p, spec, first, y_b, to, y_kept, recheck && y_flagged, recheck);
    if (z_there)
      add_strip(p, spec, first, z_b, to, z_kept, recheck && z_flagged, recheck);
    if (y_there)
      store_strip(y_to, y_kept, how);
    if (z_there)
      store_strip(z_to, z_kept, how);
  } else if (recheck && how != STREAMED && (y_flagged | z_flagged)) {
    if (y_flagged)
      recheck_strip(p, spec, first, y_b, y_to, recheck);
    if (z_flagged)
      recheck_strip(p, spec, first, z_b, z_to, recheck);
  }
  return recheck ? y_flagged + 2 * z_flagged : 0;
}

/* The strip from vector `first` of row anchor + b, at `row`; perhaps not all of it exists. */
__attribute__((noinline)) static void one_strip(
    const block *p, const posenc_spec *spec, int first, int b, float *row, recheck_pairs *recheck) {
  rounding_test c = test_none();
  for (int v = first; v < first + PER_STRIP && v < p->vectors; v++) {
    const angle y = value_of(p, v, b);
    const vp packed = vd_pack(y.sin, y.cos);
    const int64_t from = p->shared ? 0 : p->from - v * EACH, to = p->to - v * EACH;
    if (recheck)
      test_pairs(&c, y.sin, y.cos, packed, p->view.exempt[v]);
    if (from <= 0 && to >= EACH)
      store_vector(row + v * EACH, packed, p->how);
    else
      store_columns(row + v * EACH, packed, from, to);
  }
  if (recheck && test_failed(&c))
    recheck_strip(p, spec, first, b, row + first * EACH, recheck);
}

/* The same, added to x. */
__attribute__((noinline)) static void one_sum(
    const block *p, const posenc_spec *spec, int first, int b, const target *to, recheck_pairs *recheck) {
  float strip[2 * STRIP] LINE, *const out = row_at(to, b);
  const float *const x = x_at(to, b);
  rounding_test c = test_none();
  for (int v = first; v < first + PER_STRIP && v < p->vectors; v++) {
    const angle y = value_of(p, v, b);
    const vp packed = vd_pack(y.sin, y.cos);
    if (recheck)
      test_pairs(&c, y.sin, y.cos, packed, p->view.exempt[v]);
    vp_store(strip + (v - first) * EACH, packed);
  }
  if (recheck && test_failed(&c))
    recheck_strip(p, spec, first, b, strip, recheck);
  for (int v = first; v < first + PER_STRIP && v < p->vectors; v++) {
    const float *const pe = strip + (v - first) * EACH;
    const int64_t at = v * EACH, from = p->shared || p->from < at ? at : p->from,
                  end = p->to < at + EACH ? p->to : at + EACH;
    if (end - from == EACH)
      store_vector(out + at, vp_scaled_sum(vp_set1(to->scale), x + at, vp_load(pe)), p->how);
    for (int64_t i = from; end - from < EACH && i < end; i++)
      out[i] = to->scale * x[i] + pe[i - at];
  }
}

#endif
