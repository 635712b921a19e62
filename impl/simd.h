/* The few vector operations the kernels need, for the instruction set of the row being compiled.
 *
 *   vf, VF_LANES      float32 vector; vf_load (64-byte aligned), vf_set1, vf_mul
 *   vd, VD_LANES      float64 vector; vd_load, vd_set1, vd_mul
 *   vf_store_pairs    writes min(columns, 2 VF_LANES) floats: sin[0], cos[0], sin[1], ... and nothing beyond
 *   vd_store_pairs    the same from float64 vectors, each value rounded once; 2 VD_LANES floats at most
 *
 * The row's instruction set decides, not what -march allows: an avx2 row stays an avx2 row everywhere.
 */
#ifndef POSENC_SIMD_H
#define POSENC_SIMD_H

#include "kernel.h"

#define POSENC_SIMD_avx2 1
#define POSENC_SIMD_avx512 2
#define POSENC_SIMD_neon 3
#define POSENC_SIMD POSENC_CAT(POSENC_SIMD_, POSENC_ISA)

#if POSENC_SIMD == POSENC_SIMD_avx512
#include <immintrin.h>

typedef __m512 vf;
typedef __m512d vd;
enum { VF_LANES = 16, VD_LANES = 8 };

static inline vf vf_load(const float *p) { return _mm512_load_ps(p); }
static inline vf vf_set1(float x) { return _mm512_set1_ps(x); }
static inline vf vf_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
static inline vd vd_load(const double *p) { return _mm512_load_pd(p); }
static inline vd vd_set1(double x) { return _mm512_set1_pd(x); }
static inline vd vd_mul(vd a, vd b) { return _mm512_mul_pd(a, b); }

/* Up to 16 floats; a disabled lane is neither written nor touched. */
static inline void store_some(float *out, __m512 v, int64_t columns)
{
  if (columns >= 16)
    _mm512_storeu_ps(out, v);
  else if (columns > 0)
    _mm512_mask_storeu_ps(out, (__mmask16)((1u << columns) - 1), v);
}

static inline void vf_store_pairs(float *out, vf s, vf c, int64_t columns)
{
  const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
  store_some(out, _mm512_permutex2var_ps(s, low, c), columns);
  store_some(out + 16, _mm512_permutex2var_ps(s, high, c), columns - 16);
}

static inline void vd_store_pairs(float *out, vd s, vd c, int64_t columns)
{
  const __m512i order = _mm512_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  const __m512 both = _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(s)), _mm512_cvtpd_ps(c), 1);
  store_some(out, _mm512_permutexvar_ps(order, both), columns);
}

#elif POSENC_SIMD == POSENC_SIMD_avx2
#include <immintrin.h>

typedef __m256 vf;
typedef __m256d vd;
enum { VF_LANES = 8, VD_LANES = 4 };

static inline vf vf_load(const float *p) { return _mm256_load_ps(p); }
static inline vf vf_set1(float x) { return _mm256_set1_ps(x); }
static inline vf vf_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
static inline vd vd_load(const double *p) { return _mm256_load_pd(p); }
static inline vd vd_set1(double x) { return _mm256_set1_pd(x); }
static inline vd vd_mul(vd a, vd b) { return _mm256_mul_pd(a, b); }

/* Up to 8 floats; a disabled lane is neither written nor touched. */
static inline void store_some(float *out, __m256 v, int64_t columns)
{
  if (columns >= 8) {
    _mm256_storeu_ps(out, v);
  } else if (columns > 0) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_maskstore_ps(out, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)columns), lane), v);
  }
}

static inline void vf_store_pairs(float *out, vf s, vf c, int64_t columns)
{
  const __m256 low = _mm256_unpacklo_ps(s, c), high = _mm256_unpackhi_ps(s, c); /* per half: pairs 0 1 4 5, 2 3 6 7 */
  store_some(out, _mm256_permute2f128_ps(low, high, 0x20), columns);
  store_some(out + 8, _mm256_permute2f128_ps(low, high, 0x31), columns - 8);
}

static inline void vd_store_pairs(float *out, vd s, vd c, int64_t columns)
{
  const __m128 sf = _mm256_cvtpd_ps(s), cf = _mm256_cvtpd_ps(c);
  const __m256 low = _mm256_castps128_ps256(_mm_unpacklo_ps(sf, cf));
  store_some(out, _mm256_insertf128_ps(low, _mm_unpackhi_ps(sf, cf), 1), columns);
}

#elif POSENC_SIMD == POSENC_SIMD_neon
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

#else
#error "simd.h has no section for this row's instruction set"
#endif

#endif
