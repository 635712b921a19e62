/* simd/simd.h for AVX2, FMA and F16C. */
#define POSENC_FUSED 1
#include <immintrin.h>

typedef __m256 vf;
typedef __m256d vd;
enum { VF_LANES = 8, VD_LANES = 4 };

static inline vf vf_load(const float *p) { return _mm256_load_ps(p); }
static inline vf vf_set1(float x) { return _mm256_set1_ps(x); }
static inline vf vf_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
static inline vd vd_load(const double *p) { return _mm256_load_pd(p); }
static inline vd vd_loadu(const void *p) { return _mm256_loadu_pd((const double *)p); }
static inline vd vd_set1(double x) { return _mm256_set1_pd(x); }
static inline vd vd_mul(vd a, vd b) { return _mm256_mul_pd(a, b); }
static inline void vd_store(double *p, vd a) { _mm256_storeu_pd(p, a); }
static inline vd vd_add(vd a, vd b) { return _mm256_add_pd(a, b); }
static inline vd vd_sub(vd a, vd b) { return _mm256_sub_pd(a, b); }
static inline vd vd_fnma(vd a, vd b, vd c) { return _mm256_fnmadd_pd(a, b, c); }
static inline vd vd_fma(vd a, vd b, vd c) { return _mm256_fmadd_pd(a, b, c); }
static inline vd vd_fms(vd a, vd b, vd c) { return _mm256_fmsub_pd(a, b, c); }
static inline vd vd_abs(vd a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
static inline vd vd_round(vd a) { return _mm256_round_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
static inline vd vd_and(vd a, vd b) { return _mm256_and_pd(a, b); }
static inline vd vd_or(vd a, vd b) { return _mm256_or_pd(a, b); }
static inline vd vd_ge(vd a, vd b) { return _mm256_cmp_pd(a, b, _CMP_GE_OQ); }

/* Up to 8 floats; a disabled lane is neither written nor touched. */
static inline void store_some(float *out, __m256 v, int64_t columns) {
  if (columns >= 8) {
    _mm256_storeu_ps(out, v);
  } else if (columns > 0) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_maskstore_ps(out, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)columns), lane), v);
  }
}

static inline void vf_store_pairs(float *out, vf s, vf c, int64_t columns) {
  const __m256 low = _mm256_unpacklo_ps(s, c), high = _mm256_unpackhi_ps(s, c); /* per half: pairs 0 1 4 5, 2 3 6 7 */
  store_some(out, _mm256_permute2f128_ps(low, high, 0x20), columns);
  store_some(out + 8, _mm256_permute2f128_ps(low, high, 0x31), columns - 8);
}

/* vmovddup duplicates while it loads. Without this line GCC loads the rotation once, for sines and cosines, and
 * shuffles it twice; to see it, disassemble write_f32. Zen 4: 2 to 4 % of the time of anchored_avx2. */
static inline vd vd_firsts(const double *pairs, int half) {
  __m256d twice;
  __asm__("vmovddup %1, %0" : "=x"(twice) : "m"(*(const __m256d *)(const void *)(pairs + 4 * half)));
  return twice;
}
static inline vd vd_seconds(const double *pairs, int half) {
  return _mm256_permute_pd(_mm256_load_pd(pairs + 4 * half), 15);
}
static inline void vd_store_interleaved(double *to, vd a, vd b) {
  const vd low = _mm256_unpacklo_pd(a, b), high = _mm256_unpackhi_pd(a, b); /* pairs 0 2, 1 3 */
  _mm256_store_pd(to, _mm256_permute2f128_pd(low, high, 0x20));
  _mm256_store_pd(to + 4, _mm256_permute2f128_pd(low, high, 0x31));
}
static inline void vd_put(double *to, vd a, int streamed) {
  if (streamed)
    _mm256_stream_pd(to, a);
  else
    _mm256_storeu_pd(to, a);
}

typedef __m256 vp;

static inline vp vp_join(vd a, vd b) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(a)), _mm256_cvtpd_ps(b), 1);
}

static inline vp vp_interleave(vd s, vd c) {
  const __m128 sf = _mm256_cvtpd_ps(s), cf = _mm256_cvtpd_ps(c);
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_unpacklo_ps(sf, cf)), _mm_unpackhi_ps(sf, cf), 1);
}

/* Lane by lane: an odd number of quarters exchanges sine and cosine; the second bit of q, or of q + 1 for a cosine, is
 * the sign. */
