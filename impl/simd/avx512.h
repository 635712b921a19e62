/* simd/simd.h for AVX-512 (F, BW, DQ, VL). */
#include <immintrin.h>

/* Without optimisation GCC's intrinsics with an immediate are macros, whose all-ones masks change sign. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

typedef __m512 vf;
typedef __m512d vd;
enum { VF_LANES = 16, VD_LANES = 8 };

static inline vf vf_load(const float *p) { return _mm512_load_ps(p); }
static inline vf vf_set1(float x) { return _mm512_set1_ps(x); }
static inline vf vf_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
static inline vd vd_load(const double *p) { return _mm512_load_pd(p); }
static inline vd vd_loadu(const double *p) { return _mm512_loadu_pd(p); }
static inline vd vd_set1(double x) { return _mm512_set1_pd(x); }
static inline vd vd_mul(vd a, vd b) { return _mm512_mul_pd(a, b); }
static inline void vd_store(double *p, vd a) { _mm512_storeu_pd(p, a); }
static inline vd vd_add(vd a, vd b) { return _mm512_add_pd(a, b); }
static inline vd vd_sub(vd a, vd b) { return _mm512_sub_pd(a, b); }
static inline vd vd_fnma(vd a, vd b, vd c) { return _mm512_fnmadd_pd(a, b, c); }
static inline vd vd_fma(vd a, vd b, vd c) { return _mm512_fmadd_pd(a, b, c); }
static inline vd vd_fms(vd a, vd b, vd c) { return _mm512_fmsub_pd(a, b, c); }
static inline vd vd_abs(vd a) { return _mm512_abs_pd(a); }
static inline vd vd_round(vd a) { return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
static inline vd vd_and(vd a, vd b) { return _mm512_and_pd(a, b); }
static inline vd vd_or(vd a, vd b) { return _mm512_or_pd(a, b); }
static inline vd vd_ge(vd a, vd b) {
  return _mm512_castsi512_pd(_mm512_movm_epi64(_mm512_cmp_pd_mask(a, b, _CMP_GE_OQ)));
}

/* Up to 16 floats; a disabled lane is neither written nor touched. */
static inline void store_some(float *out, __m512 v, int64_t columns) {
  if (columns >= 16)
    _mm512_storeu_ps(out, v);
  else if (columns > 0)
    _mm512_mask_storeu_ps(out, (__mmask16)((1u << columns) - 1), v);
}

static inline void vf_store_pairs(float *out, vf s, vf c, int64_t columns) {
  const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
  store_some(out, _mm512_permutex2var_ps(s, low, c), columns);
  store_some(out + 16, _mm512_permutex2var_ps(s, high, c), columns - 16);
}

/* 8 sines, 8 cosines */
static inline int pair_at(int k, int cosine) { return k / 8 * 16 + cosine * 8 + k % 8; }
static inline void store_pairs(double *to, vd s, vd c) {
  _mm512_store_pd(to, s);
  _mm512_store_pd(to + 8, c);
}
static inline void load_pairs(const double *from, vd *s, vd *c) {
  *s = _mm512_load_pd(from);
  *c = _mm512_load_pd(from + 8);
}
/* of both halves */
static inline vd sine_of(const double *pairs, int half) {
  (void)half;
  return _mm512_load_pd(pairs);
}
static inline vd cosine_of(const double *pairs, int half) {
  (void)half;
  return _mm512_load_pd(pairs + 8);
}

typedef __m512 vp;

/* _mm512_castps256_ps512, which GCC up to 12 at least does only in the first 16 registers: two moves where they are
 * taken. */
static inline __m512 widened(__m256 a) {
#ifdef __clang__
  return _mm512_castps256_ps512(a);
#else
  __m512 wide;
  __asm__("" : "=v"(wide) : "0"(a));
  return wide;
#endif
}

static inline vp vd_pack(vd s, vd c) {
  const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  return _mm512_permutex2var_ps(widened(_mm512_cvtpd_ps(s)), order, widened(_mm512_cvtpd_ps(c)));
}

