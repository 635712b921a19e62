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
    {NULL, NULL, NULL, NULL, NULL},
};

#else
typedef int posenc_bench_not_x86; /* an empty translation unit is not C */
#endif
