/* simd/simd.h for one lane: `any` without FMA, `fma` with it. */
#include <math.h>
#include <string.h>

typedef double vd;
enum { VD_LANES = 1 };

static inline vd vd_load(const double *p) { return *p; }
static inline void vd_store(double *p, vd a) { memcpy(p, &a, sizeof a); } /* other types are read there */
static inline vd vd_loadu(const void *p) {
  vd a;
  memcpy(&a, p, sizeof a);
  return a;
}
static inline vd vd_set1(double x) { return x; }
static inline vd vd_add(vd a, vd b) { return a + b; }
static inline vd vd_sub(vd a, vd b) { return a - b; }
static inline vd vd_mul(vd a, vd b) { return a * b; }
static inline vd vd_abs(vd a) { return fabs(a); }

/* The sum with 1.5 * 2^52 has no room for a fraction. */
static inline vd vd_round(vd a) {
  const double shifted = a + 0x1.8p52;
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

#if POSENC_FUSED
static inline vd vd_fma(vd a, vd b, vd c) { return __builtin_fma(a, b, c); }
static inline vd vd_fnma(vd a, vd b, vd c) { return __builtin_fma(-a, b, c); }
static inline vd vd_fms(vd a, vd b, vd c) { return __builtin_fma(a, b, -c); }
#else
static inline vd vd_fma(vd a, vd b, vd c) { return a * b + c; }
static inline vd vd_fnma(vd a, vd b, vd c) { return c - a * b; }
static inline vd vd_fms(vd a, vd b, vd c) { return a * b - c; }
#endif

static inline vd vd_firsts(const double *pairs, int half) { /* both halves have the pair */
  (void)half;
  return pairs[0];
}
static inline vd vd_seconds(const double *pairs, int half) {
  (void)half;
  return pairs[1];
}
static inline void vd_store_interleaved(double *to, vd a, vd b) {
  vd_store(to, a);
  vd_store(to + 1, b);
}
static inline void vd_put(double *to, vd a, int streamed) {
  (void)streamed;
  vd_store(to, a);
}

typedef struct vp {
  float a, b;
} vp;

static inline vp vp_join(vd a, vd b) { return (vp){(float)a, (float)b}; }
static inline vp vp_interleave(vd s, vd c) { return vp_join(s, c); }
static inline vp vp_interleave_rotated(vd s, vd c, vd quarters) {
  const uint64_t q = bits_of(quarters);
  const vp a = q & 1 ? (vp){(float)c, -(float)s} : vp_join(s, c);
  return q & 2 ? (vp){-a.a, -a.b} : a;
}

static inline void vp_put(float *to, vp a, int streamed) {
  (void)streamed;
  memcpy(to, &a, sizeof a);
}
static inline void vp_store_some(float *to, vp a, int64_t columns) {
  if (columns > 0)
    to[0] = a.a;
  if (columns > 1)
    to[1] = a.b;
}
static inline void stream_end(void) {}

typedef struct vu {
  uint32_t a, b;
} vu;

static inline vu vp_bits(vp a) {
  vu bits;
  memcpy(&bits, &a, sizeof bits);
  return bits;
}
static inline vu vd_bits(vd a) { return (vu){(uint32_t)bits_of(a), (uint32_t)(bits_of(a) >> 32)}; }
static inline vd vd_of_bits(vu a) { return of_bits((uint64_t)a.b << 32 | a.a); }
static inline vu vu_set1(uint32_t a) { return (vu){a, a}; }
static inline vu vu_set2(uint32_t low, uint32_t high) { return (vu){low, high}; }
static inline vu vu_add(vu a, vu b) { return (vu){a.a + b.a, a.b + b.b}; }
static inline vu vu_and(vu a, vu b) { return (vu){a.a & b.a, a.b & b.b}; }
static inline vu vu_select(vd mask, vu a, vu b) { return bits_of(mask) ? a : b; }
static inline vu vu_min(vu a, vu b) { return (vu){a.a < b.a ? a.a : b.a, a.b < b.b ? a.b : b.b}; }
static inline void vu_now(vu *a) { (void)a; }
static inline int vu_equal(vu a, vu b) { return a.a == b.a && a.b == b.b; }
static inline int vu_any_zero(vu a) { return a.a == 0 || a.b == 0; }

typedef uint32_t vh; /* two elements */

static inline vh vp_to_bf16(vp a) {
  const vu bits = vp_bits(a);
  return (bits.a + 0x8000) >> 16 | ((bits.b + 0x8000) & 0xffff0000);
}
static inline vh vp_to_f16(vp a) { return posenc_f16_bits(a.a) | posenc_f16_bits(a.b) << 16; }
static inline void vh_put(uint16_t *to, vh a, int streamed) {
  (void)streamed;
  memcpy(to, &a, sizeof a);
}
static inline int vh_equal(vh a, vh b) { return a == b; }

#include "simd/no_masks.h"

static inline void vg_unzip(vg y, vg z, vp *firsts, vp *seconds) {
  *firsts = vp_join(y.a, z.a);
  *seconds = vp_join(y.b, z.b);
}