static inline vp vp_join(vd s, vd c) { return vd_pack(s, c); }
static inline vp vd_pack_rotated(vd s, vd c, vd quarters) {
  const vp a = vd_pack(s, c);
  enum { NEGATED = INT32_MIN };
  const __m512i q = _mm512_castpd_si512(quarters);
  /* for 3 bits */
  const __m512i signs =
      _mm512_setr_epi32(0, 0, 0, NEGATED, NEGATED, NEGATED, NEGATED, 0, 0, 0, 0, NEGATED, NEGATED, NEGATED, NEGATED, 0);
  const __m512i exchanged = _mm512_rolv_epi64(_mm512_castps_si512(a), _mm512_slli_epi64(q, 5)); /* by 32, modulo 64 */
  return _mm512_castsi512_ps(_mm512_xor_si512(exchanged, _mm512_permutexvar_epi64(q, signs)));
}

static inline void vp_store(float *out, vp a) { _mm512_storeu_ps(out, a); }
static inline void vp_store_part(float *out, vp a, int64_t from, int64_t to) {
  _mm512_mask_storeu_ps(out, (__mmask16)((0xffffu << from) & 0xffffu >> (16 - to)), a);
}
static inline void vp_stream(float *out, vp a) { _mm512_stream_ps(out, a); }
static inline vp joined(vd a, vd b) {
  return _mm512_castpd_ps(
      _mm512_insertf64x4(_mm512_castps_pd(widened(_mm512_cvtpd_ps(a))), _mm256_castps_pd(_mm512_cvtpd_ps(b)), 1));
}
static inline vp vp_firsts(vd a, vd b, vd c, vd d) { return (void)b, (void)d, joined(a, c); }
static inline vp vp_seconds(vd a, vd b, vd c, vd d) { return (void)a, (void)c, joined(b, d); }
static inline vp vp_load(const float *p) { return _mm512_loadu_ps(p); }
static inline vp vp_set1(float a) { return _mm512_set1_ps(a); }
static inline vp vp_scaled_sum(vp s, const float *x, vp a) {
  return _mm512_add_ps(_mm512_mul_ps(s, _mm512_loadu_ps(x)), a);
}
static inline void stream_end(void) { _mm_sfence(); }
typedef __mmask16 vh;
static inline vh vp_store_half(uint16_t *out, vp a, vh apart, int streamed) {
  enum { MODE = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
  const __m256i above = _mm512_cvtps_ph(_mm512_mul_ps(a, _mm512_set1_ps(HALF_ABOVE)), MODE);
  const __m256i below = _mm512_cvtps_ph(_mm512_mul_ps(a, _mm512_set1_ps(HALF_BELOW)), MODE);
  if (streamed)
    _mm256_stream_si256((__m256i *)(void *)out, above);
  else
    _mm256_storeu_si256((__m256i *)(void *)out, above);
  return (vh)(apart | _mm256_cmpneq_epi16_mask(above, below));
}
static inline int vh_any(vh apart) { return apart != 0; }
static inline int vp_equal(vp a, vp b) {
  return _mm512_cmpneq_epi32_mask(_mm512_castps_si512(a), _mm512_castps_si512(b)) == 0;
}

typedef __mmask16 vx; /* lanes that are not exempt */
static inline vx vx_of(vd lanes) { return (vx)~_mm512_movepi32_mask(_mm512_castpd_si512(lanes)); }
static inline vx vx_firsts(vx a, vx b) {
  return (vx)(_mm512_movepi64_mask(_mm512_movm_epi32(a)) | _mm512_movepi64_mask(_mm512_movm_epi32(b)) << 8);
}

typedef struct rounding_test {
  __mmask16 far; /* lanes that have not been near halfway */
  __m512 least;
} rounding_test;

static inline rounding_test test_none(void) { return (rounding_test){0xffff, _mm512_set1_ps(1.0f)}; }

static inline void test_pairs(rounding_test *k, vd s, vd c, vp packed, vx counts) {
  const __m512i low = _mm512_castps_si512(_mm512_shuffle_ps(_mm512_castpd_ps(s), _mm512_castpd_ps(c), 0x88));
  const __m512i moved = _mm512_add_epi32(low, _mm512_set1_epi32(CHECK_MOVE));
  k->far = _mm512_mask_test_epi32_mask(k->far, moved, _mm512_set1_epi32(CHECK_FIELD));
  enum { LEAST_MAGNITUDE = 2, CLEAR_SIGN = 2 << 2 };
  k->least = _mm512_mask_range_ps(k->least, counts, k->least, packed, LEAST_MAGNITUDE | CLEAR_SIGN);
}

static inline int test_failed(const rounding_test *k) {
  return _mm512_mask_cmp_ps_mask(k->far, k->least, _mm512_set1_ps(CHECK_SMALL), _CMP_GE_OQ) != 0xffff;
}

#pragma GCC diagnostic pop
