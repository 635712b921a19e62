/* Rows by rotation, in float64: each row is the row before turned by its frequencies, four multiplications and FMAs a
 * pair, and every 64 rows begin anew with libmvec's sines and cosines. Each value is rounded once, to float32. It is the
 * fast way without a proof: errors grow within the 64 rows, so a few values are not the nearest ones, and a value depends on
 * the row with which the call begins. 32 frequencies at a time stay in registers.
 */
#include "row.h"

#include <immintrin.h>

#ifdef __AVX512F__
typedef __m512d vector;
enum { LANES = 8 };
#define OF(operation) _mm512_##operation
/* sin[0], cos[0], sin[1], ... */
static inline void put(float *to, vector sines, vector cosines, int streamed) {
  const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512 a = _mm512_castps256_ps512(_mm512_cvtpd_ps(sines)), b = _mm512_castps256_ps512(_mm512_cvtpd_ps(cosines));
  const __m512 pairs = _mm512_permutex2var_ps(a, order, b);
  if (streamed)
    _mm512_stream_ps(to, pairs);
  else
    _mm512_storeu_ps(to, pairs);
}
#else
typedef __m256d vector;
enum { LANES = 4 };
#define OF(operation) _mm256_##operation
static inline void put(float *to, vector sines, vector cosines, int streamed) {
  const __m128 a = _mm256_cvtpd_ps(sines), b = _mm256_cvtpd_ps(cosines);
  const __m256 pairs = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_unpacklo_ps(a, b)), _mm_unpackhi_ps(a, b), 1);
  if (streamed)
    _mm256_stream_ps(to, pairs);
  else
    _mm256_storeu_ps(to, pairs);
}
#endif

enum { STRIP = 32, VECTORS = STRIP / LANES, RUN = 64, LARGE = 8 << 20 /* bytes */ };

/* Sines and cosines of a strip at a position. GCC vectorises the loops with libmvec. */
static void begin(const double *w, double position, double *sines, double *cosines) {
  for (int k = 0; k < STRIP; k++)
    sines[k] = sin(position * w[k]);
  for (int k = 0; k < STRIP; k++)
    cosines[k] = cos(position * w[k]);
}

/* Rows of `pairs` pairs of a strip, `row` floats apart; pairs and streamed are constants where they count. */
__attribute__((always_inline)) static inline void rotate(
    const double *w, int64_t first, int64_t count, float *out, int64_t row, int64_t pairs, int streamed) {
  double c1[STRIP] __attribute__((aligned(64))), s1[STRIP] __attribute__((aligned(64))), a[STRIP], b[STRIP];
  begin(w, 1, s1, c1);
  for (int64_t i = 0; i < count;) {
    const int64_t end = count - i < RUN ? count : i + RUN;
    vector s[VECTORS], c[VECTORS];
    begin(w, (double)(first + i), a, b);
    for (int v = 0; v < VECTORS; v++)
      s[v] = OF(loadu_pd)(a + v * LANES), c[v] = OF(loadu_pd)(b + v * LANES);
    for (; i < end; i++) {
      float *const to = out + i * row;
      for (int at = 0; !streamed && at < 2 * pairs; at += 16)
        __builtin_prefetch(to + row + at, 1);
      for (int v = 0; v < VECTORS; v++) {
        const vector cos1 = OF(load_pd)(c1 + v * LANES), sin1 = OF(load_pd)(s1 + v * LANES), before = s[v];
        if ((v + 1) * LANES <= pairs) {
          put(to + 2 * v * LANES, before, c[v], streamed);
        } else if (v * LANES < pairs) {
          float rest[2 * LANES];
          put(rest, before, c[v], 0);
          memcpy(to + 2 * v * LANES, rest, (size_t)(2 * (pairs - v * LANES)) * sizeof *rest);
        }
        s[v] = OF(fmadd_pd)(c[v], sin1, OF(mul_pd)(before, cos1));
        c[v] = OF(fnmadd_pd)(before, sin1, OF(mul_pd)(c[v], cos1));
      }
    }
  }
}

static void fill(const void *self, int64_t first, int64_t count, float *out) {
  const peer_table_f64 *t = self;
  const int64_t row = 2 * t->pairs;
  const int streamed = count * row * (int64_t)sizeof *out >= LARGE && row % 16 == 0 && (uintptr_t)out % 64 == 0;
  for (int64_t k = 0; k < t->pairs; k += STRIP) {
    if (t->pairs - k < STRIP)
      rotate(t->w + k, first, count, out + 2 * k, row, t->pairs - k, 0);
    else if (streamed)
      rotate(t->w + k, first, count, out + 2 * k, row, STRIP, 1);
    else
      rotate(t->w + k, first, count, out + 2 * k, row, STRIP, 0);
  }
  if (streamed)
    _mm_sfence();
}

PEER("glibc " PEER_STRING(__GLIBC__) "." PEER_STRING(__GLIBC_MINOR__), peer_frequencies_f64, peer_free_f64, fill)
