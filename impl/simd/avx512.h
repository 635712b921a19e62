/* simd/simd.h for AVX-512 (F, BW, DQ, VL). */
#define POSENC_FUSED 1
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
static inline vd vd_loadu(const void *p) { return _mm512_loadu_pd(p); }
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

#include "simd/group.h"

static inline vg vg_interleaved(vd a, vd b) { /* a[0], b[0], a[1], ... */
  const __m512i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
  return (vg){_mm512_permutex2var_pd(a, low, b), _mm512_permutex2var_pd(a, high, b)};
}
static inline void vd_store_interleaved(double *to, vd a, vd b) {
  const vg pairs = vg_interleaved(a, b);
  vd_store(to, pairs.a);
  vd_store(to + VD_LANES, pairs.b);
}
static inline void vd_put(double *to, vd a, int streamed) {
  if (streamed)
    _mm512_stream_pd(to, a);
  else
    _mm512_storeu_pd(to, a);
}

typedef __m512 vp;

/* _mm512_castps256_ps512. GCC, up to 12 at least, does it only in the first 16 registers, which can cost two moves. */
static inline __m512 widened(__m256 a) {
#ifdef __clang__
  return _mm512_castps256_ps512(a);
#else
  __m512 wide;
  __asm__("" : "=v"(wide) : "0"(a));
  return wide;
#endif
}

static inline vp vp_join(vd a, vd b) {
  return _mm512_castpd_ps(
      _mm512_insertf64x4(_mm512_castps_pd(widened(_mm512_cvtpd_ps(a))), _mm256_castps_pd(_mm512_cvtpd_ps(b)), 1));
}
static inline vp vp_interleave(vd s, vd c) {
  const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  return _mm512_permutex2var_ps(widened(_mm512_cvtpd_ps(s)), order, widened(_mm512_cvtpd_ps(c)));
}

static inline vp vp_interleave_rotated(vd s, vd c, vd quarters) {
  const vp a = vp_interleave(s, c);
  enum { NEGATED = INT32_MIN };
  const __m512i q = _mm512_castpd_si512(quarters);
  /* By the last three bits of q: the sign of the sine, and of the cosine. */
  const __m512i signs =
      _mm512_setr_epi32(0, 0, 0, NEGATED, NEGATED, NEGATED, NEGATED, 0, 0, 0, 0, NEGATED, NEGATED, NEGATED, NEGATED, 0);
  const __m512i exchanged = _mm512_rolv_epi64(_mm512_castps_si512(a), _mm512_slli_epi64(q, 5)); /* by 32, modulo 64 */
  return _mm512_castsi512_ps(_mm512_xor_si512(exchanged, _mm512_permutexvar_epi64(q, signs)));
}

static inline void vp_put(float *to, vp a, int streamed) {
  if (streamed)
    _mm512_stream_ps(to, a);
  else
    _mm512_storeu_ps(to, a);
}
static inline void vp_store_some(float *to, vp a, int64_t columns) { store_some(to, a, columns); }
static inline void stream_end(void) { _mm_sfence(); }

typedef __m256i vh;

static inline vh vp_to_bf16(vp a) {
  const __m512i up = _mm512_add_epi32(_mm512_castps_si512(a), _mm512_set1_epi32(0x8000));
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(up, 16));
}
static inline vh vp_to_f16(vp a) { return _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
static inline void vh_put(uint16_t *to, vh a, int streamed) {
  if (streamed)
    _mm256_stream_si256((__m256i *)(void *)to, a);
  else
    _mm256_storeu_si256((__m256i *)(void *)to, a);
}
static inline int vh_equal(vh a, vh b) { return _mm256_cmpneq_epi16_mask(a, b) == 0; }

typedef __m512i vu;

static inline vu vp_bits(vp a) { return _mm512_castps_si512(a); }
static inline vu vd_bits(vd a) { return _mm512_castpd_si512(a); }
static inline vd vd_of_bits(vu a) { return _mm512_castsi512_pd(a); }
static inline vu vu_set1(uint32_t a) { return _mm512_set1_epi32((int)a); }
static inline vu vu_set2(uint32_t low, uint32_t high) {
  return _mm512_set1_epi64((int64_t)((uint64_t)high << 32 | low));
}
static inline vu vu_add(vu a, vu b) { return _mm512_add_epi32(a, b); }
static inline vu vu_select(vd mask, vu a, vu b) {
  return _mm512_mask_blend_epi64(_mm512_movepi64_mask(vd_bits(mask)), b, a);
}
static inline int vu_equal(vu a, vu b) { return _mm512_cmpneq_epi32_mask(a, b) == 0; }

/* A group: the first values of its pairs, then the second ones. No load shuffles, and one permutation interleaves. */
enum { VG_APART = VD_LANES };

static inline vg vg_firsts(const double *p) { return (vg){vd_load(p), vd_load(p)}; }
static inline vg vg_seconds(const double *p) { return (vg){vd_load(p + VD_LANES), vd_load(p + VD_LANES)}; }
static inline void vg_store(double *p, vd firsts, vd seconds) {
  vd_store(p, firsts);
  vd_store(p + VD_LANES, seconds);
}
static inline void vg_put(double *to, vg y, int streamed) {
  const vg pairs = vg_interleaved(y.a, y.b);
  vd_put(to, pairs.a, streamed);
  vd_put(to + VD_LANES, pairs.b, streamed);
}
static inline vp vg_floats(vg y) { return vp_interleave(y.a, y.b); }
static inline void vg_unzip(vg y, vg z, vp *firsts, vp *seconds) {
  *firsts = vp_join(y.a, z.a);
  *seconds = vp_join(y.b, z.b);
}

/* A mask for each row. */
typedef struct vtest {
  __mmask16 passed[2];
} vtest;

static inline vtest vtest_start(void) { return (vtest){{0xffff, 0xffff}}; }
static inline void vtest_add(vtest *t, vu a, vu b, vu bits) {
  t->passed[0] = _mm512_mask_test_epi32_mask(t->passed[0], a, bits);
  t->passed[1] = _mm512_mask_test_epi32_mask(t->passed[1], b, bits);
}
static inline unsigned vtest_failed(const vtest *t) {
  return (t->passed[0] != 0xffff) | (unsigned)(t->passed[1] != 0xffff) << 1;
}

#pragma GCC diagnostic pop
