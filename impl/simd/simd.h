/* The few vector operations the kernels need, for the instruction set of the row being compiled.
 *
 *   vf, VF_LANES      float32 vector; vf_load (64-byte aligned), vf_set1, vf_mul
 *   vd, VD_LANES      float64 vector; vd_load (aligned), vd_loadu, vd_store (anywhere), vd_set1, vd_add, vd_sub,
 *                     vd_mul, vd_abs, vd_round (to the nearest integer, ties to even; below 2^51, a zero of either
 *                     sign)
 *   vd_fma(a, b, c)   a * b + c rounded once; where the row may not use FMA (POSENC_FUSED 0), rounded twice
 *   vd_fnma(a, b, c)  c - a * b, likewise; vd_fms(a, b, c)  a * b - c, likewise (exact where c is the rounded product)
 *   vd_two_product    p + e = a * b exactly, barring underflow
 *   vd_ge(a, b)       a mask: all bits of a lane set where a >= b, none elsewhere; vd_and, vd_or of bits
 *   vd_put, vp_put, vh_put(to, a, streamed)   all of a vector, anywhere; streamed: to an address that is a multiple of
 *                     the vector's size, in memory that will not be read soon; stream_end() after the last such one
 *   vf_store_pairs, vd_store_pairs   write min(columns, 2 lanes) floats: sin[0], cos[0], sin[1], ... and nothing beyond
 *
 *   vd_store_interleaved(to, a, b)   a[0], b[0], a[1], ... (aligned)
 *   vg (group)        VD_LANES pairs of values, as two vectors: interleaved, or the first values and then the second
 *                     ones, as suits the instruction set. So in memory, too: first values come VG_APART at a time, and
 *                     a second value is VG_APART after its first one. vg_store(to, firsts, seconds), vg_load (aligned),
 *                     vg_mul, vg_fma, vg_fnma; vg_firsts(p) has the first value of each pair in memory in both places,
 *                     vg_seconds(p) the second one. Out of groups, interleaved: vg_put of float64, vg_floats rounds to
 *                     float32; vg_unzip(y, z, firsts, seconds) rounds two groups, and separates
 *
 *   vp (packed)       2 VD_LANES float32: vp_put, vp_store_some. vp_join(a, b) rounds a, then b, to float32;
 *                     vp_interleave(s, c) rounds s[0], c[0], s[1], ...
 *   vp_interleave_rotated   the same, and each pair rotated by quarter turns: as many as the last two bits of a third
 *                     vector's lane say
 *   vh (half width)   2 VD_LANES elements of 16 bits: vp_to_bf16 (ties away from 0; no NaN), vp_to_f16 (ties to even;
 *                     below 2), vh_equal
 *   vu (unsigned)     2 VD_LANES unsigned 32-bit integers: vp_bits; vd_bits, the lower and the upper half of each
 *                     float64, and vd_of_bits, its inverse; vu_set1, vu_set2 (even lanes, odd lanes), vu_add, vu_equal;
 *                     vu_select(mask, a, b) has the pair of lanes of a where the float64 of a mask is set, else of b
 *   vtest             does every lane pass, so that lane & bits is not 0? vtest_start(); vtest_add(&t, a, b, bits) tests two
 *                     vectors, of two rows for instance; vtest_failed(&t) is 0 if all lanes passed. If not, bit 0
 *                     means a vector a, bit 1 a vector b; without masks, both bits are set
 *
 * The row's instruction set decides, not what -march allows: an avx2 row stays an avx2 row everywhere.
 */
#ifndef POSENC_SIMD_H
#define POSENC_SIMD_H

#include "kernel.h"

/* avx2.h, avx512.h, neon.h, fma.h or any.h. Each defines POSENC_FUSED: may the row use FMA? */
#include POSENC_STR(POSENC_ISA.h)

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

/* a * b + c rounded once, where c is so near to -a * b that the rounded product plus c is exact. */
static inline vd vd_product_plus(vd a, vd b, vd c) {
#if POSENC_FUSED
  return vd_fma(a, b, c);
#else
  vd e;
  const vd p = vd_two_product(a, b, &e);
  return vd_add(vd_add(p, c), e);
#endif
}

/* sin[0], cos[0], sin[1], ...: min(columns, 2 VD_LANES) floats and nothing beyond. */
static inline void vd_store_pairs(float *out, vd s, vd c, int64_t columns) {
  const vp pairs = vp_interleave(s, c);
  if (columns >= 2 * VD_LANES)
    vp_put(out, pairs, 0);
  else
    vp_store_some(out, pairs, columns);
}

#endif
