/* simd.h for one lane: `any` without FMA, `fma` with it. */
#include <math.h>
#include <string.h>

typedef double vd;
enum { VD_LANES = 1 };

static inline vd vd_load(const double *p) { return *p; }
static inline void vd_store(double *p, vd a) { *p = a; }
static inline vd vd_set1(double x) { return x; }
static inline vd vd_add(vd a, vd b) { return a + b; }
static inline vd vd_sub(vd a, vd b) { return a - b; }
static inline vd vd_mul(vd a, vd b) { return a * b; }
static inline vd vd_abs(vd a) { return fabs(a); }

/* The sum with 1.5 * 2^52 has no room for a fraction. */
static inline vd vd_round(vd a)
{
  volatile double shifted = a + 0x1.8p52;
  return fabs(a) < 0x1p51 ? shifted - 0x1.8p52 : a;
}
static inline uint64_t bits_of(vd a)
{
  uint64_t bits;
  memcpy(&bits, &a, sizeof bits);
  return bits;
}
static inline vd of_bits(uint64_t bits)
{
  vd a;
  memcpy(&a, &bits, sizeof a);
  return a;
}
static inline vd vd_and(vd a, vd b) { return of_bits(bits_of(a) & bits_of(b)); }
static inline vd vd_or(vd a, vd b) { return of_bits(bits_of(a) | bits_of(b)); }
static inline vd vd_min(vd a, vd b) { return a < b ? a : b; }
static inline vd vd_ge(vd a, vd b) { return of_bits(a >= b ? ~UINT64_C(0) : 0); }

#if POSENC_SIMD == POSENC_SIMD_fma
static inline vd vd_fma(vd a, vd b, vd c) { return __builtin_fma(a, b, c); }
static inline vd vd_fnma(vd a, vd b, vd c) { return __builtin_fma(-a, b, c); }
#else
#define POSENC_FUSED 0
static inline vd vd_fma(vd a, vd b, vd c) { return a * b + c; }
static inline vd vd_fnma(vd a, vd b, vd c) { return c - a * b; }
#endif

static inline void vd_store_pairs(float *out, vd s, vd c, int64_t columns)
{
  if (columns > 0)
    out[0] = (float)s;
  if (columns > 1)
    out[1] = (float)c;
}

typedef struct check {
  uint32_t low, high;
} check;

static inline check check_none(void) { return (check){~0u, ~0u}; }

static inline vd check_exempt(vd s, vd c)
{
  return of_bits(bits_of(s) >> 32 << 32 | bits_of(c) >> 32);
}

static inline void check_values(check *k, vd s, vd c, vd exempt)
{
  const uint32_t low_s = ((uint32_t)bits_of(s) + CHECK_MOVE) << 3, low_c = ((uint32_t)bits_of(c) + CHECK_MOVE) << 3;
  const uint32_t low = low_s < low_c ? low_s : low_c;
  const uint64_t high = bits_of(check_exempt(s, c)) | bits_of(exempt);
  k->low = low < k->low ? low : k->low;
  k->high &= (uint32_t)high & (uint32_t)(high >> 32);
}

static inline int check_flagged(const check *k)
{
  return k->low < CHECK_CLOSE || (k->high & CHECK_LARGE) != CHECK_LARGE;
}

static inline void stream_line(float *to, const float *from) { memcpy(to, from, 64); }
static inline void stream_end(void) {}
