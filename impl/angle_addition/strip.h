/* A strip: up to 32 frequencies side by side, 256 bytes of a row at most, and what its row pairs need of them.
 *
 * A load whose address agrees with that of a pending store in its low 12 bits waits for the store ("4K aliasing" in Intel's
 * optimization manual), and a non-temporal store is pending for long. So where rows are streamed, all that the inner loop reads
 * lies in slots of 256 bytes on the stack, and every fourth slot is left free: the one with the page offsets of the strip in the
 * table, which are the same in every row if rows are a multiple of 1 KiB apart. 18 KiB of slots stay in L1. The
 * ends of rows, and plans without factors, have their factors in slots, too. Elsewhere they are read where the plan keeps them.
 */
#ifndef POSENC_STRIP_H
#define POSENC_STRIP_H

#include "angle_addition/steps.h"
#include "angle_addition/store.h"

#include <math.h>
#include <string.h>

enum { SLOT_BYTES = FACTOR * sizeof(double), FREE_PERIOD = 4 * SLOT_BYTES, STRIP_BYTES = SLOT_BYTES };
/* Three slots follow the factors: (sine, cosine) at the anchor, (cosine, -sine), and words for exempt frequencies. */
enum { ANCHOR = FACTORS + FACTORS / 3, SLOTS = ANCHOR + 4, NEXT_HALF = SLOTS * FACTOR };
_Static_assert(
    FACTORS % 3 == 0 && SLOTS % 4 == 0, "three more slots fit, and both halves leave out the same page offsets");

typedef struct strip {
  const turns *t;
  int64_t k;         /* the first frequency */
  int64_t end, next; /* frequency `end` is replaced by `next`, and so on: the two ends of rows are one strip */
  int in_lines;      /* not the ends of rows */
  int there, n; /* frequencies, and their number rounded up to a multiple of 8, of 16 where split: the others are 0 */
  form f;       /* the elements' */
  int cosines_first;     /* column 0 is a cosine */
  turns own;             /* hi and mid of the strip's frequencies */
  const double *factors; /* of the first 16 frequencies, and next_half further those of the others */
  int64_t apart;         /* the factors: angle_addition/steps.h */
  int64_t next_half;
  double *slots;    /* of the first 16 frequencies; those of the others are NEXT_HALF further */
  double *anchor;   /* the last three slots of the first half */
  double coarse_at; /* the coarse position of coarse[], or NaN */
  double hi[STRIP] LINE, mid[STRIP] LINE;
  double coarse[2][2 * STRIP] LINE; /* (sine, cosine), (cosine, -sine) */
  double memory[2 * NEXT_HALF + FREE_PERIOD / sizeof(double)] LINE;
} strip;

/* Which one is frequency i of a strip? */
static inline int64_t frequency_of(const strip *p, int i) {
  const int64_t k = p->k + i;
  return k < p->end ? k : p->next + (k - p->end);
}

/* Copies the plan's factors of 16 frequencies, from i on of a strip. */
static inline void copy_factors(const strip *p, int i, double *to) {
  static const double angle_0[2] = {1.0, 0.0};
  for (int j = 0; j < HALF_STRIP; j++) {
    const int64_t k = frequency_of(p, i + j);
    const int is_there = i + j < p->there;
    const double *const from = is_there ? factors_of(p->t, k - k % HALF_STRIP) + k % HALF_STRIP * 2 : angle_0;
    for (int factor = 0; factor < FACTORS; factor++)
      memcpy(to + factor_at(factor, APART_IN_SLOTS) + 2 * j, from + (is_there ? factor_at(factor, APART) : 0),
          2 * sizeof *to);
  }
}

/* The strip of `there` frequencies from k on, where `next` takes the place of `end`. `out` is where the first column of some row
 * goes. k must be a multiple of 16 if the factors stay in the plan. */
static inline void set_strip(
    strip *p, const turns *t, int64_t k, int64_t end, int64_t next, int there, int in_slots, const unsigned char *out) {
  const uintptr_t free_end = (uintptr_t)out + SLOT_BYTES, start = (uintptr_t)p->memory;
  p->t = t;
  p->k = k;
  p->end = end;
  p->next = next;
  p->in_lines = end == INT64_MAX;
  p->there = there;
  p->n = p->f.split ? (there + 15) / 16 * 16 : (there + 7) / 8 * 8;
  p->slots = p->memory + (free_end - start) % FREE_PERIOD / 64 * 8;
  p->anchor = p->slots + ANCHOR * FACTOR;
  p->coarse_at = NAN;
  p->apart = in_slots ? APART_IN_SLOTS : APART;
  p->factors = in_slots ? p->slots : factors_of(t, k);
  p->next_half = in_slots ? NEXT_HALF : HALF_STRIP * FACTORS * 2;
  p->own = (turns){.hi = p->hi, .mid = p->mid};
  if (p->in_lines) {
    memcpy(p->hi, t->hi + k, (size_t)there * sizeof(double));
    memcpy(p->mid, t->mid + k, (size_t)there * sizeof(double));
  }
  for (int i = p->in_lines ? there : 0; i < STRIP; i++) {
    p->hi[i] = i < there ? t->hi[frequency_of(p, i)] : 0.0;
    p->mid[i] = i < there ? t->mid[frequency_of(p, i)] : 0.0;
  }
  for (int h = 0; in_slots && h * HALF_STRIP < p->n; h++) {
    if (t->factors)
      copy_factors(p, h * HALF_STRIP, p->slots + h * NEXT_HALF);
    for (int v = 0; !t->factors && v < HALF_STRIP; v += VD_LANES)
      make_factors(&p->own, h * HALF_STRIP + v, p->slots + h * NEXT_HALF + 2 * v, APART_IN_SLOTS);
  }
}

