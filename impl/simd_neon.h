/* simd.h for AArch64, whose baseline has it. */
#include <arm_neon.h>
#include <string.h>

typedef float32x4_t vf;
typedef float64x2_t vd;
enum { VF_LANES = 4, VD_LANES = 2 };

static inline vf vf_load(const float *p) { return vld1q_f32(p); }
static inline vf vf_set1(float x) { return vdupq_n_f32(x); }
static inline vf vf_mul(vf a, vf b) { return vmulq_f32(a, b); }
static inline vd vd_load(const double *p) { return vld1q_f64(p); }
static inline vd vd_set1(double x) { return vdupq_n_f64(x); }
static inline vd vd_mul(vd a, vd b) { return vmulq_f64(a, b); }
static inline void vd_store(double *p, vd a) { vst1q_f64(p, a); }
static inline vd vd_add(vd a, vd b) { return vaddq_f64(a, b); }
static inline vd vd_sub(vd a, vd b) { return vsubq_f64(a, b); }
static inline vd vd_fnma(vd a, vd b, vd c) { return vfmsq_f64(c, a, b); }
static inline vd vd_fma(vd a, vd b, vd c) { return vfmaq_f64(c, a, b); }
static inline vd vd_abs(vd a) { return vabsq_f64(a); }
static inline vd vd_round(vd a) { return vrndnq_f64(a); }
static inline vd vd_and(vd a, vd b)
{
  return vreinterpretq_f64_u64(vandq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(b)));
}
static inline vd vd_or(vd a, vd b)
{
  return vreinterpretq_f64_u64(vorrq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(b)));
}
static inline vd vd_min(vd a, vd b) { return vminq_f64(a, b); }
static inline vd vd_ge(vd a, vd b) { return vreinterpretq_f64_u64(vcgeq_f64(a, b)); }

/* NEON has no masked store: the end of a row goes through a buffer. */
static inline void vf_store_pairs(float *out, vf s, vf c, int64_t columns)
{
  const float32x4x2_t pairs = {{s, c}};
  if (columns >= 8) {
    vst2q_f32(out, pairs);
  } else if (columns > 0) {
    float end[8];
    vst2q_f32(end, pairs);
    memcpy(out, end, (size_t)columns * sizeof(float));
  }
}

static inline void vd_store_pairs(float *out, vd s, vd c, int64_t columns)
{
  const float32x2x2_t pairs = {{vcvt_f32_f64(s), vcvt_f32_f64(c)}};
  if (columns >= 4) {
    vst2_f32(out, pairs);
  } else if (columns > 0) {
    float end[4];
    vst2_f32(end, pairs);
    memcpy(out, end, (size_t)columns * sizeof(float));
  }
}

typedef struct check {
  uint32x4_t low, high;
} check;

static inline check check_none(void) { return (check){vdupq_n_u32(~0u), vdupq_n_u32(~0u)}; }

static inline vd check_exempt(vd s, vd c)
{
  return vreinterpretq_f64_u32(vuzp2q_u32(vreinterpretq_u32_f64(s), vreinterpretq_u32_f64(c)));
}

static inline void check_values(check *k, vd s, vd c, vd exempt)
{
  const uint32x4_t low = vuzp1q_u32(vreinterpretq_u32_f64(s), vreinterpretq_u32_f64(c));
  k->low = vminq_u32(k->low, vshlq_n_u32(vaddq_u32(low, vdupq_n_u32(CHECK_MOVE)), 3));
  k->high = vandq_u32(k->high, vreinterpretq_u32_f64(vd_or(check_exempt(s, c), exempt)));
}

static inline int check_flagged(const check *k)
{
  const uint32x4_t large = vdupq_n_u32(CHECK_LARGE);
  return vminvq_u32(k->low) < CHECK_CLOSE || vminvq_u32(vceqq_u32(vandq_u32(k->high, large), large)) == 0;
}

/* One line of 16 floats: plain stores, which AArch64 cores recognise as streams by themselves. */
static inline void stream_line(float *to, const float *from) { memcpy(to, from, 64); }
static inline void stream_end(void) {}
