/* The few vector operations the kernels need, for the instruction set of the row being compiled.
 *
 *   vf, VF_LANES      float32 vector; vf_load (64-byte aligned), vf_set1, vf_mul
 *   vd, VD_LANES      float64 vector; vd_load (aligned), vd_loadu, vd_store (anywhere), vd_set1, vd_add, vd_sub,
 *                     vd_mul, vd_abs, vd_round (to the nearest integer, ties to even)
 *   vd_fma(a, b, c)   a * b + c rounded once; where the row may not use FMA (POSENC_FUSED 0), rounded twice
 *   vd_fnma(a, b, c)  c - a * b, likewise; vd_fms(a, b, c)  a * b - c, likewise (+0 where that is 0)
 *   vd_two_product    p + e = a * b exactly, barring underflow
 *   vd_ge(a, b)       all bits of a lane set where a >= b; vd_and, vd_or of bits
 *   vd_put, vp_put, vh_put(to, a, streamed)   all of a vector, anywhere; streamed: to an address that is a multiple of the
 *                     vector's size, in memory that will not be read soon; stream_end() after the last such one
 *   vf_store_pairs, vd_store_pairs   write min(columns, 2 lanes) floats: sin[0], cos[0], sin[1], ... and nothing beyond
 *
 *   rotations         pairs (cosine, sine) in memory, frequency by frequency. vd_store_interleaved(to, a, b) writes
 *                     a[0], b[0], a[1], ... (aligned). VD_LANES pairs are two vectors: vd_cosines_of(pairs, 0) is the
 *                     cosines of the first one, each of them twice, vd_sines_of(pairs, 1) the sines of the second one
 *
 *   vp (packed)       2 VD_LANES float32: vp_put, vp_store_some. vp_join(a, b) rounds a, then b, to float32;
 *                     vp_interleave(s, c) rounds s[0], c[0], s[1], ...
 *   vp_interleave_rotated   the same, and each pair rotated by quarter turns: as many as the last two bits of a third
 *                     vector's lane say
 *   vd_unzip(y, firsts, seconds)   rounds four vectors to float32: the first of each pair, and the second
 *   vh (half width)   2 VD_LANES elements of 16 bits: vp_to_bf16 (ties away from 0), vp_to_f16 (ties to even), vh_equal
 *   vu (unsigned)     2 VD_LANES unsigned 32-bit integers: vp_bits; vd_bits, the lower and the upper half of each
 *                     float64; vu_load (aligned), vu_set1, vu_set2 (even lanes, odd lanes), vu_add, vu_and, vu_or,
 *                     vu_min, vu_equal; vu_any_below(a, b) tells whether any lane of a is below that of b;
 *                     vu_now(&a): a is computed here. Clang puts off what is needed last, and keeps all it needs until
 *                     then on the stack. (To see it, disassemble write_f32 of exact_avx2: by Clang 14, 60 of its lines
 *                     name rsp without vu_now, and none with it.)
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
