/* Compiled once per instruction set, with its flags: sleef.h declares only what they allow. Nothing here is shared with
 * impl/, or a fault there would slow down both sides of the comparison. */
#include "sleef_loop.h"

#include <sleef.h>

#define LOOP(name, real, lanes, vector, pair, set1, mul, load, store, sincos)                                       \
  void name(const real *w, int64_t pairs, int64_t rows, float *out)                                                  \
  {                                                                                                                  \
    for (int64_t i = 0; i < rows; i++) {                                                                             \
      const vector position = set1((real)i);                                                                         \
      for (int64_t k = 0; k < pairs; k += (lanes), out += 2 * (lanes)) {                                             \
        const pair y = sincos(mul(position, load(w + k)));                                                           \
        store(out, y.x, y.y);                                                                                        \
      }                                                                                                              \
    }                                                                                                                \
  }

#if defined(__AVX512F__)

static inline void store_ps(float *out, __m512 s, __m512 c)
{
  const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  _mm512_storeu_ps(out, _mm512_permutex2var_ps(s, low, c));
  _mm512_storeu_ps(out + 16, _mm512_permutex2var_ps(s, high, c));
}

static inline void store_pd(float *out, __m512d s, __m512d c)
{
  const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512 sines = _mm512_castps256_ps512(_mm512_cvtpd_ps(s)), cosines = _mm512_castps256_ps512(_mm512_cvtpd_ps(c));
  _mm512_storeu_ps(out, _mm512_permutex2var_ps(sines, order, cosines));
}

#define LOOP_F32(name, sincos)                                                                                      \
  LOOP(name, float, 16, __m512, Sleef___m512_2, _mm512_set1_ps, _mm512_mul_ps, _mm512_loadu_ps, store_ps, sincos)
LOOP_F32(sleef_loop_avx512_u10, Sleef_sincosf16_u10avx512f)
LOOP_F32(sleef_loop_avx512_u35, Sleef_sincosf16_u35avx512f)
LOOP(sleef_loop_avx512_f64, double, 8, __m512d, Sleef___m512d_2, _mm512_set1_pd, _mm512_mul_pd, _mm512_loadu_pd,
     store_pd, Sleef_sincosd8_u10avx512f)

#elif defined(__AVX2__) && defined(__FMA__)

static inline void store_ps(float *out, __m256 s, __m256 c)
{
  const __m256 even = _mm256_unpacklo_ps(s, c), odd = _mm256_unpackhi_ps(s, c);
  _mm256_storeu_ps(out, _mm256_permute2f128_ps(even, odd, 0x20));
  _mm256_storeu_ps(out + 8, _mm256_permute2f128_ps(even, odd, 0x31));
}

static inline void store_pd(float *out, __m256d s, __m256d c)
{
  const __m128 sines = _mm256_cvtpd_ps(s), cosines = _mm256_cvtpd_ps(c);
  _mm_storeu_ps(out, _mm_unpacklo_ps(sines, cosines));
  _mm_storeu_ps(out + 4, _mm_unpackhi_ps(sines, cosines));
}

#define LOOP_F32(name, sincos)                                                                                      \
  LOOP(name, float, 8, __m256, Sleef___m256_2, _mm256_set1_ps, _mm256_mul_ps, _mm256_loadu_ps, store_ps, sincos)
LOOP_F32(sleef_loop_avx2_u10, Sleef_sincosf8_u10avx2)
LOOP_F32(sleef_loop_avx2_u35, Sleef_sincosf8_u35avx2)
LOOP(sleef_loop_avx2_f64, double, 4, __m256d, Sleef___m256d_2, _mm256_set1_pd, _mm256_mul_pd, _mm256_loadu_pd, store_pd,
     Sleef_sincosd4_u10avx2)

#elif defined(__aarch64__)

static inline void store_ps(float *out, float32x4_t s, float32x4_t c)
{
  const float32x4x2_t pairs = {{s, c}};
  vst2q_f32(out, pairs);
}

static inline void store_pd(float *out, float64x2_t s, float64x2_t c)
{
  const float32x2x2_t pairs = {{vcvt_f32_f64(s), vcvt_f32_f64(c)}};
  vst2_f32(out, pairs);
}

#define LOOP_F32(name, sincos)                                                                                      \
  LOOP(name, float, 4, float32x4_t, Sleef_float32x4_t_2, vdupq_n_f32, vmulq_f32, vld1q_f32, store_ps, sincos)
LOOP_F32(sleef_loop_neon_u10, Sleef_sincosf4_u10advsimd)
LOOP_F32(sleef_loop_neon_u35, Sleef_sincosf4_u35advsimd)
LOOP(sleef_loop_neon_f64, double, 2, float64x2_t, Sleef_float64x2_t_2, vdupq_n_f64, vmulq_f64, vld1q_f64, store_pd,
     Sleef_sincosd2_u10advsimd)

#else
#error "compile this file with -mavx2 -mfma, and again with -mavx512f; or for AArch64"
#endif
