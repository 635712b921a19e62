/* What a plan of anchored and exact keeps: each frequency in turns, and its rotations.
 *
 * A position is the sum of two parts,
 *
 *     position = anchor + step      anchor = run + 31.5,   run a multiple of 64,   step = +-(b + 1/2),   b = 0 .. 31
 *
 * The anchor of a run lies half-way between two rows. So the 64 rows of a run are 32 row pairs, one row ahead of the
 * anchor and one behind it, that share a step. A *rotation* is the cosine and the sine of a step times a frequency.
 *
 * A frequency in turns is w_k position_scale / 2pi = hi + lo + removed_turns, where removed_turns is the nearest
 * integer. Only positions between integers need that integer. (Anchor and step are both half-integers, so dropping an
 * odd integer shifts each of the two angles by half a turn. All four sines and cosines change their sign, and the
 * products of two do not.)
 *
 * Rotations of half a strip, 16 frequencies, lie in slots of 256 bytes. Every fourth slot is free, as strip.h explains:
 *
 *     slot      0    1    2    3    4    5    6    7        40    41   42 43    44     45     46     47
 *     step     1/2  3/2  5/2   -   7/2  9/2 11/2   -  ...  61/2  63/2   -  -  anchor turned words unwanted
 *
 *     a slot:  groups of cosine and sine (simd/simd.h), float64
 *
 * Slots 44 to 47 are used in the memory of a strip only; rows that are not wanted go to the last one. */
#ifndef POSENC_FREQUENCIES_H
#define POSENC_FREQUENCIES_H

#include "kernel.h"

#include <math.h>

enum { RUN = POSENC_RUN, STEPS = RUN / 2 };
enum { STRIP = POSENC_STRIP, HALF_STRIP = STRIP / 2 /* frequencies */ };
enum { SLOT = 2 * HALF_STRIP /* float64 */, ANCHOR_SLOT = 44, SLOTS = 48, NEXT_HALF = SLOTS * SLOT };

/* A plan keeps rotations for ordinary widths only: its memory has a limit. */
enum { MOST_WITH_ROTATIONS = 4096 /* frequencies */ };

typedef struct frequencies {
  const posenc_problem *problem; /* the plan's */
  int64_t n;                     /* without padding. The arrays are padded with zeros to whole strips and 16 more */
  double *hi, *lo;               /* |hi + lo| <= 1/2, within 2^-105 of the real number, relatively */
  double *removed_turns;         /* NaN from 2^48 turns on: results are then NaN, and go to the fallback */
  int has_turns, has_lost_turns; /* is any element of removed_turns not 0? a NaN? */
  double *rotations; /* NULL if the plan keeps none: they are then computed where they are needed, with the same bits */
} frequencies;

/* Offset of step b + 1/2 within the rotations of half a strip: slot b + b/3, which leaves out every fourth one. The
 * inner loop calls this, so it multiplies by 1366 / 1024 instead of dividing. */
static inline int64_t offset_of_rotation(int64_t b) { return (b * 1366 >> 10) * SLOT; }
static inline double *rotations_of(const frequencies *f, int64_t k) {
  return f->rotations + k / HALF_STRIP * NEXT_HALF;
}

static inline int64_t run_of(int64_t position) { return position & ~(int64_t)(RUN - 1); }
static inline double anchor_of(int64_t run) { return (double)run + (RUN - 1) / 2.0; }
static inline double step_of(int64_t b) { return (double)b + 0.5; }

/* The part of a position for which removed_turns counts; 0 if no frequency has any. */
static inline double counted_fraction(const frequencies *f, double position) {
  return f->has_turns ? position - rint(position) : 0.0;
}

/* The bytes that follow `frequencies` in a plan. */
size_t posenc_frequencies_bytes(const posenc_problem *problem, int keeps_rotations);

/* Writes `frequencies` and its arrays at `state`, all but the rotations. A frequency below 2^-203 of a turn that is not
 * 0 becomes 2^-203: at every position its sine is 0 in float32, and its cosine 1. In float64 exact goes to the fallback
 * there (correct.h), and anchored stores the sine of 2^-203 of a turn, which is within its bound. */
frequencies *posenc_set_frequencies(const posenc_problem *problem, int keeps_rotations, void *state);

/* A kernel's phases(). Frequencies are off by less than 2^72 units of 2^-512 (frequencies.c), then rounded. */
void posenc_compute_phases(const posenc_problem *problem, const posenc_phases *phases);

/* The dtype's rounding + units * 2^-53, at every angle. */
double posenc_bound_sum(const posenc_angle *angle, double units);

#endif
