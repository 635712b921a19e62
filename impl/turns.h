/* What the anchored and exact kernels keep of a spec: every frequency in turns, and the sines and cosines of its first 64
 * multiples, the steps. Row 64 a + b is then anchor(64 a) turned by step(b).
 *
 * Memory, n frequencies rounded up to a multiple of 16:  hi[n] mid[n] lo[n], then per group of 8 frequencies
 * double[64][2][8]: step, sine or cosine, frequency. Wide tables (n > POSENC_STEPS_FREQS) keep no steps: they are made
 * anew, one group at a time, by every call.
 */
#ifndef POSENC_TURNS_H
#define POSENC_TURNS_H

#include "kernel.h"

enum { STEPS = 64, GROUP = 8, GROUP_DOUBLES = STEPS * 2 * GROUP };

typedef struct turns {
  double *hi, *mid, *lo, *steps; /* steps is NULL where none are kept */
} turns;

static inline turns turns_of(const posenc_spec *spec, const void *state)
{
  const int64_t n = (posenc_n_freqs(spec->d_model) + 15) / 16 * 16;
  double *p = (double *)(uintptr_t)state;
  return (turns){p, p + n, p + 2 * n, n <= POSENC_STEPS_FREQS ? p + 3 * n : NULL};
}

/* Fills hi, mid, lo: hi + mid + lo is w_k / 2pi within 2^-158 of it, or within 2^-200 where |w_k| < 2^-200: such a
 * frequency is replaced by 2^-200, because no position makes its sine anything but 0 in float32, nor its cosine but 1. */
void posenc_turns(const posenc_spec *spec, const turns *t);

/* Why the spec has no such frequencies, or NULL. */
const char *posenc_turns_refuse(const posenc_spec *spec);


/* 2^-25 + units * 2^-53, at every angle. */
double posenc_bound_turns(const posenc_angle *angle, double units);

#endif
