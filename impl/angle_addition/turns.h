/* What the anchored and exact kernels keep of a spec: every frequency, times position_scale, as a fraction of a turn,
 * and sines and cosines of 36 of its multiples. A position is written in three parts,
 *
 *     position = coarse + middle + step
 *     coarse = 512 c + 255.5,   middle = +-32, 96, 160, 224,   step = +-(b + 1/2), b < 32
 *
 * and its angle is their sum: the coarse one is computed afresh (angle_addition/angle.h), the other two are looked up. Rows
 * come in runs of 64 around an anchor, coarse + middle, which lies in the middle between two positions: so a run's
 * rows are 32 pairs, one row ahead of the anchor and one behind, that share a step. (Whole turns are left out of
 * frequencies. At half a position that is half a turn too many or too few, in two parts alike: the sum is right.)
 *
 * Memory, n frequencies rounded up to a multiple of 32: hi[n] mid[n] whole[n], each between 8 zeros, then per window of
 * 32 frequencies double[36][64]: the steps, then the middles, the pairs of sine and cosine as simd/simd.h orders them.
 * (exact makes steps of fewer angles: angle_addition/steps.h.) Behind them room for the steps in float32 (angle_addition/bf16.h).
 * Without tables (posenc_keeps_tables) there are no steps: they are computed when needed, the same bits.
 */
#ifndef POSENC_TURNS_H
#define POSENC_TURNS_H

#include "kernel.h"

enum { GROUP = 8, WINDOW = 32, ENTRY = 2 * WINDOW /* float64 */ };
enum { RUN = 64, STEPS = RUN / 2, SPAN = 512, MIDDLES = SPAN / RUN / 2, ENTRIES = STEPS + MIDDLES };
enum { /* per frequency */
  TURNS_BYTES = 3 * sizeof(double),
  TABLE_BYTES = ENTRIES * ENTRY / WINDOW * sizeof(double) + (2 * STEPS + 1) * sizeof(float)
};

typedef struct turns {
  int64_t n, there; /* frequencies, up to a multiple of WINDOW and without that */
  double *hi, *mid, *whole;
  double *steps; /* NULL where none are kept */
} turns;

static inline turns turns_of(const posenc_spec *spec, const void *state) {
  const int64_t n = posenc_padded_freqs(spec);
  double *hi = (double *)state + GROUP, *mid = hi + n + GROUP, *whole = mid + n + GROUP;
  return (turns){n, posenc_n_freqs(spec), hi, mid, whole, posenc_keeps_tables(spec) ? whole + n + GROUP : NULL};
}

/* Where the pairs of step 0 of frequencies from k are, a multiple of 8 and 0 <= k < n; ENTRY on, step 1; middles are
 * entries STEPS and up. */
static inline double *steps_of(const turns *t, int64_t k) {
  return t->steps + k / WINDOW * ENTRIES * ENTRY + k % WINDOW * 2;
}

/* The part of an entry, ahead of what it is added to where the sign is 1 and behind it where it is -1. */
typedef struct offset {
  int entry;
  double sign;
} offset;

static inline double position_of(int entry) { return entry < STEPS ? entry + 0.5 : RUN * (entry - STEPS + 0.5); }

static inline int64_t run_of(int64_t position) { return position & ~(int64_t)(RUN - 1); }
static inline double anchor_of(int64_t run) { return (double)run + (RUN - 1) / 2.0; }
static inline double coarse_of(int64_t position) {
  return (double)(position & ~(int64_t)(SPAN - 1)) + (SPAN - 1) / 2.0;
}
static inline offset offset_of(int i, int half) {
  return i < half ? (offset){half - 1 - i, -1.0} : (offset){i - half, 1.0};
}
static inline offset step_of(int64_t position) { return offset_of((int)(position & (RUN - 1)), STEPS); }
static inline offset middle_of(int64_t position) {
  const offset m = offset_of((int)(position & (SPAN - 1)) / RUN, MIDDLES);
  return (offset){STEPS + m.entry, m.sign};
}

/* Fills hi, mid and whole: hi + mid is w_k / 2pi less the nearest integer, within 2^-105 of it; whole is that integer
 * where it is below 2^48 and infinite elsewhere. What is below 2^-203 of a turn, but not 0, is replaced by that: no
 * position makes its sine anything but 0 in float32, nor its cosine but 1. */
void posenc_turns(const posenc_spec *spec, const turns *t);

/* The dtype's rounding + units * 2^-53, at every angle. */
double posenc_bound_turns(const posenc_angle *angle, double units);

#endif
