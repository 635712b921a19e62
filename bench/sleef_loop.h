/* The loops a user of SLEEF would write by hand, one set per instruction set. */
#ifndef POSENC_BENCH_SLEEF_LOOP_H
#define POSENC_BENCH_SLEEF_LOOP_H

#include <stdint.h>

/* rows 0 .. rows-1 of 2 * pairs columns, interleaved; pairs is a multiple of 16. */
typedef void sleef_loop_f32(const float *w, int64_t pairs, int64_t rows, float *out);
typedef void sleef_loop_f64(const double *w, int64_t pairs, int64_t rows, float *out);

sleef_loop_f32 sleef_loop_avx512_u10, sleef_loop_avx512_u35, sleef_loop_avx2_u10, sleef_loop_avx2_u35,
    sleef_loop_neon_u10, sleef_loop_neon_u35;
sleef_loop_f64 sleef_loop_avx512_f64, sleef_loop_avx2_f64, sleef_loop_neon_f64;

#endif
