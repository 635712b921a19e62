#ifndef POSENC_ROTARY_H
#define POSENC_ROTARY_H

#include "kernel.h"

/* The results of posenc_rotary_freqs(): the frequencies and the attention factor. *p is valid, and the floating-point
 * state is the default one. factors: the array of LONGROPE that length selects. */
void posenc_rotary_compute(const posenc_rotary *p, const float *factors, double *freqs, double *freqs_low);
double posenc_rotary_attention(const posenc_rotary *p);

#endif