/* Is every angle of this frequency, at positions and parts of positions up to `furthest`, at most an eighth of a turn? No quarter
 * turn is taken off then, so errors are relative: verify/proof/README.md adds them up. */
static inline int is_relative(double turns_each, double furthest) { return furthest * fabs(turns_each) <= 0.125; }

/* All bits of a lane set where the rounding test is right for sines of any size, elsewhere the sign bits of a pair of float32.
 * In float32 and bfloat16 sines are normal numbers from position 2^-20 on, or below 2^-167, and so 0. In float16 all that pass
 * are 0. (Cosines are above every least size here.) */
static inline vd exempt_of(form f, vd turns_each, double furthest) {
  const vd size = vd_abs(turns_each), most = vd_set1(f.dtype == POSENC_DTYPE_F16 ? 0x1p-29 : 0.125);
  const vd is_normal = vd_or(vd_ge(size, vd_set1(0x1p-100)), vd_ge(vd_set1(0x1p-202), size));
  const vd signs = vd_set1(-0x1p-1043); /* 0x8000000080000000 */
  return vd_or(vd_and(vd_ge(most, vd_mul(size, vd_set1(furthest))), is_normal), signs);
}

/* The furthest position of those that share a coarse one. */
static inline double furthest_of(double coarse) { return fabs(coarse) + COARSE / 2; }

static inline void set_coarse(strip *p, double coarse) {
  enum { AT_ONCE = HALF_STRIP / VD_LANES < SIDE_BY_SIDE ? HALF_STRIP / VD_LANES : SIDE_BY_SIDE };
  for (int i = 0; i < p->n; i += AT_ONCE * VD_LANES) {
    angle a[AT_ONCE];
    compute_several(AT_ONCE, &p->own, i, VD_LANES, coarse, 0.0, a);
    for (int v = 0; v < AT_ONCE; v++) {
      double *const pairs = p->coarse[0] + 2 * (i + v * VD_LANES), *const turned = pairs + 2 * STRIP;
      const vd minus_sin = vd_sub(vd_set1(0.0), a[v].sin);
      if (p->cosines_first) {
        vd_store_interleaved(pairs, a[v].cos, a[v].sin);
        vd_store_interleaved(turned, minus_sin, a[v].cos);
      } else {
        vd_store_interleaved(pairs, a[v].sin, a[v].cos);
        vd_store_interleaved(turned, a[v].cos, minus_sin);
      }
    }
  }
  for (int i = 0; p->f.tested && i < p->n; i += VD_LANES) {
    double *const exempt = p->anchor + i / HALF_STRIP * NEXT_HALF + 2 * FACTOR;
    vd_store(exempt + i % HALF_STRIP, exempt_of(p->f, vd_load(p->hi + i), furthest_of(coarse)));
  }
  p->coarse_at = coarse;
}

/* Which middle leads from the coarse position to a run's anchor, and its sign. */
static inline int middle_of(int64_t run, double *sign) {
  const int i = (int)(run & (COARSE - 1)) / RUN;
  *sign = i < MIDDLES ? -1.0 : 1.0;
  return i < MIDDLES ? MIDDLES - 1 - i : i - MIDDLES;
}

/* (sine, cosine) and (cosine, -sine), rotated by sign times an angle of cosines c and sines s. */
static inline void rotate_pairs(vd *pairs, vd *turned, vd c, vd s, double sign) {
  const vd first = *pairs, second = *turned;
  *pairs = vd_fma(vd_mul(second, vd_set1(sign)), s, vd_mul(first, c));
  *turned = vd_fma(vd_mul(first, vd_set1(-sign)), s, vd_mul(second, c));
}

/* Sines and cosines at the anchor of a run: the coarse ones, rotated by a middle. */
static inline void set_anchor(strip *p, int64_t run) {
  double sign;
  const int middle = middle_of(run, &sign);
  if (p->coarse_at != coarse_of(run))
    set_coarse(p, coarse_of(run));
  for (int h = 0; h * HALF_STRIP < p->n; h++) {
    const double *const by = p->factors + h * p->next_half + factor_at(STEPS + middle, p->apart);
    double *const anchor = p->anchor + h * NEXT_HALF;
    for (int j = 0; j < FACTOR && j < 2 * p->n - h * FACTOR; j += VD_LANES) {
      const double *const factor = by + j / (2 * VD_LANES) * (2 * VD_LANES);
      vd pairs = vd_load(p->coarse[0] + h * FACTOR + j), turned = vd_load(p->coarse[1] + h * FACTOR + j);
      rotate_pairs(
          &pairs, &turned, vd_cosines_of(factor, j / VD_LANES % 2), vd_sines_of(factor, j / VD_LANES % 2), sign);
      vd_store(anchor + j, pairs);
      vd_store(anchor + FACTOR + j, turned);
    }
  }
}

#endif
