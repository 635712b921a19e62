#ifndef POSENC_ROTARY_H
#define POSENC_ROTARY_H

#include "kernel.h"

/* What posenc_rotary_freqs() writes; *p is valid, and the floating-point state is the default one.
 * factors: of LONGROPE, those that length selects. */
void posenc_rotary_ladder(const posenc_rotary *p, const float *factors, double *freqs, double *freqs_low);
double posenc_rotary_attention(const posenc_rotary *p);

#endif
