/* A strip of bfloat16: up to 64 frequencies side by side, 256 bytes of a row, by the sum of angles in float32.
 *
 * Anchors and steps are the float64 ones of angle_addition/block.h and angle_addition/turns.h, rounded to float32; docs/exact.md
 * adds up what that and the sum are off by. Of cosines, and of sines where no error is relative (relative_near), the ends
 * of the interval cost nothing: the first product begins with the error.
 *
 * If both ends of the interval round alike, so does the value. Else, for some 4 pairs per 10000 outputs of
 * 131072 x 1024, the float64 sum is looked at, and then the integers (multiprecision/fallback.c): as for the other dtypes
 * (angle_addition/dtypes.h), so the bits are the same.
 *
 * The loops over lanes become vectors of whatever width there is.
 */
#ifndef POSENC_BF16_STRIP_H
#define POSENC_BF16_STRIP_H

#include "angle_addition/dtypes.h"

#define BF16_ERROR ((float)(POSENC_FUSED ? POSENC_BUDGET_FLOAT : POSENC_BUDGET_FLOAT_NOT_FUSED) * 0x1p-24f)
#define BF16_ENDS_ERROR (BF16_ERROR + 0x1p-25f)
#define BF16_RELATIVE_AT_0 ((float)POSENC_BUDGET_FLOAT_RELATIVE_AT_0 * 0x1p-24f)
#define BF16_RELATIVE ((float)POSENC_BUDGET_FLOAT_RELATIVE * 0x1p-24f)

enum { BF16_STRIP = 64, BF16_LINE = 16 /* pairs */ };

typedef struct bf16_strip {
  const turns *t;
  int64_t k;             /* frequency of the first lane that is the row's own */
  int64_t before_k;      /* lanes left of it are of the row before: their first frequency, */
  int lanes, before;     /* and how many they are; before > 0 only in strips of one line */
  int absolute;          /* no sine's error is relative */
  const float *steps;    /* of lane 0, step 0: sines; */
  int64_t cosines, next; /* cosines, and the next step's sines, so far behind */
  int64_t run;           /* position of its first row */
  double coarse_at, coarse[2][BF16_STRIP + BF16_LINE] LINE; /* sines, cosines at the coarse position of runs */
  float sin[BF16_STRIP] LINE, cos[BF16_STRIP] LINE;         /* of the anchor */
  float more[BF16_STRIP] LINE, less[BF16_STRIP] LINE,
      error[BF16_STRIP] LINE; /* a sine's ends: y more + error, y less - error */
} bf16_strip;

/* Steps in float32: float[STEPS][2][n], after the float64 and before some zeros, as a line of them is read from
 * anywhere. */
static inline float *bf16_steps(const turns *t) {
  return t->steps ? (float *)(void *)(t->steps + t->n / WINDOW * ENTRIES * ENTRY) : NULL;
}

static inline void make_bf16_steps(const turns *t) {
  float *to = bf16_steps(t);
  for (int b = 0; b < STEPS; b++)
    for (int function = 0; function < 2; function++)
      for (int64_t k = 0; k < t->n; k++)
        *to++ = (float)steps_of(t, k / WINDOW * WINDOW)[b * ENTRY + pair_at((int)(k % WINDOW), function)];
  memset(to, 0, BF16_LINE * sizeof *to);
}

/* Lanes from `at` on for frequencies from k on, in whole vectors: more than `count` may be written, but never beyond
 * the strip. Errors are relative where they are so near both of these anchors. */
