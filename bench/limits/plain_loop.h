/* The addition as most programs write it, which posenc_add is compared with. */
#ifndef POSENC_BENCH_PLAIN_LOOP_H
#define POSENC_BENCH_PLAIN_LOOP_H

#include <stddef.h>

void plain_add(const float *x, float c, float *out, size_t n); /* out = x + c */
void plain_add_to(float *x, float c, size_t n);                /* x += c */

#endif
