/* A strip: 32 frequencies side by side, 256 bytes of a row, which are tested together for outputs whose rounding is not
 * certain (simd/simd.h). Rows at any positions (rotation/row.h) and consecutive ones (rotation/block.h) are written by
 * strips.
 *
 * `recheck` is a callback of exact: it is called for vectors in which the rounding test failed. anchored passes NULL.
 */
#ifndef POSENC_STRIP_H
#define POSENC_STRIP_H

#include "rotation/step_tables.h"

#include <string.h>

enum { STRIP = 32, LINE_FLOATS = 16, EACH = 2 * VD_LANES /* columns of a vector */ };
enum { PER_GROUP = GROUP / VD_LANES, PER_STRIP = STRIP / VD_LANES /* vectors */ };

/* Fewer rows than this are not worth an anchor, nor a batch. */
enum { FEW = 8 };

#define LINE __attribute__((aligned(64)))
#define FLAT static inline __attribute__((always_inline)) /* unrolled, with constants for arguments where they can be */

/* A vector whose columns from .. to-1, of those at `at`, exist: perhaps none, perhaps more than it has. */
static inline void store_columns(float *at, vp packed, int64_t from, int64_t to) {
  if (from <= 0 && to >= EACH)
    vp_store(at, packed);
  else if (from < EACH && to > 0)
    vp_store_part(at, packed, from > 0 ? from : 0, to < EACH ? to : EACH);
}

/* Rechecks the pairs y of frequencies k, k + 1, ..., whose columns from .. to-1, of those at `out`, are already
 * written. */
typedef void recheck_pairs(const posenc_spec *spec, const turns *t, int64_t position, int64_t k, angle y, vd relative,
    float *out, int64_t from, int64_t to);

/* Lanes whose angle, and the parts it is the sum of, stay within an eighth of a turn near this coarse position: all
 * bits set. Their errors are relative (rotation/exact.c). */
static inline vd relative_at(const turns *t, int64_t k, int64_t coarse) {
  enum { HALF_COARSE = COARSE / 2, HALF_STEP = STEP / 2 };
  const double most = (double)(coarse < 0 ? -coarse : coarse) + HALF_COARSE + HALF_STEP;
  return vd_ge(vd_set1(0.125), vd_mul(vd_set1(most), vd_abs(vd_loadu(t->hi + k))));
}

/* Of those, as bits of packed pairs, the sines that the rounding test need not compare with CHECK_SMALL: they are at
 * least 2^-118, or below 2^-167 and 0 in float32. */
static inline vd exempt_at(const turns *t, int64_t k, vd relative) {
  const vd size = vd_abs(vd_loadu(t->hi + k)), nothing = vd_set1(0x1p-202),
           sines = vd_set1(0x1.fffffffep-1043); /* low halves */
  return vd_and(vd_and(relative, sines), vd_or(vd_ge(size, vd_set1(0x1p-120)), vd_ge(nothing, size)));
}

/* And the lanes of no frequency: what is computed there is finite, and never stored. */
static inline vd exempt_lanes(const turns *t, int64_t k, int64_t coarse) {
  double exempt[VD_LANES] LINE;
  const vd there = exempt_at(t, k, relative_at(t, k, coarse));
  if (k >= 0 && k + VD_LANES <= t->n)
    return there;
  vd_store(exempt, there);
  for (int l = 0; l < VD_LANES; l++)
    if (k + l < 0 || k + l >= t->n)
      memset(&exempt[l], 0xff, sizeof exempt[l]);
  return vd_load(exempt);
}

#endif
