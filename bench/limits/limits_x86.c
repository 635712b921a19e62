/* Each width has a function with its own target, selected at run time. The compiler ends the AVX functions in
 * VZEROUPPER, so that they do not slow down later code. */
#if defined(__x86_64__)
#include "limits.h"

#include <immintrin.h>
#include <stdint.h>

#define TARGET(isa) __attribute__((target(isa)))

/* Defines plain stores and non-temporal stores. Plain stores are aligned to the vector even where the buffer is not,
 * because a limit must not pay for stores that split cache lines. Non-temporal stores write whole 64-byte lines; a
 * partial line would be written back in parts. */
#define BOTH(width, isa, vector, set1, plain, direct)                                                                  \
  LIMIT_STORES(store, width, TARGET(isa), vector, set1, plain, width, 4 * LIMIT_LANES(width), (void)0)                 \
  LIMIT_STORES(stream, width, TARGET(isa), vector, set1, direct, 64, 16, _mm_sfence())

BOTH(16, "sse2", __m128, _mm_set1_ps, _mm_store_ps, _mm_stream_ps)
BOTH(32, "avx", __m256, _mm256_set1_ps, _mm256_store_ps, _mm256_stream_ps)
BOTH(64, "avx512f", __m512, _mm512_set1_ps, _mm512_store_ps, _mm512_stream_ps)

/* Converts float64 to float32 and interleaves. Stores each element where it belongs, as a kernel must, so that a vector
 * may split a cache line. */
#define CONVERT(width, isa)                                                                                            \
  TARGET(isa) static void convert_##width(float *out, size_t n) {                                                      \
    for (; n >= 2 * LIMIT_PAIRS; n -= 2 * LIMIT_PAIRS, out += 2 * LIMIT_PAIRS)                                         \
      for (size_t k = 0; k < LIMIT_PAIRS; k += LIMIT_LANES(width) / 2)                                                 \
        convert_pairs_##width(out + 2 * k, k);                                                                         \
    limit_convert_rest(out, n);                                                                                        \
  }

TARGET("sse2") static inline void convert_pairs_16(float *out, size_t k) {
  const __m128 s = _mm_cvtpd_ps(_mm_load_pd(limit_sin + k)), c = _mm_cvtpd_ps(_mm_load_pd(limit_cos + k));
  _mm_storeu_ps(out, _mm_unpacklo_ps(s, c));
}

TARGET("avx") static inline void convert_pairs_32(float *out, size_t k) {
  const __m128 s = _mm256_cvtpd_ps(_mm256_load_pd(limit_sin + k)), c = _mm256_cvtpd_ps(_mm256_load_pd(limit_cos + k));
  _mm256_storeu_ps(out, _mm256_set_m128(_mm_unpackhi_ps(s, c), _mm_unpacklo_ps(s, c)));
}

TARGET("avx512f") static inline void convert_pairs_64(float *out, size_t k) {
  const __m512 s = _mm512_castps256_ps512(_mm512_cvtpd_ps(_mm512_load_pd(limit_sin + k)));
  const __m512 c = _mm512_castps256_ps512(_mm512_cvtpd_ps(_mm512_load_pd(limit_cos + k)));
  const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  _mm512_storeu_ps(out, _mm512_permutex2var_ps(s, order, c));
}

CONVERT(16, "sse2")
CONVERT(32, "avx")
CONVERT(64, "avx512f")

/* __builtin_cpu_supports() also checks that the operating system saves the registers. */
static bool has_avx(void) { return __builtin_cpu_supports("avx") != 0; }

static bool has_avx512(void) { return __builtin_cpu_supports("avx512f") != 0; }

const bench_limit limits[] = {
    {"store", "w:16", NULL, NULL, store_16},
    {"store", "w:32", "AVX", has_avx, store_32},
    {"store", "w:64", "AVX-512", has_avx512, store_64},
    {"stream", "w:16", NULL, NULL, stream_16},
    {"stream", "w:32", "AVX", has_avx, stream_32},
    {"stream", "w:64", "AVX-512", has_avx512, stream_64},
    {"convert", "w:16", NULL, NULL, convert_16},
    {"convert", "w:32", "AVX", has_avx, convert_32},
    {"convert", "w:64", "AVX-512", has_avx512, convert_64},
    {NULL, NULL, NULL, NULL, NULL},
};

#else
typedef int posenc_bench_not_x86; /* an empty translation unit is not C */
#endif
