/* What the anchored and exact kernels keep of a spec: every frequency, times position_scale, as a fraction of a turn, and
 * cosine and sine of 36 of its multiples. A position is written in three parts,
 *
 *     position = coarse + middle + step
 *     coarse = 512 c + 255.5,   middle = +-32, 96, 160, 224,   step = +-(b + 1/2), b < 32
 *
 * and its angle is their sum: the coarse one is computed afresh (angle_addition/angle.h), the other two are looked up. Rows
 * come in runs of 64 around an anchor, coarse + middle, which lies half-way between two positions. So the rows of a run are
 * 32 row pairs, one row ahead of the anchor and one behind, that share a step. (Frequencies are kept without their whole
 * turns. At half a position that is half a turn too many or too few, in two parts alike: the sum is right.)
 *
 * Memory, n frequencies rounded up to a multiple of 32: hi[n], mid[n] and whole[n], each followed by 16 zeros; then, for
 * every 16 frequencies (half a strip), their factors: double[36][16][2], cosine and sine of each step, then of each middle.
 * A plan without tables (posenc_keeps_tables) has no factors: they are computed when needed, with the same bits.
 */
#ifndef POSENC_TURNS_H
#define POSENC_TURNS_H

#include "kernel.h"

enum { HALF_STRIP = 16, STRIP = 2 * HALF_STRIP /* frequencies */, FACTOR = 2 * HALF_STRIP /* float64 */ };
enum { RUN = 64, STEPS = RUN / 2, COARSE = 512, MIDDLES = COARSE / RUN / 2, FACTORS = STEPS + MIDDLES };
enum { TURNS_BYTES = 3 * sizeof(double), TABLE_BYTES = FACTORS * 2 * sizeof(double) /* per frequency */ };

typedef struct turns {
  int64_t n, there; /* frequencies, up to a multiple of STRIP and without that */
  double *hi, *mid, *whole;
  double *factors; /* NULL where none are kept */
} turns;

static inline turns turns_of(const posenc_spec *spec, const void *state, int64_t few_rows) {
  const int64_t n = posenc_padded_freqs(spec);
  double *hi = (double *)state, *mid = hi + n + HALF_STRIP, *whole = mid + n + HALF_STRIP;
  double *const factors = posenc_keeps_tables(spec, few_rows) ? whole + n + HALF_STRIP : NULL;
  return (turns){n, posenc_n_freqs(spec), hi, mid, whole, factors};
}

/* The factors of frequencies k .. k + 15, k a multiple of 16: FACTOR float64 for each. */
static inline double *factors_of(const turns *t, int64_t k) { return t->factors + k * FACTORS * 2; }

/* What a factor is the cosine and sine of, in positions. */
static inline double part_of(int factor) { return factor < STEPS ? factor + 0.5 : RUN * (factor - STEPS + 0.5); }

static inline int64_t run_of(int64_t position) { return position & ~(int64_t)(RUN - 1); }
static inline double coarse_of(int64_t position) {
  return (double)(position & ~(int64_t)(COARSE - 1)) + (COARSE - 1) / 2.0;
}

/* Fills hi, mid and whole: hi + mid is w_k / 2pi less the nearest integer, within 2^-105 of it; whole is that integer
 * where it is below 2^48 and infinite elsewhere. What is below 2^-203 of a turn, but not 0, is replaced by that: no
 * position makes its sine anything but 0 in float32, nor its cosine but 1. */
void posenc_turns(const posenc_spec *spec, const turns *t);

/* The dtype's rounding + units * 2^-53, at every angle. */
double posenc_bound_turns(const posenc_angle *angle, double units);

#endif
