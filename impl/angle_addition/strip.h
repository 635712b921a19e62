/* A strip: up to 32 frequencies side by side, 256 bytes of a row at most, and what its row pairs need of them.
 *
 * A load whose address agrees with that of a pending store in its low 12 bits waits for the store ("4K aliasing" in
 * Intel's optimization manual), and a non-temporal store is pending for long. So where rows are streamed, all that the
 * inner loop reads lies in slots of 256 bytes on the stack, and every fourth slot is free: in a row of the table the
 * first values of the strip have the page offsets of a free slot. This holds for every row if rows are a multiple of
 * 1 KiB apart, and for second values if they are a multiple of 1 KiB behind the first ones. Otherwise loads may wait.
 * 24 KiB of slots stay in L1. The ends of rows, and plans that keep no rotations, have their rotations in slots, too.
 * Elsewhere they are read from the plan.
 */
#ifndef POSENC_STRIP_H
#define POSENC_STRIP_H

#include "angle_addition/element.h"

_Static_assert(HALF_STRIP % VD_LANES == 0 && MOST_WITH_ROTATIONS % STRIP == 0, "vectors do not cross half strips");
_Static_assert(STRIP % (SIDE_BY_SIDE * VD_LANES) == 0, "a strip is a whole number of groups");
_Static_assert(ANCHOR_SLOT > (STEPS - 1) * 4 / 3 && ANCHOR_SLOT % 4 == 0 && SLOTS % 4 == 0 && ANCHOR_SLOT + 4 == SLOTS,
    "the anchor's slots follow the rotations, and both halves leave the same page offsets free");

enum { SLOT_BYTES = SLOT * sizeof(double), FREE_PERIOD = 4 * SLOT_BYTES, STRIP_BYTES = SLOT_BYTES };

/* n frequencies: k .. end-1, and then from `restart` on. The strip of both ends of rows has the last frequencies, then
 * the first ones. Other strips have `end` INT64_MAX: they do not restart. */
typedef struct selection {
  int64_t k;
  int n;
  int64_t end, restart;
} selection;

typedef struct strip {
  const frequencies *f;
  selection selected;
  int width; /* selected.n, padded with zero frequencies to whole vectors: 8, or with is_split 16 */
  format fmt;
  double furthest;         /* the largest absolute position, anchor or step */
  const double *rotations; /* of the first 16 frequencies; those of the others are NEXT_HALF further */
  double *anchor;          /* slot ANCHOR_SLOT of the first half; that of the other is NEXT_HALF further */
  frequencies own;         /* hi and lo below */
  double hi[STRIP] CACHE_ALIGNED, lo[STRIP] CACHE_ALIGNED;
  double memory[2 * NEXT_HALF + FREE_PERIOD / sizeof(double)] CACHE_ALIGNED;
} strip;

/* The strip's frequency i. */
static inline int64_t frequency_of(const selection *s, int i) {
  const int64_t k = s->k + i;
  return k < s->end ? k : s->restart + (k - s->end);
}

/* The selected elements of an array, padded with zeros to STRIP. */
static inline void copy_selected(const double *from, const selection *s, double *to) {
  const int n = s->n, before = s->end - s->k < n ? (int)(s->end - s->k) : n; /* of n, those before `restart` */
  memset(to, 0, STRIP * sizeof *to);
  memcpy(to, from + s->k, (size_t)before * sizeof *to);
  memcpy(to + before, from + s->restart, (size_t)(n - before) * sizeof *to);
}

/* ---- rotations ---- */

/* Sine and cosine of 16 frequencies from k on, at an anchor or a step: (sine, cosine) to *pairs, or with cosines_first
 * (cosine, sine). If `turned` is not NULL, the same turned by a quarter: (cosine, -sine), or (-sine, cosine). */
INLINE void make_pairs(
    const frequencies *f, int64_t k, double position, int cosines_first, double *pairs, double *turned) {
  enum { AT_ONCE = HALF_STRIP / VD_LANES < SIDE_BY_SIDE ? HALF_STRIP / VD_LANES : SIDE_BY_SIDE };
  for (int i = 0; i < HALF_STRIP; i += AT_ONCE * VD_LANES) {
    factors a[AT_ONCE];
    sin_cos y[AT_ONCE];
    for (int v = 0; v < AT_ONCE; v++)
      a[v] = factors_of(f, 0, k + i + v * VD_LANES, position, 0.0);
    direct(AT_ONCE, a, y);
    for (int v = 0; v < AT_ONCE; v++) {
      const vd minus_sin = vd_sub(vd_set1(0.0), y[v].sin);
      const int at = 2 * (i + v * VD_LANES);
      vg_store(pairs + at, cosines_first ? y[v].cos : y[v].sin, cosines_first ? y[v].sin : y[v].cos);
      if (turned)
        vg_store(turned + at, cosines_first ? minus_sin : y[v].cos, cosines_first ? y[v].cos : minus_sin);
    }
  }
}

