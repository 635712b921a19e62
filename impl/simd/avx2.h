/* simd/simd.h for AVX2, FMA and F16C. */
#include <immintrin.h>

typedef __m256 vf;
typedef __m256d vd;
enum { VF_LANES = 8, VD_LANES = 4 };

static inline vf vf_load(const float *p) { return _mm256_load_ps(p); }
static inline vf vf_set1(float x) { return _mm256_set1_ps(x); }
static inline vf vf_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
static inline vd vd_load(const double *p) { return _mm256_load_pd(p); }
static inline vd vd_loadu(const double *p) { return _mm256_loadu_pd(p); }
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

/* sine, cosine, sine, ...: what is multiplied comes twice each */
static inline int pair_at(int k, int cosine) { return 2 * k + cosine; }
static inline vd sine_of(const double *pairs, int half) { return _mm256_movedup_pd(_mm256_loadu_pd(pairs + 4 * half)); }
static inline vd cosine_of(const double *pairs, int half) { /* no load reaches beyond the pairs */
  return half ? _mm256_permute_pd(_mm256_load_pd(pairs + 4), 15) : _mm256_movedup_pd(_mm256_loadu_pd(pairs + 1));
}
static inline void store_pairs(double *to, vd s, vd c) {
  const vd even = _mm256_unpacklo_pd(s, c), odd = _mm256_unpackhi_pd(s, c); /* pairs 0 2, 1 3 */
  _mm256_store_pd(to, _mm256_permute2f128_pd(even, odd, 0x20));
  _mm256_store_pd(to + 4, _mm256_permute2f128_pd(even, odd, 0x31));
}
static inline void load_pairs(const double *from, vd *s, vd *c) {
  const vd low = _mm256_load_pd(from), high = _mm256_load_pd(from + 4);
  const vd even = _mm256_permute2f128_pd(low, high, 0x20), odd = _mm256_permute2f128_pd(low, high, 0x31);
  *s = _mm256_unpacklo_pd(even, odd);
  *c = _mm256_unpackhi_pd(even, odd);
}

typedef __m256 vp;

static inline vp vp_join(vd a, vd b) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(a)), _mm256_cvtpd_ps(b), 1);
}

static inline vp vd_pack(vd s, vd c) {
  const __m128 sf = _mm256_cvtpd_ps(s), cf = _mm256_cvtpd_ps(c);
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_unpacklo_ps(sf, cf)), _mm_unpackhi_ps(sf, cf), 1);
}

/* By q, in the lanes of sines, and q + 1, in those of cosines: odd, and the value is a cosine; its second bit is the
 * sign. */
static inline vp vd_pack_rotated(vd s, vd c, vd quarters) {
  const __m256 both = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(s)), _mm256_cvtpd_ps(c), 1);
  const __m256i q = _mm256_shuffle_epi32(_mm256_castpd_si256(quarters), 0xa0); /* in both lanes of a pair */
  const __m256i quarter = _mm256_add_epi32(q, _mm256_setr_epi32(0, 1, 0, 1, 0, 1, 0, 1));
  const __m256i from = _mm256_or_si256(_mm256_slli_epi32(quarter, 2), _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3));
  const __m256 signs = _mm256_setr_ps(0.0f, 0.0f, -0.0f, -0.0f, 0.0f, 0.0f, -0.0f, -0.0f);
  return _mm256_xor_ps(_mm256_permutevar8x32_ps(both, from), _mm256_permutevar_ps(signs, quarter));
}

static inline void vp_store(float *out, vp a) { _mm256_storeu_ps(out, a); }
static inline void vp_store_part(float *out, vp a, int64_t from, int64_t to) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i left = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)from), lane);
  _mm256_maskstore_ps(out, _mm256_andnot_si256(left, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)to), lane)), a);
}
static inline void vp_stream(float *out, vp a) { _mm256_stream_ps(out, a); }
/* Two vectors of pairs, their halves exchanged so that lanes come out in order. */
static inline vp vp_firsts(vd a, vd b, vd c, vd d) { return _mm256_shuffle_ps(vp_join(a, c), vp_join(b, d), 0x88); }
static inline vp vp_seconds(vd a, vd b, vd c, vd d) { return _mm256_shuffle_ps(vp_join(a, c), vp_join(b, d), 0xdd); }
static inline vp vp_load(const float *p) { return _mm256_loadu_ps(p); }
static inline vp vp_set1(float a) { return _mm256_set1_ps(a); }
static inline vp vp_scaled_sum(vp s, const float *x, vp a) {
  return _mm256_add_ps(_mm256_mul_ps(s, _mm256_loadu_ps(x)), a);
}
static inline void stream_end(void) { _mm_sfence(); }
typedef __m128i vh;
static inline vh vp_store_half(uint16_t *out, vp a, vh apart, int streamed) {
  enum { MODE = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
  const __m128i above = _mm256_cvtps_ph(_mm256_mul_ps(a, _mm256_set1_ps(HALF_ABOVE)), MODE);
  const __m128i below = _mm256_cvtps_ph(_mm256_mul_ps(a, _mm256_set1_ps(HALF_BELOW)), MODE);
  if (streamed)
    _mm_stream_si128((__m128i *)(void *)out, above);
  else
    _mm_storeu_si128((__m128i *)(void *)out, above);
  return _mm_or_si128(apart, _mm_xor_si128(above, below));
}
static inline int vh_any(vh apart) { return !_mm_testz_si128(apart, apart); }
static inline int vp_equal(vp a, vp b) {
  return _mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b))) == -1;
}

typedef __m256 vx; /* the bits of -1 in exempt lanes, of -0 in the others */
static inline vx vx_of(vd lanes) {
  return _mm256_or_ps(_mm256_and_ps(_mm256_castpd_ps(lanes), _mm256_set1_ps(-1.0f)), _mm256_set1_ps(-0.0f));
}
static inline vx vx_firsts(vx a, vx b) {
  return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88)), 0xd8));
}

typedef struct rounding_test {
  __m256i low;
  __m256 greatest;
} rounding_test;

static inline rounding_test test_none(void) { return (rounding_test){_mm256_set1_epi32(-1), _mm256_set1_ps(-1.0f)}; }

/* All values are made negative, exempt ones -1 or less. */
static inline void test_pairs(rounding_test *k, vd a, vd b, vp packed, vx exempt) {
  const __m256i low = _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castpd_ps(a), _mm256_castpd_ps(b), 0x88));
  k->low = _mm256_min_epu32(k->low, _mm256_slli_epi32(_mm256_add_epi32(low, _mm256_set1_epi32(CHECK_MOVE)), 3));
  k->greatest = _mm256_max_ps(_mm256_or_ps(packed, exempt), k->greatest);
}

/* One branch for both: of two, GCC moves all that the second needs behind the first, and keeps every vector for it. */
static inline int test_failed(const rounding_test *k) {
  const __m256i least = _mm256_min_epu32(k->low, _mm256_set1_epi32(CHECK_CLOSE - 1));
  const __m256 near_halfway = _mm256_castsi256_ps(_mm256_cmpeq_epi32(least, k->low));
  const __m256 small = _mm256_cmp_ps(k->greatest, _mm256_set1_ps(-CHECK_SMALL), _CMP_GT_OQ);
  return _mm256_movemask_ps(_mm256_or_ps(near_halfway, small)) != 0;
}
