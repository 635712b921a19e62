/* anchored_*: angle addition in float64 from anchors every 64 positions, rounded to float32 once.
 *
 *     row 64 a + b  =  anchor(64 a) * step(b)      one complex product per pair, four multiply-adds
 *
 * The anchor is computed afresh for every 64 rows, the steps once per plan, so errors do not add up along the table.
 * Bound, v = 2^-53: anchor and step within 1.4 v of their size (angle.h), one product of each pair rounded, v, and the
 * sum, v: off by at most (2.8 + 1) v (|sin a cos b| + |cos a sin b|) + v <= 4.8 v. Then half an ulp of float32.
 *
 * All members run this one sequence of fused operations, so they agree bit for bit.
 */
#include "tiles.h"

static inline void turn(const strip *p, int groups, int64_t columns, int64_t b, float *out)
{
  for (int g = 0; g < groups; g++)
    for (int v = 0; v < GROUP; v += VD_LANES) {
      const int k = g * GROUP + v;
      const vd sa = vd_load(p->sin + k), ca = vd_load(p->cos + k);
      const vd sb = vd_load(p->steps[g] + 2 * b * GROUP + v), cb = vd_load(p->steps[g] + (2 * b + 1) * GROUP + v);
      const vd s = vd_fma(sa, cb, vd_mul(ca, sb)), c = vd_fnma(sa, sb, vd_mul(ca, cb));
      vd_store_pairs(out + 2 * k, s, c, columns - 2 * k);
    }
}

static inline void row(const strip *p, const place *at, float *out)
{
  const int64_t b = at->position & (STEPS - 1);
  if (p->columns == 2 * STRIP)
    turn(p, WIDE, 2 * STRIP, b, out); /* constants: no tail to cut */
  else
    turn(p, p->groups, p->columns, b, out);
}

static void rows(const posenc_spec *spec, const void *state, const posenc_rows *r, float *out, int64_t stride)
{
  walk(spec, state, r, out, stride, NULL, row);
}

POSENC_KERNEL("proved", "2^-25 + 4.8 * 2^-53", posenc_bound_turns, 4.8, 3 * sizeof(double), 2 * STEPS * sizeof(double),
              posenc_turns_refuse, prepare_steps, rows);
