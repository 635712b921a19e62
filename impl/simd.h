/* The few vector operations the kernels need, for the instruction set of the row being compiled.
 *
 *   vf, VF_LANES      float32 vector; vf_load (64-byte aligned), vf_set1, vf_mul
 *   vd, VD_LANES      float64 vector; vd_load, vd_store (aligned), vd_set1, vd_add, vd_sub, vd_mul, vd_abs, vd_round (to
 *                     the nearest integer, ties to even)
 *   vd_fma(a, b, c)   a * b + c rounded once; where the row may not use FMA (POSENC_FUSED 0), rounded twice
 *   vd_fnma(a, b, c)  c - a * b, likewise
 *   vd_two_product    p + e = a * b exactly, barring underflow
 *   vd_min, vd_and, vd_or (of bits), vd_ge (all bits of a lane set where a >= b)
 *   vf_store_pairs    writes min(columns, 2 VF_LANES) floats: sin[0], cos[0], sin[1], ... and nothing beyond
 *   vd_store_pairs    the same from float64 vectors, each value rounded once; 2 VD_LANES floats at most
 *
 *   stream_line       64 bytes to memory that will not be read soon; stream_end() after the last
 *
 * The row's instruction set decides, not what -march allows: an avx2 row stays an avx2 row everywhere.
 */
#ifndef POSENC_SIMD_H
#define POSENC_SIMD_H

#include "kernel.h"

#define POSENC_SIMD_avx2 1
#define POSENC_SIMD_avx512 2
#define POSENC_SIMD_neon 3
#define POSENC_SIMD_any 4
#define POSENC_SIMD_fma 5
#define POSENC_SIMD POSENC_CAT(POSENC_SIMD_, POSENC_ISA)

/* A check gathers from many float64 values whether any of them might not round to float32 as the real number it stands for:
 * its low 29 bits lie within 2^CHECK_BITS of the halfway pattern 1 0000..., or its magnitude is below 2^-15 and its lane not
 * exempt. exact.c says why. Sines and cosines are looked at together, as 32-bit halves:
 *
 *   low halves   (low + MOVE) << 3 drops all but those 29 bits and is below CLOSE where they are near halfway: keep the minimum
 *   high halves  the bits LARGE are set in every exponent from -15 to 0: keep the conjunction
 *
 *   check_none, check_values(check, s, c, exempt), check_flagged; exempt = check_exempt(masks of s, masks of c), packed the
 *   same way, one vd per pair of vectors
 */
#define CHECK_BITS 17
#define CHECK_MOVE ((1 << 28) + (1 << CHECK_BITS))
#define CHECK_CLOSE (1 << (CHECK_BITS + 4))
#define CHECK_LARGE (0x3f0 << 20)

#if POSENC_SIMD == POSENC_SIMD_avx512
#include "simd_avx512.h"
#elif POSENC_SIMD == POSENC_SIMD_avx2
#include "simd_avx2.h"
#elif POSENC_SIMD == POSENC_SIMD_neon
#include "simd_neon.h"
#else
#include "simd_scalar.h"
#endif

#ifndef POSENC_FUSED
#define POSENC_FUSED 1
#endif

static inline vd vd_two_product(vd a, vd b, vd *e)
{
  const vd p = vd_mul(a, b);
#if POSENC_FUSED
  *e = vd_fma(a, b, vd_sub(vd_set1(0.0), p));
#else /* Veltkamp's split, Dekker's product (Dekker, Numer. Math. 18, 1971) */
  const vd ta = 0x1.0000002p27 * a, tb = 0x1.0000002p27 * b;
  const vd ah = ta - (ta - a), bh = tb - (tb - b), al = a - ah, bl = b - bh;
  *e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
#endif
  return p;
}

#endif
