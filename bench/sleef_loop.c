/* Compiled once per instruction set, with its flags: sleef.h declares only what they allow. */
#include "sleef_loop.h"

#include <sleef.h>

#if defined(__AVX512F__)

#define LOOP(name, sincos)                                                                                          \
  void name(const float *w, int64_t pairs, int64_t rows, float *out)                                                 \
  {                                                                                                                  \
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);                   \
    const __m512i high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);            \
    for (int64_t i = 0; i < rows; i++) {                                                                             \
      const __m512 position = _mm512_set1_ps((float)i);                                                              \
      for (int64_t k = 0; k < pairs; k += 16, out += 32) {                                                           \
        const Sleef___m512_2 y = sincos(_mm512_mul_ps(position, _mm512_loadu_ps(w + k)));                            \
        _mm512_storeu_ps(out, _mm512_permutex2var_ps(y.x, low, y.y));                                                \
        _mm512_storeu_ps(out + 16, _mm512_permutex2var_ps(y.x, high, y.y));                                          \
      }                                                                                                              \
    }                                                                                                                \
  }

LOOP(sleef_loop_avx512_u10, Sleef_sincosf16_u10avx512f)
LOOP(sleef_loop_avx512_u35, Sleef_sincosf16_u35avx512f)

#elif defined(__AVX2__) && defined(__FMA__)

#define LOOP(name, sincos)                                                                                          \
  void name(const float *w, int64_t pairs, int64_t rows, float *out)                                                 \
  {                                                                                                                  \
    for (int64_t i = 0; i < rows; i++) {                                                                             \
      const __m256 position = _mm256_set1_ps((float)i);                                                              \
      for (int64_t k = 0; k < pairs; k += 8, out += 16) {                                                            \
        const Sleef___m256_2 y = sincos(_mm256_mul_ps(position, _mm256_loadu_ps(w + k)));                            \
        const __m256 even = _mm256_unpacklo_ps(y.x, y.y), odd = _mm256_unpackhi_ps(y.x, y.y);                        \
        _mm256_storeu_ps(out, _mm256_permute2f128_ps(even, odd, 0x20));                                              \
        _mm256_storeu_ps(out + 8, _mm256_permute2f128_ps(even, odd, 0x31));                                          \
      }                                                                                                              \
    }                                                                                                                \
  }

LOOP(sleef_loop_avx2_u10, Sleef_sincosf8_u10avx2)
LOOP(sleef_loop_avx2_u35, Sleef_sincosf8_u35avx2)

#else
#error "compile this file with -mavx2 -mfma, and again with -mavx512f"
#endif
