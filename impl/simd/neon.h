/* simd/simd.h for AArch64, whose baseline has it. */
#define POSENC_FUSED 1
#include <arm_neon.h>
#include <string.h>

typedef float32x4_t vf;
typedef float64x2_t vd;
enum { VF_LANES = 4, VD_LANES = 2 };

static inline vf vf_load(const float *p) { return vld1q_f32(p); }
static inline vf vf_set1(float x) { return vdupq_n_f32(x); }
static inline vf vf_mul(vf a, vf b) { return vmulq_f32(a, b); }
static inline vd vd_load(const double *p) { return vld1q_f64(p); }
static inline vd vd_loadu(const void *p) { return vreinterpretq_f64_u8(vld1q_u8((const uint8_t *)p)); }
static inline vd vd_set1(double x) { return vdupq_n_f64(x); }
static inline vd vd_mul(vd a, vd b) { return vmulq_f64(a, b); }
static inline void vd_store(double *p, vd a) { vst1q_f64(p, a); }
static inline vd vd_add(vd a, vd b) { return vaddq_f64(a, b); }
static inline vd vd_sub(vd a, vd b) { return vsubq_f64(a, b); }
static inline vd vd_fnma(vd a, vd b, vd c) { return vfmsq_f64(c, a, b); }
static inline vd vd_fma(vd a, vd b, vd c) { return vfmaq_f64(c, a, b); }
static inline vd vd_fms(vd a, vd b, vd c) { return vfmaq_f64(vnegq_f64(c), a, b); }
static inline vd vd_abs(vd a) { return vabsq_f64(a); }
static inline vd vd_round(vd a) { return vrndnq_f64(a); }
static inline vd vd_and(vd a, vd b) {
  return vreinterpretq_f64_u64(vandq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(b)));
}
static inline vd vd_or(vd a, vd b) {
  return vreinterpretq_f64_u64(vorrq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(b)));
}
static inline vd vd_ge(vd a, vd b) { return vreinterpretq_f64_u64(vcgeq_f64(a, b)); }

/* NEON has no masked store: the end of a row goes through a buffer. */
static inline void vf_store_pairs(float *out, vf s, vf c, int64_t columns) {
  const float32x4x2_t pairs = {{s, c}};
  if (columns >= 8) {
    vst2q_f32(out, pairs);
  } else if (columns > 0) {
    float end[8];
    vst2q_f32(end, pairs);
    memcpy(out, end, (size_t)columns * sizeof(float));
  }
}

static inline vd vd_firsts(const double *pairs, int half) { return vld1q_dup_f64(pairs + 2 * half); }
static inline vd vd_seconds(const double *pairs, int half) { return vld1q_dup_f64(pairs + 2 * half + 1); }
static inline void vd_store_interleaved(double *to, vd a, vd b) {
  const float64x2x2_t pairs = {{a, b}};
  vst2q_f64(to, pairs);
}
/* AArch64 cores recognise streams of ordinary stores by themselves. */
static inline void vd_put(double *to, vd a, int streamed) { (void)streamed, vst1q_f64(to, a); }

typedef float32x4_t vp;

static inline vp vp_join(vd a, vd b) { return vcombine_f32(vcvt_f32_f64(a), vcvt_f32_f64(b)); }

static inline vp vp_interleave(vd s, vd c) {
  const float32x2_t sf = vcvt_f32_f64(s), cf = vcvt_f32_f64(c);
  return vcombine_f32(vzip1_f32(sf, cf), vzip2_f32(sf, cf));
}

/* The sign of a sine is the second bit of q, that of a cosine the second of q + 1. */
static inline vp vp_interleave_rotated(vd s, vd c, vd quarters) {
  const vp a = vp_interleave(s, c);
  static const uint32_t cosines[] = {0, 1, 0, 1};
  const uint32x4_t bits = vreinterpretq_u32_f64(quarters), q = vtrn1q_u32(bits, bits); /* for both of a pair */
  const uint32x4_t second = vshlq_n_u32(vshrq_n_u32(vshlq_n_u32(vaddq_u32(q, vld1q_u32(cosines)), 30), 31), 31);
  const float32x4_t exchanged = vbslq_f32(vtstq_u32(q, vdupq_n_u32(1)), vrev64q_f32(a), a);
  return vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(exchanged), second));
}

static inline void vp_put(float *to, vp a, int streamed) { (void)streamed, vst1q_f32(to, a); }
static inline void vp_store_some(float *to, vp a, int64_t columns) {
  float lanes[4];
  vst1q_f32(lanes, a);
  if (columns > 0)
    memcpy(to, lanes, (size_t)(columns < 4 ? columns : 4) * sizeof(float));
}
static inline void stream_end(void) {}

typedef uint16x4_t vh;

static inline vh vp_to_bf16(vp a) { return vshrn_n_u32(vaddq_u32(vreinterpretq_u32_f32(a), vdupq_n_u32(0x8000)), 16); }
static inline vh vp_to_f16(vp a) { return vreinterpret_u16_f16(vcvt_f16_f32(a)); }
static inline void vh_put(uint16_t *to, vh a, int streamed) { (void)streamed, vst1_u16(to, a); }
static inline int vh_equal(vh a, vh b) { return vminv_u16(vceq_u16(a, b)) != 0; }

typedef uint32x4_t vu;

static inline vu vp_bits(vp a) { return vreinterpretq_u32_f32(a); }
static inline vu vd_bits(vd a) { return vreinterpretq_u32_f64(a); }
static inline vd vd_of_bits(vu a) { return vreinterpretq_f64_u32(a); }
static inline vu vu_set1(uint32_t a) { return vdupq_n_u32(a); }
static inline vu vu_set2(uint32_t low, uint32_t high) {
  return vreinterpretq_u32_u64(vdupq_n_u64((uint64_t)high << 32 | low));
}
static inline vu vu_add(vu a, vu b) { return vaddq_u32(a, b); }
static inline vu vu_and(vu a, vu b) { return vandq_u32(a, b); }
static inline vu vu_select(vd mask, vu a, vu b) { return vbslq_u32(vd_bits(mask), a, b); }
static inline vu vu_min(vu a, vu b) { return vminq_u32(a, b); }
static inline void vu_now(vu *a) { __asm__ volatile("" : "+w"(*a)); }
static inline int vu_equal(vu a, vu b) { return vminvq_u32(vceqq_u32(a, b)) != 0; }
static inline int vu_any_zero(vu a) { return vminvq_u32(a) == 0; }

#include "simd/no_masks.h"

static inline void vg_unzip(vg y, vg z, vp *firsts, vp *seconds) {
  const vp a = vg_floats(y), b = vg_floats(z);
  *firsts = vuzp1q_f32(a, b);
  *seconds = vuzp2q_f32(a, b);
}
