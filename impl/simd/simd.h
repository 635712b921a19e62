/* The few vector operations the kernels need, for the instruction set of the row being compiled.
 *
 *   vf, VF_LANES      float32 vector; vf_load (64-byte aligned), vf_set1, vf_mul
 *   vd, VD_LANES      float64 vector; vd_load (aligned), vd_loadu, vd_store (anywhere), vd_set1, vd_add, vd_sub,
 *                     vd_mul, vd_abs, vd_round (to the nearest integer, ties to even)
 *   vd_fma(a, b, c)   a * b + c rounded once; where the row may not use FMA (POSENC_FUSED 0), rounded twice
 *   vd_fnma(a, b, c)  c - a * b, likewise; vd_fms(a, b, c)  a * b - c, likewise (+0 where that is 0)
 *   vd_two_product    p + e = a * b exactly, barring underflow
 *   vd_ge(a, b)       all bits of a lane set where a >= b; vd_and, vd_or of bits
 *   vf_store_pairs    writes min(columns, 2 VF_LANES) floats: sin[0], cos[0], sin[1], ... and nothing beyond
 *
 *   pairs             in memory, sines and cosines as the row multiplies them best: store_pairs(p, s, c) writes VD_LANES
 *                     of them (aligned), pair_at(k, 1) is where the cosine of the k-th is. They are two vectors, the
 *                     halves of a vp: sine_of(p, half) and cosine_of(p, half) are what a half is multiplied by, and
 *                     vp_join rounds the two halves to a vp
 *
 *   vp                2 VD_LANES float32: sin[0], cos[0], sin[1], ...; vd_pack rounds two float64 vectors to one, once
 *   vp_load, vp_store all of it, anywhere; vp_store_part: lanes from .. to-1 and nothing else
 *   vp_stream         to the start of a vector in memory that will not be read soon; stream_end() after the last
 *   vd_pack_rotated   as vd_pack, each pair rotated by quarter turns: as many as the last two bits of a third vector's
 *                     lane say
 *   vp_store_half     the lanes rounded to float16 (nearest, ties to even), anywhere, or `streamed` to the start of half a
 *                     vector; returns vh, what it was given and, not 0 in lanes so near the middle of two float16 that
 *                     this is not certain of what was rounded to their float32. vh_any says whether there is one
 *   vp_firsts(a, b, c, d)  the first of each pair of the two vp that a and b, c and d join to; vp_seconds  the second
 *   vp_equal          all bits are the same
 *   vp_set1, vp_scaled_sum(s, x, a)  s * x[...] rounded, + a rounded; x anywhere
 *
 * The row's instruction set decides, not what -march allows: an avx2 row stays an avx2 row everywhere.
 */
#ifndef POSENC_SIMD_H
#define POSENC_SIMD_H

#include "simd/budget.inc"
#include "kernel.h"

#define POSENC_SIMD_avx2 1
#define POSENC_SIMD_avx512 2
#define POSENC_SIMD_neon 3
#define POSENC_SIMD_any 4
#define POSENC_SIMD_fma 5
#define POSENC_SIMD POSENC_CAT(POSENC_SIMD_, POSENC_ISA)

/* Ziv's rounding test, accumulated over a tile (angle_addition/tile.h). It fails if the rounding of any output to float32 is
 * uncertain: the 29 bits of the float64 that rounding drops are within CHECK_WINDOW of halfway, or the float32 is
 * below CHECK_SMALL and its lane not exempt. angle_addition/ziv.h says why.
 *
 *   test_none(), test_pairs(test, a, b, packed, exempt), test_failed(test)
 *   vx, vx_of         which lanes of a vp are exempt, from vd lanes whose halves have all bits set (exempt) or clear
 *   vx_firsts         of vp_firsts, and of vp_seconds as well, if both lanes of every pair are alike
 *
 * Two vectors are looked at together, the low halves of their float64 packed to 32-bit lanes: those of the 29 bits
 * that are in CHECK_FIELD are all 0 in low + CHECK_MOVE where it is near halfway. Or (low + CHECK_MOVE) << 3 is then
 * below CHECK_CLOSE.
 */
#define CHECK_MOVE ((1 << 28) + CHECK_WINDOW)
#define CHECK_CLOSE (CHECK_WINDOW << 4)
#define CHECK_FIELD ((1 << 29) - 2 * CHECK_WINDOW)

/* The float32 next to a value, or the second next: above it in size, below it. */
#define HALF_ABOVE (1.0f + 0x1p-23f)
#define HALF_BELOW (1.0f - 0x1p-24f)

#if POSENC_SIMD == POSENC_SIMD_avx512
#include "simd/avx512.h"
#elif POSENC_SIMD == POSENC_SIMD_avx2
#include "simd/avx2.h"
#elif POSENC_SIMD == POSENC_SIMD_neon
#include "simd/neon.h"
#else
#include "simd/scalar.h"
#endif

#ifndef POSENC_FUSED
#define POSENC_FUSED 1
#endif

static inline vd vd_two_product(vd a, vd b, vd *e) {
  const vd p = vd_mul(a, b);
#if POSENC_FUSED
  *e = vd_fms(a, b, p);
#else /* Veltkamp's split, Dekker's product (Dekker, Numer. Math. 18, 1971) */
  const vd ta = 0x1.0000002p27 * a, tb = 0x1.0000002p27 * b;
  const vd ah = ta - (ta - a), bh = tb - (tb - b), al = a - ah, bl = b - bh;
  *e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
#endif
  return p;
}

/* a * b + c rounded once, where -c is near enough to the product for this sum to be exact before its tail. */
static inline vd vd_product_plus(vd a, vd b, vd c) {
#if POSENC_FUSED
  return vd_fma(a, b, c);
#else
  vd e;
  const vd p = vd_two_product(a, b, &e);
  return vd_add(vd_add(p, c), e);
#endif
}

/* min(columns, 2 VD_LANES) floats, and nothing beyond. */
static inline void vd_store_pairs(float *out, vd s, vd c, int64_t columns) {
  const vp pairs = vd_pack(s, c);
  if (columns >= 2 * VD_LANES)
    vp_store(out, pairs);
  else
    vp_store_part(out, pairs, 0, columns);
}

#endif