/* All rotations of 16 frequencies from k on. */
static inline void make_rotations(const frequencies *f, int64_t k, double *to) {
  for (int b = 0; b < STEPS; b++)
    make_pairs(f, k, step_of(b), 1, to + offset_of_rotation(b), NULL);
}

/* Where groups have the first value of pair j. */
static inline int first_of(int j) { return j / VG_APART * 2 * VG_APART + j % VG_APART; }

/* The plan's rotations of 16 frequencies, from i on of a strip. */
static inline void copy_rotations(const frequencies *f, const selection *s, int i, double *to) {
  static const double of_zero[2] = {1.0, 0.0};
  const int64_t start = frequency_of(s, i);
  if (start % HALF_STRIP == 0 && start + HALF_STRIP <= s->end && i + HALF_STRIP <= s->n) { /* at once */
    for (int b = 0; b < STEPS; b++)
      memcpy(to + offset_of_rotation(b), rotations_of(f, start) + offset_of_rotation(b), SLOT * sizeof *to);
    return;
  }
  for (int j = 0; j < HALF_STRIP; j++) {
    const int is_selected = i + j < s->n;
    const int64_t k = is_selected ? frequency_of(s, i + j) : 0;
    const double *const from = rotations_of(f, k) + first_of((int)(k % HALF_STRIP));
    for (int b = 0; b < STEPS; b++)
      for (int second = 0; second < 2; second++)
        to[offset_of_rotation(b) + first_of(j) + second * VG_APART] =
            is_selected ? from[offset_of_rotation(b) + second * VG_APART] : of_zero[second];
  }
}

static inline void set_anchor(const strip *p, int cosines_first, int64_t run) {
  for (int h = 0; h * HALF_STRIP < p->width; h++) {
    double *const anchor = p->anchor + h * NEXT_HALF;
    make_pairs(&p->own, h * HALF_STRIP, anchor_of(run), cosines_first, anchor, anchor + SLOT);
  }
}

/* ---- a strip ---- */

/* The words of the rounding test (element.h), in the slot behind the anchor's two. A frequency's two words have the
 * size of one float64. In float32 they are stored for each value of a pair, as a group. */
static inline void set_words(const strip *p) {
  for (int i = 0; p->fmt.is_tested && i < p->width; i += VD_LANES) {
    double *const to = p->anchor + i / HALF_STRIP * NEXT_HALF + 2 * SLOT + 2 * (i % HALF_STRIP);
    const vd words = vd_of_bits(words_of(p->fmt, exempt(p->fmt, vd_load(p->hi + i), p->furthest)));
    if (p->fmt.dtype == POSENC_DTYPE_F32)
      vg_store(to, words, words);
    else
      vd_store(to, words);
  }
}

/* Sets what does not depend on a run; fmt and furthest are set. `out` is where the first column of some row goes: the
 * slots are placed so that free ones have its offset within FREE_PERIOD. If the rotations stay in the plan, the first
 * frequency is a multiple of 16. */
static inline void set_strip(strip *p, const frequencies *f, selection s, int in_slots, uintptr_t out) {
  const uintptr_t free_end = out + SLOT_BYTES, start = (uintptr_t)p->memory;
  const uintptr_t lines = (free_end - start) % FREE_PERIOD / LINE_BYTES;
  double *const slots = p->memory + lines * (LINE_BYTES / sizeof *p->memory);
  p->f = f;
  p->selected = s;
  p->width = p->fmt.is_split ? (s.n + 15) / 16 * 16 : (s.n + 7) / 8 * 8;
  p->anchor = slots + ANCHOR_SLOT * SLOT;
  p->rotations = in_slots ? slots : rotations_of(f, s.k);
  p->own = (frequencies){.n = s.n, .hi = p->hi, .lo = p->lo};
  copy_selected(f->hi, &s, p->hi);
  copy_selected(f->lo, &s, p->lo);
  for (int h = 0; in_slots && h * HALF_STRIP < p->width; h++) {
    if (f->rotations)
      copy_rotations(f, &s, h * HALF_STRIP, slots + h * NEXT_HALF);
    else
      make_rotations(&p->own, h * HALF_STRIP, slots + h * NEXT_HALF);
  }
  set_words(p);
}

#endif
