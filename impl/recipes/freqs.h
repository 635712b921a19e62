/* Frequencies w_k of a problem, in the arithmetic of each recipe. Explicit frequencies are copied (rounded to
 * float32 once where the recipe is float32). */
#ifndef POSENC_FREQS_H
#define POSENC_FREQS_H

#include "kernel.h"

/* w_k = pow(base, -k / denominator) in float64, state an array of them. Relative error at most (3 + |ln w|) 2^-53, from
 * a pow within 1 ULP. */
void posenc_freqs_f64(const posenc_problem *problem, void *state);

/* w_k = expf(2k * step), step = (float)(-ln(base) / (2 * denominator)): the PyTorch tutorial's arithmetic, in float32.
 * Relative error at most (2 + 2 |ln w|) 2^-24, from an expf within 1 ULP. */
void posenc_freqs_explog(const posenc_problem *problem, void *state);

/* Bounds shared by the recipes that take a rounded frequency times a rounded position and hand the product to a
 * sincos within `units`: |error| <= units * u + angle * (what w and the two roundings are off by). */
double posenc_bound_explog(const posenc_angle *angle, double units);
double posenc_bound_f64(const posenc_angle *angle, double units);

#endif
