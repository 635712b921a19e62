/* What the anchored and exact kernels keep of a spec: every frequency, times position_scale, as a fraction of a turn,
 * and sines and cosines of some of its multiples. A position is written in three parts,
 *
 *     position = 8192 c + 64 m + b,   |m| <= 64, |b| <= 32      coarse, middle, step
 *
 * and its angle is the sum of three: the coarse one is computed afresh (rotation/angle.h), the other two are looked up.
 *
 * Memory, n frequencies rounded up to a multiple of 32:  hi[n] mid[n] whole[n], each between 8 zeros, then per window
 *                                                        of 32 frequencies
 * double[33][2][40], the steps 0 to 32, and after all of those double[65][2][40], the middles 0 to 64: entry, sine or
 * cosine, frequency. A window ends with the 8 frequencies after its own, so that vectors may begin anywhere in it.
 * Negative multiples have the sine negated. Behind them room for the steps in float32 (rotation/bf16.h). Wide tables (n
 * > POSENC_TABLES_FREQS) keep neither: entries are computed when needed, the same bits.
 */
#ifndef POSENC_TURNS_H
#define POSENC_TURNS_H

#include "kernel.h"

enum { GROUP = 8, WINDOW = 32, ROOM = WINDOW + GROUP, ENTRY = 2 * ROOM /* float64 */ };
enum { STEP = 64, STEPS = STEP / 2 + 1, COARSE = 8192, MIDDLES = COARSE / STEP / 2 + 1 };
/* per frequency */
enum {
  TURNS_BYTES = 3 * sizeof(double),
  STEP_BYTES = (2 * STEPS + 1) * sizeof(float),
  TABLE_BYTES = (STEPS + MIDDLES) * ENTRY / WINDOW * sizeof(double) + STEP_BYTES
};

typedef struct turns {
  int64_t n; /* a multiple of WINDOW */
  double *hi, *mid, *whole;
  double *steps, *middles; /* NULL where none are kept */
} turns;

static inline turns turns_of(const posenc_spec *spec, const void *state) {
  const int64_t n = posenc_padded_freqs(spec);
  double *hi = (double *)state + GROUP, *mid = hi + n + GROUP, *whole = mid + n + GROUP;
  double *steps = n <= POSENC_TABLES_FREQS ? whole + n + GROUP : NULL;
  return (turns){n, hi, mid, whole, steps, steps ? steps + n / WINDOW * STEPS * ENTRY : NULL};
}

/* Where up to 8 frequencies from k have entry 0 of a table: the sines, ROOM before the cosines. -8 < k, and the last of
 * them is below n + 8; where there is no frequency, there is something finite. */
static inline double *entries_of(const turns *t, double *table, int entries, int64_t k) {
  const int64_t window = k < 0 ? 0 : k < t->n ? k / WINDOW : t->n / WINDOW - 1;
  return table + window * entries * ENTRY + (k - window * WINDOW);
}

/* Position p = coarse + 64 middle + step. */
typedef struct parts {
  int64_t coarse;
  int middle, step;
} parts;

static inline parts parts_of(int64_t p) {
  const int64_t anchor = (p + STEP / 2) & ~(int64_t)(STEP - 1), coarse = (anchor + COARSE / 2) & ~(int64_t)(COARSE - 1);
  return (parts){coarse, (int)((anchor - coarse) / STEP), (int)(p - anchor)};
}

/* Fills hi, mid and whole: hi + mid is w_k / 2pi less the nearest integer, within 2^-105 of it; whole is that integer
 * where it is below 2^48 and infinite elsewhere. A frequency |w| < 2^-201 is replaced by one near 2^-200: no position
 * makes its sine anything but 0 in float32, nor its cosine but 1. */
void posenc_turns(const posenc_spec *spec, const turns *t);

/* Why the spec has no such frequencies, or NULL. */
const char *posenc_turns_refuse(const posenc_spec *spec);

/* The dtype's rounding + units * 2^-53, at every angle. */
double posenc_bound_turns(const posenc_angle *angle, double units);

#endif
