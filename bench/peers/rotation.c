/* Rows by rotation, in float64: each row is the row before turned by its frequencies, two multiplications and two FMAs a
 * pair. Every 64th row of a call begins anew with libmvec, and values are rounded once, to float32. No error bound is
 * stated. Most values that are not the nearest come from the frequencies in float64. A value depends on the row with which
 * the call begins. With AVX2, strips of 32 frequencies were faster than of 16 (Zen 4).
 */
#define PEER_REAL double
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

enum { STRIP = 32, VECTORS = STRIP / LANES, RUN = 64, BLOCK = 256 /* rows */, LARGE = 8 << 20 /* bytes */ };

typedef struct rotations {
  peer_table *table;
  double *sines, *cosines; /* of the frequencies */
} rotations;

static void destroy(void *self) {
  rotations *r = self;
  peer_free(r->table);
  free(r->sines);
  free(r->cosines);
  free(r);
}

/* GCC vectorises the loops with libmvec, unless it unrolls them before: n is no constant here. */
__attribute__((noinline)) static void sines_and_cosines(
    const double *restrict w, double position, int64_t n, double *restrict sines, double *restrict cosines) {
  for (int64_t k = 0; k < n; k++)
    sines[k] = sin(position * w[k]);
  for (int64_t k = 0; k < n; k++)
    cosines[k] = cos(position * w[k]);
}

static void *create(int64_t d_model, double base) {
  const int64_t padded = (d_model / 2 + 31) / 32 * 32;
  const size_t bytes = (size_t)padded * sizeof(double);
  rotations *r = malloc(sizeof *r);
  peer_table *t = peer_frequencies(d_model, base);
  double *sines = aligned_alloc(64, bytes), *cosines = aligned_alloc(64, bytes);
  if (!r || !t || !sines || !cosines) {
    if (t)
      peer_free(t);
    free(r);
    free(sines);
    free(cosines);
    return NULL;
  }
  sines_and_cosines(t->w, 1, padded, sines, cosines);
  *r = (rotations){t, sines, cosines};
  return r;
}

/* Rows of `pairs` pairs of the strip from frequency k on, `row` floats apart; pairs and streamed are constants where they
 * count. */
__attribute__((always_inline)) static inline void rotate(
    const rotations *r, int64_t k, int64_t first, int64_t count, float *out, int64_t row, int64_t pairs, int streamed) {
  double sines[STRIP], cosines[STRIP];
  for (int64_t i = 0; i < count;) {
    const int64_t end = count - i < RUN ? count : i + RUN;
    vector s[VECTORS], c[VECTORS];
    sines_and_cosines(r->table->w + k, (double)(first + i), STRIP, sines, cosines);
    for (int v = 0; v < VECTORS; v++)
      s[v] = OF(loadu_pd)(sines + v * LANES), c[v] = OF(loadu_pd)(cosines + v * LANES);
    for (; i < end; i++) {
      float *const to = out + i * row;
      for (int64_t at = 0; !streamed && at < 2 * pairs; at += 16)
        __builtin_prefetch((const void *)((uintptr_t)to + (size_t)(row + at) * sizeof *to), 1);
      for (int v = 0; v < VECTORS; v++) {
        const vector s1 = OF(load_pd)(r->sines + k + v * LANES), c1 = OF(load_pd)(r->cosines + k + v * LANES),
                     now = s[v];
        if ((v + 1) * LANES <= pairs) {
          put(to + 2 * v * LANES, now, c[v], streamed);
        } else if (v * LANES < pairs) {
          float rest[2 * LANES];
          put(rest, now, c[v], 0);
          memcpy(to + 2 * v * LANES, rest, (size_t)(2 * (pairs - v * LANES)) * sizeof *rest);
        }
        s[v] = OF(fmadd_pd)(c[v], s1, OF(mul_pd)(now, c1));
        c[v] = OF(fnmadd_pd)(now, s1, OF(mul_pd)(c[v], c1));
      }
    }
  }
}

static void fill(const void *self, int64_t first, int64_t count, float *out) {
  const rotations *r = self;
  const int64_t pairs = r->table->pairs, row = 2 * pairs;
  const int streamed = count * row * (int64_t)sizeof *out >= LARGE && row % 16 == 0 && (uintptr_t)out % 64 == 0;
  for (int64_t i = 0; i < count; i += BLOCK)
    for (int64_t k = 0; k < pairs; k += STRIP) {
      const int64_t rows = count - i < BLOCK ? count - i : BLOCK;
      float *const to = out + i * row + 2 * k;
      if (pairs - k < STRIP)
        rotate(r, k, first + i, rows, to, row, pairs - k, 0);
      else if (streamed)
        rotate(r, k, first + i, rows, to, row, STRIP, 1);
      else
        rotate(r, k, first + i, rows, to, row, STRIP, 0);
    }
  if (streamed)
    _mm_sfence();
}

PEER("glibc " PEER_STRING(__GLIBC__) "." PEER_STRING(__GLIBC_MINOR__), create, destroy, fill)