static inline void set_lanes(bf16_strip *p, int at, int64_t k, int count, double first_anchor, double last_anchor) {
  const double furthest = fmax(fabs(first_anchor), fabs(last_anchor));
  const float share = fmin(fabs(first_anchor), fabs(last_anchor)) < RUN ? BF16_RELATIVE_AT_0 : BF16_RELATIVE;
  for (int l = 0; l < count; l += VD_LANES) {
    double relative[VD_LANES];
    vd_store(relative, relative_near(p->t, k + l, furthest));
    for (int i = 0; i < VD_LANES; i++) {
      const double size = fabs(p->t->hi[k + l + i]);
      const int is_absolute = relative[i] == 0.0; /* a mask, all bits of which are set otherwise: a NaN */
      const int lane = at + l + i;
      p->absolute &= is_absolute;
      p->more[lane] = is_absolute ? 1.0f : 1.0f + share;
      p->less[lane] = is_absolute ? 1.0f : 1.0f - share;
      /* below 2^-100 no float32 would do */
      p->error[lane] = is_absolute ? BF16_ENDS_ERROR : size > 0.0 && size < 0x1p-100 ? 1.0f : 0.0f;
    }
  }
}

/* Of `lanes` frequencies from k, for runs with these anchors. Lanes behind the last one hold something finite. */
static inline void set_bf16_strip(
    bf16_strip *p, const turns *t, int64_t k, int lanes, double first_anchor, double last_anchor) {
  p->t = t;
  p->k = k;
  p->lanes = lanes;
  p->before = 0;
  p->absolute = 1;
  p->coarse_at = NAN;
  p->steps = bf16_steps(t) + k;
  p->cosines = t->n;
  p->next = 2 * t->n;
  for (int l = lanes / VD_LANES * VD_LANES; l < BF16_STRIP; l++) {
    p->sin[l] = 0.0f;
    p->cos[l] = 1.0f;
    p->more[l] = p->less[l] = 1.0f;
    p->error[l] = 0.0f;
  }
  set_lanes(p, 0, k, lanes, first_anchor, last_anchor);
}

typedef float bf16_edge[STEPS][2][BF16_LINE];

/* The line over the end of a row of so many pairs and the start of the next; steps are put together in `edge`. */
static inline void set_bf16_edge(
    bf16_strip *p, bf16_edge edge, const turns *t, int64_t pairs, int before, double first_anchor, double last_anchor) {
  set_bf16_strip(p, t, 0, BF16_LINE, first_anchor, last_anchor);
  p->before = before;
  p->before_k = pairs - before;
  set_lanes(p, 0, p->before_k, before, first_anchor - 1.0, last_anchor - 1.0);
  set_lanes(p, before, 0, BF16_LINE - before, first_anchor, last_anchor);
  for (int b = 0; b < STEPS; b++)
    for (int function = 0; function < 2; function++)
      for (int l = 0; l < BF16_LINE; l++)
        edge[b][function][l] = bf16_steps(t)[(2 * b + function) * t->n + (l < before ? p->before_k + l : l - before)];
  p->steps = edge[0][0];
  p->cosines = BF16_LINE;
  p->next = 2 * BF16_LINE;
}

static inline void set_anchors(bf16_strip *p, int at, int64_t k, int count, int64_t run, int back) {
  const double coarse = coarse_of(run) - back;
  for (int l = 0; l < count; l += VD_LANES) {
    double sin[VD_LANES], cos[VD_LANES];
    if (p->coarse_at != coarse_of(run))
      store_angle(p->coarse[0] + at + l, BF16_STRIP + BF16_LINE, compute(p->t, k + l, coarse));
    const angle a = anchor_at(p->t, load_angle(p->coarse[0] + at + l, BF16_STRIP + BF16_LINE), k + l, run);
    vd_store(sin, a.sin);
    vd_store(cos, a.cos);
    for (int i = 0; i < VD_LANES && at + l + i < BF16_STRIP; i++) {
      p->sin[at + l + i] = (float)sin[i];
      p->cos[at + l + i] = (float)cos[i];
    }
  }
}

/* Lanes of the row before are a position behind. */
static inline void set_bf16_run(bf16_strip *p, int64_t run) {
  p->run = run;
  set_anchors(p, 0, p->before_k, p->before, run, 1);
  set_anchors(p, p->before, p->k, p->lanes - p->before, run, 0);
  p->coarse_at = coarse_of(run);
}

/* ---- the few that float32 does not decide ---- */

