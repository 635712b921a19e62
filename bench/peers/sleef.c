/* The loops that a user of SLEEF would write by hand. Compiled once per instruction set, with its flags: sleef.h
 * declares only what they allow. PEER_VARIANT: 10 and 35 are SLEEF's float32 functions within 1.0 and 3.5 ULP of the
 * float32 angle's sine; 64 is its float64 ones, of float64 angles, rounded once.
 */
#include "row.h"

#include <sleef.h>
#include <string.h>

#if defined(__AVX512F__)
#define LOW _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#if PEER_VARIANT == 64
enum { LANES = 8 };
static inline void step(double position, const double *w, float *out) {
  const Sleef___m512d_2 y = Sleef_sincosd8_u10avx512f(_mm512_mul_pd(_mm512_set1_pd(position), _mm512_loadu_pd(w)));
  const __m512 sines = _mm512_castps256_ps512(_mm512_cvtpd_ps(y.x)),
               cosines = _mm512_castps256_ps512(_mm512_cvtpd_ps(y.y));
  _mm512_storeu_ps(out, _mm512_permutex2var_ps(sines, LOW, cosines));
}
#else
enum { LANES = 16 };
static inline void step(float position, const float *w, float *out) {
  const __m512 angle = _mm512_mul_ps(_mm512_set1_ps(position), _mm512_loadu_ps(w));
  const Sleef___m512_2 y = PEER_VARIANT == 10 ? Sleef_sincosf16_u10avx512f(angle) : Sleef_sincosf16_u35avx512f(angle);
  _mm512_storeu_ps(out, _mm512_permutex2var_ps(y.x, LOW, y.y));
  _mm512_storeu_ps(out + 16, _mm512_permutex2var_ps(y.x, HIGH, y.y));
}
#endif

#elif defined(__AVX2__) && defined(__FMA__)
#if PEER_VARIANT == 64
enum { LANES = 4 };
static inline void step(double position, const double *w, float *out) {
  const Sleef___m256d_2 y = Sleef_sincosd4_u10avx2(_mm256_mul_pd(_mm256_set1_pd(position), _mm256_loadu_pd(w)));
  const __m128 sines = _mm256_cvtpd_ps(y.x), cosines = _mm256_cvtpd_ps(y.y);
  _mm_storeu_ps(out, _mm_unpacklo_ps(sines, cosines));
  _mm_storeu_ps(out + 4, _mm_unpackhi_ps(sines, cosines));
}
#else
enum { LANES = 8 };
static inline void step(float position, const float *w, float *out) {
  const __m256 angle = _mm256_mul_ps(_mm256_set1_ps(position), _mm256_loadu_ps(w));
  const Sleef___m256_2 y = PEER_VARIANT == 10 ? Sleef_sincosf8_u10avx2(angle) : Sleef_sincosf8_u35avx2(angle);
  const __m256 even = _mm256_unpacklo_ps(y.x, y.y), odd = _mm256_unpackhi_ps(y.x, y.y);
  _mm256_storeu_ps(out, _mm256_permute2f128_ps(even, odd, 0x20));
  _mm256_storeu_ps(out + 8, _mm256_permute2f128_ps(even, odd, 0x31));
}
#endif

#elif defined(__aarch64__)
#if PEER_VARIANT == 64
enum { LANES = 2 };
static inline void step(double position, const double *w, float *out) {
  const Sleef_float64x2_t_2 y = Sleef_sincosd2_u10advsimd(vmulq_f64(vdupq_n_f64(position), vld1q_f64(w)));
  const float32x2x2_t pairs = {{vcvt_f32_f64(y.x), vcvt_f32_f64(y.y)}};
  vst2_f32(out, pairs);
}
#else
enum { LANES = 4 };
static inline void step(float position, const float *w, float *out) {
  const float32x4_t angle = vmulq_f32(vdupq_n_f32(position), vld1q_f32(w));
  const Sleef_float32x4_t_2 y =
      PEER_VARIANT == 10 ? Sleef_sincosf4_u10advsimd(angle) : Sleef_sincosf4_u35advsimd(angle);
  const float32x4x2_t pairs = {{y.x, y.y}};
  vst2q_f32(out, pairs);
}
#endif

#else
#error "compile this file with -mavx2 -mfma, and again with -mavx512f and its kin; or for AArch64"
#endif

static void fill(const void *self, int64_t first, int64_t count, float *out) {
  const peer_table *t = self;
  const int64_t whole = t->pairs / LANES * LANES, rest = t->pairs - whole;
  for (int64_t i = 0; i < count; i++) {
    const peer_real position = (peer_real)(first + i);
    for (int64_t k = 0; k < whole; k += LANES, out += 2 * LANES)
      step(position, t->w + k, out);
    if (rest) {
      float last[2 * LANES];
      step(position, t->w + whole, last);
      memcpy(out, last, (size_t)(2 * rest) * sizeof *out);
      out += 2 * rest;
    }
  }
}

PEER("SLEEF " PEER_STRING(SLEEF_VERSION_MAJOR) "." PEER_STRING(SLEEF_VERSION_MINOR) "." PEER_STRING(
         SLEEF_VERSION_PATCHLEVEL),
    peer_frequencies, peer_free, fill)