static inline vp vp_interleave_rotated(vd s, vd c, vd quarters) {
  const __m256 both = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(s)), _mm256_cvtpd_ps(c), 1);
  const __m256i q = _mm256_shuffle_epi32(_mm256_castpd_si256(quarters), 0xa0); /* in both lanes of a pair */
  const __m256i quarter = _mm256_add_epi32(q, _mm256_setr_epi32(0, 1, 0, 1, 0, 1, 0, 1));
  const __m256i from = _mm256_or_si256(_mm256_slli_epi32(quarter, 2), _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3));
  const __m256 signs = _mm256_setr_ps(0.0f, 0.0f, -0.0f, -0.0f, 0.0f, 0.0f, -0.0f, -0.0f);
  return _mm256_xor_ps(_mm256_permutevar8x32_ps(both, from), _mm256_permutevar_ps(signs, quarter));
}

static inline void vp_put(float *to, vp a, int streamed) {
  if (streamed) {
    _mm256_stream_ps(to, a);
  } else { /* Two half stores, so that compilers drop the join of vp_join(): it takes the port that conversions to
            * float32 need (Zen 3, Zen 4). */
    _mm_storeu_ps(to, _mm256_castps256_ps128(a));
    _mm_storeu_ps(to + 4, _mm256_extractf128_ps(a, 1));
  }
}
static inline void vp_store_some(float *to, vp a, int64_t columns) { store_some(to, a, columns); }
static inline void stream_end(void) { _mm_sfence(); }

typedef __m128i vh;

static inline vh vp_to_bf16(vp a) {
  const __m256i up = _mm256_add_epi32(_mm256_castps_si256(a), _mm256_set1_epi32(0x8000));
  const __m256i halves = _mm256_setr_epi8(2, 3, 6, 7, 10, 11, 14, 15, -1, -1, -1, -1, -1, -1, -1, -1, 2, 3, 6, 7, 10,
      11, 14, 15, -1, -1, -1, -1, -1, -1, -1, -1);
  return _mm256_castsi256_si128(_mm256_permute4x64_epi64(_mm256_shuffle_epi8(up, halves), 8));
}
static inline vh vp_to_f16(vp a) { return _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
static inline void vh_put(uint16_t *to, vh a, int streamed) {
  if (streamed)
    _mm_stream_si128((__m128i *)(void *)to, a);
  else
    _mm_storeu_si128((__m128i *)(void *)to, a);
}
static inline int vh_equal(vh a, vh b) { return _mm_movemask_epi8(_mm_cmpeq_epi16(a, b)) == 0xffff; }

typedef __m256i vu;

static inline vu vp_bits(vp a) { return _mm256_castps_si256(a); }
static inline vu vd_bits(vd a) { return _mm256_castpd_si256(a); }
static inline vd vd_of_bits(vu a) { return _mm256_castsi256_pd(a); }
static inline vu vu_set1(uint32_t a) { return _mm256_set1_epi32((int)a); }
static inline vu vu_set2(uint32_t low, uint32_t high) {
  return _mm256_set1_epi64x((int64_t)((uint64_t)high << 32 | low));
}
static inline vu vu_add(vu a, vu b) { return _mm256_add_epi32(a, b); }
static inline vu vu_and(vu a, vu b) { return _mm256_and_si256(a, b); }
static inline vu vu_select(vd mask, vu a, vu b) {
  return vd_bits(_mm256_blendv_pd(vd_of_bits(b), vd_of_bits(a), mask));
}
static inline vu vu_min(vu a, vu b) { return _mm256_min_epu32(a, b); }
static inline void vu_now(vu *a) { __asm__ volatile("" : "+x"(*a)); }
static inline int vu_equal(vu a, vu b) { return _mm256_movemask_epi8(_mm256_cmpeq_epi32(a, b)) == -1; }
static inline int vu_any_zero(vu a) { return _mm256_movemask_epi8(_mm256_cmpeq_epi32(a, _mm256_setzero_si256())) != 0; }

#include "simd/no_masks.h"

static inline void vg_unzip(vg y, vg z, vp *firsts, vp *seconds) {
  const __m128 a = _mm256_cvtpd_ps(y.a), b = _mm256_cvtpd_ps(y.b), c = _mm256_cvtpd_ps(z.a), d = _mm256_cvtpd_ps(z.b);
  *firsts = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_shuffle_ps(a, b, 0x88)), _mm_shuffle_ps(c, d, 0x88), 1);
  *seconds = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_shuffle_ps(a, b, 0xdd)), _mm_shuffle_ps(c, d, 0xdd), 1);
}
