/* simd/simd.h for one lane: `any` without FMA, `fma` with it. */
#include <math.h>
#include <string.h>

typedef double vd;
enum { VD_LANES = 1 };

static inline vd vd_load(const double *p) { return *p; }
static inline void vd_store(double *p, vd a) { *p = a; }
static inline vd vd_loadu(const double *p) { return *p; }
static inline vd vd_set1(double x) { return x; }
static inline vd vd_add(vd a, vd b) { return a + b; }
static inline vd vd_sub(vd a, vd b) { return a - b; }
static inline vd vd_mul(vd a, vd b) { return a * b; }
static inline vd vd_abs(vd a) { return fabs(a); }

/* The sum with 1.5 * 2^52 has no room for a fraction. */
static inline vd vd_round(vd a) {
  volatile double shifted = a + 0x1.8p52;
  return fabs(a) < 0x1p51 ? shifted - 0x1.8p52 : a;
}
static inline uint64_t bits_of(vd a) {
  uint64_t bits;
  memcpy(&bits, &a, sizeof bits);
  return bits;
}
static inline vd of_bits(uint64_t bits) {
  vd a;
  memcpy(&a, &bits, sizeof a);
  return a;
}
static inline vd vd_and(vd a, vd b) { return of_bits(bits_of(a) & bits_of(b)); }
static inline vd vd_or(vd a, vd b) { return of_bits(bits_of(a) | bits_of(b)); }
static inline vd vd_ge(vd a, vd b) { return of_bits(a >= b ? ~UINT64_C(0) : 0); }

#if POSENC_SIMD == POSENC_SIMD_fma
static inline vd vd_fma(vd a, vd b, vd c) { return __builtin_fma(a, b, c); }
static inline vd vd_fnma(vd a, vd b, vd c) { return __builtin_fma(-a, b, c); }
static inline vd vd_fms(vd a, vd b, vd c) { return __builtin_fma(a, b, -c); }
#else
#define POSENC_FUSED 0
static inline vd vd_fma(vd a, vd b, vd c) { return a * b + c; }
static inline vd vd_fnma(vd a, vd b, vd c) { return c - a * b; }
static inline vd vd_fms(vd a, vd b, vd c) { return a * b - c; }
#endif

typedef struct vp {
  float sin, cos;
} vp;

static inline int pair_at(int k, int cosine) { return 2 * k + cosine; }
static inline vd sine_of(const double *pairs, int half) { return pairs[half * 0]; }
static inline vd cosine_of(const double *pairs, int half) { return pairs[half * 0 + 1]; }
static inline void store_pairs(double *to, vd s, vd c) {
  to[0] = s;
  to[1] = c;
}
static inline void load_pairs(const double *from, vd *s, vd *c) {
  *s = from[0];
  *c = from[1];
}
static inline vp vp_join(vd a, vd b) { return (vp){(float)a, (float)b}; }
static inline vp vd_pack(vd s, vd c) { return (vp){(float)s, (float)c}; }
static inline vp vd_pack_rotated(vd s, vd c, vd quarters) {
  const vp a = vd_pack(s, c);
  const uint64_t q = bits_of(quarters);
  const vp b = q & 1 ? (vp){a.cos, -a.sin} : a;
  return q & 2 ? (vp){-b.sin, -b.cos} : b;
}

static inline void vp_store_part(float *out, vp a, int64_t from, int64_t to) {
  if (from <= 0 && to > 0)
    out[0] = a.sin;
  if (from <= 1 && to > 1)
    out[1] = a.cos;
}
static inline void vp_store(float *out, vp a) { memcpy(out, &a, sizeof a); }
static inline void vp_stream(float *out, vp a) { vp_store(out, a); }
static inline vp vp_firsts(vd a, vd b, vd c, vd d) { return (void)b, (void)d, vp_join(a, c); }
static inline vp vp_seconds(vd a, vd b, vd c, vd d) { return (void)a, (void)c, vp_join(b, d); }
static inline vp vp_load(const float *p) { return (vp){p[0], p[1]}; }
static inline vp vp_set1(float a) { return (vp){a, a}; }
static inline vp vp_scaled_sum(vp s, const float *x, vp a) { return (vp){s.sin * x[0] + a.sin, s.cos * x[1] + a.cos}; }
static inline void stream_end(void) {}
static inline uint32_t half_of(float f) {
  const float from_half = fabsf(f) + 0.5f; /* whose last place is float16's least number */
  uint32_t bits, units;
  memcpy(&bits, &f, sizeof bits);
  memcpy(&units, &from_half, sizeof units);
  const uint32_t size = bits & ~(UINT32_C(1) << 31), normal = size + 0xfff + (size >> 13 & 1);
  return (bits >> 16 & 0x8000) |
         (fabsf(f) < 0x1p-14f ? units - (UINT32_C(126) << 23) : (normal >> 13) - ((127 - 15) << 10));
}
typedef uint32_t vh;
static inline vh vp_store_half(uint16_t *out, vp a, vh apart, int streamed) {
  const uint32_t above = half_of(a.sin * HALF_ABOVE) | half_of(a.cos * HALF_ABOVE) << 16;
  const uint32_t below = half_of(a.sin * HALF_BELOW) | half_of(a.cos * HALF_BELOW) << 16;
  (void)streamed;
  memcpy(out, &above, sizeof above);
  return apart | (above ^ below);
}
static inline int vh_any(vh apart) { return apart != 0; }
static inline int vp_equal(vp a, vp b) { return memcmp(&a, &b, sizeof a) == 0; }

typedef struct vx {
  uint32_t sin, cos; /* all bits set where exempt */
} vx;
static inline vx vx_of(vd lanes) {
  vx x;
  memcpy(&x, &lanes, sizeof x);
  return x;
}
static inline vx vx_firsts(vx a, vx b) { return (vx){a.sin, b.sin}; }

typedef struct rounding_test {
  uint32_t low, least;
} rounding_test;

static inline rounding_test test_none(void) { return (rounding_test){~0u, ~0u}; }
static inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t size_of(float x) /* bits of floats without their sign order like integers */
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits & ~(UINT32_C(1) << 31);
}

static inline void test_pairs(rounding_test *k, vd s, vd c, vp packed, vx exempt) {
  k->low = least(k->low, ((uint32_t)bits_of(s) + CHECK_MOVE) << 3);
  k->low = least(k->low, ((uint32_t)bits_of(c) + CHECK_MOVE) << 3);
  k->least = least(k->least, size_of(packed.sin) | exempt.sin);
  k->least = least(k->least, size_of(packed.cos) | exempt.cos);
}

static inline int test_failed(const rounding_test *k) {
  return k->low < CHECK_CLOSE || k->least < size_of(CHECK_SMALL);
}