/* Lane l of row b ahead of the anchor, or behind it, as angle_addition/dtypes.h rounds it. */
__attribute__((noinline)) static uint32_t rechecked_pair(
    const bf16_strip *p, const posenc_spec *spec, int l, int b, int ahead) {
  const int is_before = l < p->before;
  const int64_t k = is_before ? p->before_k + l : p->k + l - p->before;
  const int64_t position = p->run + STEPS + (ahead ? b : -1 - b) - is_before;
  return pair_of_16_bits(spec, p->t, k, position, POSENC_DTYPE_BF16);
}

/* Those of both rows; apart as strip_pairs() leaves it. */
__attribute__((noinline)) static void recheck_lanes(
    const bf16_strip *p, const posenc_spec *spec, int b, uint32_t *ahead, uint32_t *behind, const uint32_t *apart) {
  for (int at = 0; at < p->lanes; at += 4) { /* whole lines are there */
    uint64_t of_four[2];
    memcpy(of_four, apart + at, sizeof of_four);
    for (int l = at; (of_four[0] | of_four[1]) && l < at + 4 && l < p->lanes; l++) {
      if (apart[l] >> 16)
        ahead[l] = rechecked_pair(p, spec, l, b, 1);
      if (apart[l] & 0xffff)
        behind[l] = rechecked_pair(p, spec, l, b, 0);
    }
  }
}

/* ---- and all of them in float32 ---- */

FLAT uint32_t upper_half_rounded(float f) /* but for ties, which are never taken */
{
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits + 0x8000;
}

FLAT float fused(float a, float b, float c) { return POSENC_FUSED ? __builtin_fmaf(a, b, c) : a * b + c; }

/* The ends of a sine's and of a cosine's interval as a pair; in *apart, upper halves that are not 0 where they round
 * apart. */
FLAT uint32_t pair_of(float s_more, float s_less, float c_more, float c_less, uint32_t *apart) {
  const uint32_t s = upper_half_rounded(s_more), c = upper_half_rounded(c_more);
  *apart = (s ^ upper_half_rounded(s_less)) | (c ^ upper_half_rounded(c_less));
  return (c & 0xffff0000) | s >> 16;
}

/* Lanes first .. end-1 of the rows ahead of the anchor and behind it by step b. apart[l] is not 0 where lane l is
 * undecided: the upper half in the first of them, the lower half in the second. Returns whether any is. */
FLAT uint32_t strip_pairs(
    const bf16_strip *p, int first, int end, int absolute, int b, uint32_t *ahead, uint32_t *behind, uint32_t *apart) {
  const float *const sines = p->steps + b * p->next, *const cosines = sines + p->cosines;
  uint32_t any = 0;
  POSENC_INDEPENDENT
  for (int l = first; l < end; l++) {
    const float s = p->sin[l], c = p->cos[l], bs = sines[l], bc = cosines[l];
    const float c_more = fused(c, bc, BF16_ERROR), c_less = fused(c, bc, -BF16_ERROR);
    uint32_t y_apart, z_apart;
    if (absolute) {
      const float s_more = fused(c, bs, BF16_ERROR), s_less = fused(c, bs, -BF16_ERROR);
      ahead[l] =
          pair_of(fused(s, bc, s_more), fused(s, bc, s_less), fused(-s, bs, c_more), fused(-s, bs, c_less), &y_apart);
      behind[l] =
          pair_of(fused(s, bc, -s_less), fused(s, bc, -s_more), fused(s, bs, c_more), fused(s, bs, c_less), &z_apart);
    } else {
      const float more = p->more[l], less = p->less[l], error = p->error[l];
      const float y = fused(s, bc, c * bs), z = fused(s, bc, -(c * bs));
      ahead[l] = pair_of(
          fused(y, more, error), fused(y, less, -error), fused(-s, bs, c_more), fused(-s, bs, c_less), &y_apart);
      behind[l] =
          pair_of(fused(z, more, error), fused(z, less, -error), fused(s, bs, c_more), fused(s, bs, c_less), &z_apart);
    }
    apart[l] = (y_apart & 0xffff0000) | z_apart >> 16;
    any |= apart[l];
  }
  return any;
}

#endif
