/* Rows that share no anchor: all three parts of a position (rotation/turns.h) are put together for each output. What
 * rows with one coarse part need of it in a strip is computed once for them.
 */
#ifndef POSENC_ROW_H
#define POSENC_ROW_H

#include "rotation/strip.h"

typedef struct row_strip {
  const turns *t;
  int64_t first, from, to; /* frequency of lane 0, columns that exist, as in rotation/block.h */
  int64_t coarse;          /* position */
  int vectors;
  angle angles[PER_STRIP]; /* coarse */
  vx exempt[PER_STRIP];
  const double *middles[STRIP / GROUP], *steps[STRIP / GROUP]; /* of a group, as entries_of() gives them, or NULL */
} row_strip;

/* Rows end before column `end`. One row is not worth the search for lanes that are exempt. */
static inline void set_row_strip(row_strip *p, const turns *t, int64_t first, int64_t end, int64_t coarse, int one) {
  const int64_t columns = end - 2 * first, to = columns < 2 * STRIP ? columns : 2 * STRIP;
  p->t = t;
  p->first = first;
  p->from = first < 0 ? -2 * first : 0;
  p->to = to;
  p->coarse = coarse;
  p->vectors = (int)((to + EACH - 1) / EACH);
  for (int v = 0; v < p->vectors; v++) {
    const int64_t k = first + v * VD_LANES;
    p->angles[v] = coarse_angle(t, k, coarse);
    p->exempt[v] = vx_of(one ? vd_set1(0.0) : exempt_lanes(t, k, coarse));
    if (v % PER_GROUP == 0) {
      p->middles[v / PER_GROUP] = middles_of(t, k);
      p->steps[v / PER_GROUP] = steps_of(t, k);
    }
  }
}

static inline angle row_entry(const row_strip *p, const double *const *entries, int v, int index, int unit) {
  const double *group = entries[v / PER_GROUP];
  return entry(p->t, group ? group + v % PER_GROUP * VD_LANES : NULL, p->first + v * VD_LANES, index, unit);
}

static inline angle row_angle(const row_strip *p, parts at, int v) {
  return rotated(
      rotated(p->angles[v], row_entry(p, p->middles, v, at.middle, STEP)), row_entry(p, p->steps, v, at.step, 1));
}

__attribute__((noinline)) static void recheck_row(
    const row_strip *p, const posenc_spec *spec, parts at, float *out, recheck_pairs *recheck) {
  for (int v = 0; v < p->vectors; v++) {
    const int64_t k = p->first + v * VD_LANES;
    const angle y = row_angle(p, at, v);
    rounding_test c = test_none();
    test_pairs(&c, y.sin, y.cos, vd_pack(y.sin, y.cos), p->exempt[v]);
    if (test_failed(&c))
      recheck(spec, p->t, p->coarse + at.middle * STEP + at.step, k, y, relative_at(p->t, k, p->coarse), out + v * EACH,
          p->from - v * EACH, p->to - v * EACH);
  }
}

/* Of a row, the strip at `out`. All of it exists, or not. */
FLAT void write_vectors(
    const row_strip *p, const posenc_spec *spec, parts at, int all, float *out, recheck_pairs *recheck) {
  rounding_test c = test_none();
#pragma GCC unroll 8
  for (int v = 0; v < PER_STRIP; v++) {
    if (!all && v >= p->vectors)
      break;
    const angle y = row_angle(p, at, v);
    const vp packed = vd_pack(y.sin, y.cos);
    if (recheck)
      test_pairs(&c, y.sin, y.cos, packed, p->exempt[v]);
    if (all)
      vp_store(out + v * EACH, packed);
    else
      store_columns(out + v * EACH, packed, p->from - v * EACH, p->to - v * EACH);
  }
  if (recheck && test_failed(&c))
    recheck_row(p, spec, at, out, recheck);
}

static inline void write_strip(
    const row_strip *p, const posenc_spec *spec, parts at, float *out, recheck_pairs *recheck) {
  if (p->from == 0 && p->to == 2 * STRIP)
    write_vectors(p, spec, at, 1, out, recheck);
  else
    write_vectors(p, spec, at, 0, out, recheck);
}

/* Of a row, the columns from those of frequency `first` up to column `end`; added to x, if that is not NULL. */
static inline void one_row(const posenc_spec *spec, const turns *t, int64_t position, float *row, int64_t first,
    int64_t end, const float *x, float scale, recheck_pairs *recheck) {
  row_strip p;
  const parts at = parts_of(position);
  for (int64_t k = first; 2 * k < end; k += STRIP) {
    float strip[2 * STRIP] LINE;
    set_row_strip(&p, t, k, end, at.coarse, 1);
    write_strip(&p, spec, at, x ? strip : row + 2 * k, recheck);
    for (int64_t c = p.from; x && c < p.to; c++)
      row[2 * k + c] = scale * x[2 * k + c] + strip[c];
  }
}

#endif
