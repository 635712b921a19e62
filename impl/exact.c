/* exact_*: the float32 nearest to the real value, for every output.
 *
 * The anchored product in float64 is off by at most 2^-50 M, M = |sin a cos b| + |cos a sin b| (2^-53 times 4.8 M in
 * anchored.c, fused or not; 8 M taken). That decides the rounding unless a boundary between two floats lies so close. Three
 * tests, each cheaper and coarser than the next (Ziv, "Fast evaluation of elementary mathematical functions with correctly rounded
 * last bit", ACM TOMS 17, 1991):
 *
 *   1. every value, gathered over a strip of a row: the 29 bits that rounding drops are not within 2^17 of halfway, and
 *      the value is at least 2^-15. Then 2^-50 M, M <= 1, is at most 2^17 of its last places: the rounding is right.
 *      Smaller values pass without the second half where the whole run of 64 rows is known to be large beside M (exempt).
 *   2. strips that fail it, 3 %: value - error and value + error, with the error of each value, round alike.
 *   3. outputs that fail that too, one in ten million: integers, redo.c.
 */
#include "redo.h"
#include "tiles.h"

typedef struct product {
  vd sin, cos;
} product;

static inline product turned_by(const strip *p, int g, int v, int64_t b)
{
  const vd sa = vd_load(p->sin + g * GROUP + v), ca = vd_load(p->cos + g * GROUP + v);
  const vd sb = vd_load(p->steps[g] + 2 * b * GROUP + v), cb = vd_load(p->steps[g] + (2 * b + 1) * GROUP + v);
  return (product){vd_fma(sa, cb, vd_mul(ca, sb)), vd_fnma(sa, sb, vd_mul(ca, cb))};
}

/* All bits set where |value| >= |most| 2^-13 at both ends of the run, with one sign, both in the normal range of float32:
 * sine and cosine have no extremum of |value| below its ends on an arc of at most a quarter turn without a zero, so
 * M / |value| <= 2^14 all along the run and 2^-50 M is at most 2^17 last places. Where quarter turns were taken away the
 * absolute 2^-96 of angle.h must not count either. */
static inline vd exempt(vd first, vd last, vd most, vd step, vd turned)
{
  const vd least = vd_min(vd_abs(first), vd_abs(last)), zero = vd_set1(0.0);
  vd ok = vd_ge(least, vd_mul(most, vd_set1(0x1p-13)));
  ok = vd_and(ok, vd_ge(least, vd_set1(0x1p-125)));
  ok = vd_and(ok, vd_ge(vd_mul(first, last), vd_set1(0x1p-300))); /* one sign: a product of two such cannot be smaller */
  ok = vd_and(ok, vd_ge(vd_set1(0.25 / STEPS), vd_abs(step)));
  return vd_and(ok, vd_or(vd_ge(least, vd_set1(0x1p-40)), vd_ge(zero, turned)));
}

static inline void begin(strip *p, const turns *t)
{
  for (int g = 0; g < p->groups; g++)
    for (int v = 0; v < GROUP; v += VD_LANES) {
      const int k = g * GROUP + v;
      const vd sa = vd_load(p->sin + k), ca = vd_load(p->cos + k), turned = vd_load(p->turned + k);
      const vd step = vd_load(t->hi + p->first + k), zero = vd_set1(0.0);
      const vd s1 = vd_abs(vd_load(p->steps[g] + 2 * GROUP + v)), s63 = vd_abs(vd_load(p->steps[g] + 126 * GROUP + v));
      const product last = turned_by(p, g, v, STEPS - 1);
      vd sine = exempt(sa, last.sin, vd_add(vd_abs(sa), s63), step, turned);
      /* Anchor 0: the sine is the step's, rounded once, relative error included; 0 in the first row. Frequency 0: 0. */
      const vd small = vd_or(vd_ge(s1, vd_set1(0x1p-125)), vd_ge(zero, s1));
      const vd at_zero = vd_and(vd_ge(zero, vd_abs(sa)), vd_and(vd_ge(ca, vd_set1(1.0)), small));
      sine = vd_or(sine, vd_and(at_zero, vd_ge(vd_set1(0.25 / STEPS), vd_abs(step))));
      vd_store(p->exempt + k, check_exempt(sine, exempt(ca, last.cos, vd_add(vd_abs(ca), s63), step, turned)));
    }
}

/* Tests 2 and 3 on one strip of a row. */
__attribute__((noinline)) static void settle(const strip *p, const place *at, float *out)
{
  float low[2 * STRIP] LINE, high[2 * STRIP] LINE;
  const int64_t b = at->position & (STEPS - 1);
  for (int g = 0; g < p->groups; g++)
    for (int v = 0; v < GROUP; v += VD_LANES) {
      const int k = g * GROUP + v;
      const vd sa = vd_abs(vd_load(p->sin + k)), ca = vd_abs(vd_load(p->cos + k));
      const vd sb = vd_abs(vd_load(p->steps[g] + 2 * b * GROUP + v)), cb = vd_abs(vd_load(p->steps[g] + (2 * b + 1) * GROUP + v));
      const vd reduced = vd_mul(vd_min(vd_load(p->turned + k), vd_set1(1.0)), vd_set1(0x1p-90)), unit = vd_set1(0x1p-50);
      const vd s_error = vd_fma(unit, vd_fma(sa, cb, vd_mul(ca, sb)), reduced);
      const vd c_error = vd_fma(unit, vd_fma(ca, cb, vd_mul(sa, sb)), reduced);
      const product y = turned_by(p, g, v, b);
      vd_store_pairs(low + 2 * k, vd_sub(y.sin, s_error), vd_sub(y.cos, c_error), 2 * VD_LANES);
      vd_store_pairs(high + 2 * k, vd_add(y.sin, s_error), vd_add(y.cos, c_error), 2 * VD_LANES);
    }
  for (int64_t c = 0; c < p->columns; c++)
    out[c] = memcmp(&low[c], &high[c], sizeof low[c]) == 0 ? low[c] : posenc_redo(at->spec, at->position, 2 * p->first + c);
}

static inline int write(const strip *p, int groups, int64_t columns, int64_t b, float *out)
{
  check k = check_none();
  for (int g = 0; g < groups; g++)
    for (int v = 0; v < GROUP; v += VD_LANES) {
      const int i = g * GROUP + v;
      const product y = turned_by(p, g, v, b);
      check_values(&k, y.sin, y.cos, vd_load(p->exempt + i));
      vd_store_pairs(out + 2 * i, y.sin, y.cos, columns - 2 * i);
    }
  return check_flagged(&k);
}

static inline void row(const strip *p, const place *at, float *out)
{
  const int64_t b = at->position & (STEPS - 1);
  /* Constants for a whole strip: no tail to cut. */
  if (p->columns == 2 * STRIP ? write(p, WIDE, 2 * STRIP, b, out) : write(p, p->groups, p->columns, b, out))
    settle(p, at, out);
}

static void rows(const posenc_spec *spec, const void *state, const posenc_rows *r, float *out, int64_t stride)
{
  walk(spec, state, r, out, stride, begin, row);
}

POSENC_KERNEL("proved", "2^-25: correctly rounded", posenc_bound_turns, 0.0, 3 * sizeof(double), 2 * STEPS * sizeof(double),
              posenc_turns_refuse, prepare_steps, rows);
