/* simd/simd.h for AArch64, whose baseline has it. */
#include <arm_neon.h>
#include <string.h>

typedef float32x4_t vf;
typedef float64x2_t vd;
enum { VF_LANES = 4, VD_LANES = 2 };

static inline vf vf_load(const float *p) { return vld1q_f32(p); }
static inline vf vf_set1(float x) { return vdupq_n_f32(x); }
static inline vf vf_mul(vf a, vf b) { return vmulq_f32(a, b); }
static inline vd vd_load(const double *p) { return vld1q_f64(p); }
static inline vd vd_loadu(const double *p) { return vld1q_f64(p); }
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

/* sine, cosine, sine, ...: what is multiplied comes twice each */
static inline int pair_at(int k, int cosine) { return 2 * k + cosine; }
static inline vd sine_of(const double *pairs, int half) { return vld1q_dup_f64(pairs + 2 * half); }
static inline vd cosine_of(const double *pairs, int half) { return vld1q_dup_f64(pairs + 2 * half + 1); }
static inline void store_pairs(double *to, vd s, vd c) {
  const float64x2x2_t pairs = {{s, c}};
  vst2q_f64(to, pairs);
}
static inline void load_pairs(const double *from, vd *s, vd *c) {
  const float64x2x2_t pairs = vld2q_f64(from);
  *s = pairs.val[0];
  *c = pairs.val[1];
}

typedef float32x4_t vp;

static inline vp vp_join(vd a, vd b) { return vcombine_f32(vcvt_f32_f64(a), vcvt_f32_f64(b)); }

static inline vp vd_pack(vd s, vd c) {
  const float32x2_t sf = vcvt_f32_f64(s), cf = vcvt_f32_f64(c);
  return vcombine_f32(vzip1_f32(sf, cf), vzip2_f32(sf, cf));
}

/* The sign of a sine is the second bit of q, that of a cosine the second of q + 1. */
static inline vp vd_pack_rotated(vd s, vd c, vd quarters) {
  const vp a = vd_pack(s, c);
  static const uint32_t cosines[] = {0, 1, 0, 1};
  const uint32x4_t bits = vreinterpretq_u32_f64(quarters), q = vtrn1q_u32(bits, bits); /* for both of a pair */
  const uint32x4_t second = vshlq_n_u32(vshrq_n_u32(vshlq_n_u32(vaddq_u32(q, vld1q_u32(cosines)), 30), 31), 31);
  const float32x4_t exchanged = vbslq_f32(vtstq_u32(q, vdupq_n_u32(1)), vrev64q_f32(a), a);
  return vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(exchanged), second));
}

static inline void vp_store(float *out, vp a) { vst1q_f32(out, a); }
static inline void vp_store_part(float *out, vp a, int64_t from, int64_t to) {
  float lanes[4];
  vst1q_f32(lanes, a);
  if (to > from)
    memcpy(out + from, lanes + from, (size_t)(to - from) * sizeof(float));
}

/* Plain stores, which AArch64 cores recognise as streams by themselves. */
static inline void vp_stream(float *out, vp a) { vst1q_f32(out, a); }
static inline vp vp_firsts(vd a, vd b, vd c, vd d) { return vuzp1q_f32(vp_join(a, b), vp_join(c, d)); }
static inline vp vp_seconds(vd a, vd b, vd c, vd d) { return vuzp2q_f32(vp_join(a, b), vp_join(c, d)); }
static inline vp vp_load(const float *p) { return vld1q_f32(p); }
static inline vp vp_set1(float a) { return vdupq_n_f32(a); }
static inline vp vp_scaled_sum(vp s, const float *x, vp a) { return vaddq_f32(vmulq_f32(s, vld1q_f32(x)), a); }
static inline void stream_end(void) {}
typedef uint16x4_t vh;
static inline vh vp_store_half(uint16_t *out, vp a, vh apart, int streamed) {
  const uint16x4_t above = vreinterpret_u16_f16(vcvt_f16_f32(vmulq_n_f32(a, HALF_ABOVE)));
  const uint16x4_t below = vreinterpret_u16_f16(vcvt_f16_f32(vmulq_n_f32(a, HALF_BELOW)));
  (void)streamed;
  vst1_u16(out, above);
  return vorr_u16(apart, veor_u16(above, below));
}
static inline int vh_any(vh apart) { return vmaxv_u16(apart) != 0; }
static inline int vp_equal(vp a, vp b) {
  return vminvq_u32(vceqq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b))) != 0;
}

typedef uint32x4_t vx; /* all bits set in exempt lanes, the sign's in the others */
static inline vx vx_of(vd lanes) { return vorrq_u32(vreinterpretq_u32_f64(lanes), vdupq_n_u32(UINT32_C(1) << 31)); }
static inline vx vx_firsts(vx a, vx b) { return vuzp1q_u32(a, b); }

typedef struct rounding_test {
  uint32x4_t low, least;
} rounding_test;

static inline rounding_test test_none(void) { return (rounding_test){vdupq_n_u32(~0u), vdupq_n_u32(~0u)}; }

/* Bits of floats of one sign order like integers. */
static inline void test_pairs(rounding_test *k, vd s, vd c, vp packed, vx exempt) {
  const uint32x4_t low = vuzp1q_u32(vreinterpretq_u32_f64(s), vreinterpretq_u32_f64(c));
  k->low = vminq_u32(k->low, vshlq_n_u32(vaddq_u32(low, vdupq_n_u32(CHECK_MOVE)), 3));
  k->least = vminq_u32(k->least, vorrq_u32(vreinterpretq_u32_f32(packed), exempt));
}

static inline int test_failed(const rounding_test *k) {
  const uint32x4_t small = vreinterpretq_u32_f32(vdupq_n_f32(-CHECK_SMALL));
  return vminvq_u32(k->low) < CHECK_CLOSE || vminvq_u32(vcgeq_u32(k->least, small)) == 0;
}
