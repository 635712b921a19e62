/* Compares every operation of impl/simd/simd.h with plain C, lane by lane, on special values and on random bits.
 *
 * This file is compiled once for each instruction set; the test is skipped on machines that lack the set. memcpy() moves
 * lanes into vectors and out of them, so that no operation is needed to test another one. (vd_add() is, where it adds +0
 * because the sign of a zero result is unspecified.)
 */
#include "testing.h"

#include <math.h>

#include "simd/simd.h"

/* The sets without vf, and the set whose vtest knows which vector failed. #if takes the names of other sets for 0. */
#define HAS_NO_VF_any 1
#define HAS_NO_VF_fma 1
#define HAS_MASKS_avx512 1

enum { N = VD_LANES, CASES = 20000, LINE = 64, UNWRITTEN = 0x5a };
#define ALIGNED __attribute__((aligned(LINE)))
static uint64_t seed = 20240607;

/* Inputs: the lanes of the vectors a, b, ... Two vectors of float64, or one vector of the other types, have 2 N lanes. */
static double a_[2 * N] ALIGNED, b_[2 * N], c_[2 * N];
static float f_[2 * N] ALIGNED, g_[2 * N];
static uint32_t u_[2 * N], v_[2 * N];

static unsigned char memory[4 * LINE + 16 * N] ALIGNED, expected[sizeof memory];
/* Volatile: a compiler that knows an address replaces aligned loads and stores by unaligned ones. */
static unsigned char *volatile line = memory + LINE;

#define OF(type, lanes)                                                                                                \
  __extension__({                                                                                                      \
    type vector_;                                                                                                      \
    memcpy(&vector_, lanes, sizeof vector_);                                                                           \
    vector_;                                                                                                           \
  })

/* Lane i of the result has the bits of `model`, an expression of i. A NaN may be any NaN: processors and compilers choose
 * which operand's NaN is returned. */
#define EXPECT(element, operation, model)                                                                              \
  do {                                                                                                                 \
    const __typeof__(operation) result = operation;                                                                    \
    element got[sizeof result / sizeof(element)];                                                                      \
    memcpy(got, &result, sizeof result);                                                                               \
    for (int i = 0; i < (int)(sizeof result / sizeof(element)); i++) {                                                 \
      const element want = (element)(model);                                                                           \
      if (memcmp(&got[i], &want, sizeof want) != 0 && !(isnan((double)got[i]) && isnan((double)want)))                 \
        fail_msg("%s: lane %d is %a, not %a", #operation, i, (double)got[i], (double)want);                            \
    }                                                                                                                  \
  } while (0)

/* The statement stores n elements at `to`, `offset` elements behind a cache line's start, and changes no other byte.
 * Element i has the bits of `model`. */
#define STORES(element, offset, n, statement, model)                                                                   \
  do {                                                                                                                 \
    element *const to = (element *)(void *)line + (offset);                                                            \
    memset(memory, UNWRITTEN, sizeof memory);                                                                          \
    memset(expected, UNWRITTEN, sizeof expected);                                                                      \
    statement;                                                                                                         \
    for (int i = 0; i < (n); i++) {                                                                                    \
      const element want = (element)(model);                                                                           \
      memcpy(expected + LINE + (size_t)((offset) + i) * sizeof want, &want, sizeof want);                              \
    }                                                                                                                  \
    if (memcmp(memory, expected, sizeof memory) != 0)                                                                  \
      fail_msg("%s: at offset %d, the memory is not as expected", #statement, (int)(offset));                          \
  } while (0)

/* A store of n elements anywhere, and a streamed one to a multiple of the vector's size. */
#define PUTS(element, n, put, vector, model)                                                                           \
  do {                                                                                                                 \
    STORES(element, 1, n, put(to, vector, 0), model);                                                                  \
    STORES(element, n, n, (put(to, vector, 1), stream_end()), model);                                                  \
  } while (0)

/* ---- models ---- */

static double fused(double a, double b, double c) { return POSENC_FUSED ? fma(a, b, c) : a * b + c; }

/* The bits of x rounded to so many digits, in a format of 16 bits whose least normal number is 2^least. Infinity has the
 * bits that 2^128 would have in bfloat16. */
static int rounded(float x, int digits, int least, double (*nearest)(double)) {
  const double size = fmin(fabs((double)x), 0x1p128);
  const int exponent = ilogb(size) < least ? least : ilogb(size);
  const int units = (int)nearest(ldexp(size, digits - 1 - exponent));
  return (signbit(x) ? 0x8000 : 0) + ((exponent - least) << (digits - 1)) + units;
}

/* A group's index i in memory has a value of this pair, and is it the second one? And the index of a pair's value. */
static int pair_of(int i) { return i / (2 * VG_APART) * VG_APART + i % VG_APART; }
static int is_second(int i) { return i / VG_APART % 2; }
static int index_of(int pair, int second) {
  return pair / VG_APART * 2 * VG_APART + pair % VG_APART + second * VG_APART;
}

/* ---- inputs ---- */

static double pick(void) {
  static const double specials[] = {0, 0x1p-1074, 0x0.fffffffffffffp-1022, 0x1p-1022, 0x1.fffffffffffffp1023, INFINITY,
      NAN, 1, 0.5, 1.5, 2.5, 0x1.fffffffffffffp-2, 0x1p31, 0x1p31 - 1, 0x1p31 - 0.5, 0x1p31 + 0.5, 0x1p32 - 1,
      0x1p51 - 0.5, 0x1p51 - 1.5, 0x1p52 - 1, 0x1p52 + 1, 0x1p53 - 1, 0x1p63, 0x1p63 - 0x1p10, 0x1p63 + 0x1p11,
      /* float32: halfway and next to it, near 1, at the least and at the greatest number */
      1 + 0x1p-24, 1 + 0x3p-24, 1 + 0x1p-24 + 0x1p-52, 1 + 0x3p-24 - 0x1p-52, 0x1p-150, 0x1.0000000000001p-150,
      0x3p-150, 0x1.ffffffp-127, 0x1p-126, 0x1p-149, 0x1.fffffep127, 0x1.fffffefffffffp127, 0x1.ffffffp127,
      /* bfloat16 */ 1 + 0x1p-8, 1 + 0x3p-8, 1 + 0x1p-8 - 0x1p-23, 0x1p-134, 0x3p-134, 0x1p-133, 0x1.fep127, 0x1.ffp127,
      /* float16 */ 1 + 0x1p-11, 1 + 0x3p-11, 1 + 0x1p-11 + 0x1p-23, 0x1p-24, 0x1p-25, 0x3p-25, 0x5p-25, 0x1.000002p-25,
      0x1p-14, 0x1p-14 - 0x1p-25, 0x1.ffcp0, 0x1.ffep0};
  static const int digits[] = {1, 9, 12, 25, 53}; /* 9, 12, 25: halfway in bfloat16, float16, float32 */
  const uint64_t random = next_random(&seed), bits = next_random(&seed);
  const double sign = random >> 63 ? -1 : 1;
  const int n = digits[random / 4 % 5];
  switch (random % 4) {
  case 0:
    return sign * specials[random / 4 % (sizeof specials / sizeof specials[0])];
  case 1:
    return OF(double, &bits);
  case 2:
    return sign * ldexp((double)(bits >> (64 - n) | 1), (int)random_between(&seed, -30, 54) - n);
  default:
    return real_between(&seed, -2, 2);
  }
}

/* The same digits, in a number whose products have no error that underflows. */
static double tame(double x) {
  int exponent;
  const double fraction = frexp(isfinite(x) ? x : 1, &exponent);
  return ldexp(fraction, exponent % 300);
}

static void make_inputs(void) {
  for (int i = 0; i < 2 * N; i++) {
    const uint64_t random = next_random(&seed), bits = next_random(&seed);
    a_[i] = pick();
    b_[i] = random % 8 == 0 ? a_[i] : pick();
    c_[i] = random / 8 % 8 == 0 ? -(a_[i] * b_[i]) : random / 8 % 8 == 1 ? a_[i] * b_[i] : pick();
    f_[i] = (float)a_[i];
    g_[i] = (float)b_[i];
    u_[i] = (uint32_t)bits;
    v_[i] = (uint32_t)(bits >> 32);
  }
}

/* ---- operations ---- */

static void float64(void) {
  const vd a = OF(vd, a_), b = OF(vd, b_), c = OF(vd, c_), u = OF(vd, u_), v = OF(vd, v_), zero = vd_set1(0.0);
  EXPECT(double, vd_load(a_), a_[i]);
  memcpy(line + 1, b_, sizeof b);
  EXPECT(double, vd_loadu(line + 1), b_[i]);
  EXPECT(double, vd_set1(a_[0]), a_[0]);
  EXPECT(double, vd_add(a, b), a_[i] + b_[i]);
  EXPECT(double, vd_sub(a, b), a_[i] - b_[i]);
  EXPECT(double, vd_mul(a, b), a_[i] * b_[i]);
  EXPECT(double, vd_fma(a, b, c), fused(a_[i], b_[i], c_[i]));
  EXPECT(double, vd_fnma(a, b, c), fused(-a_[i], b_[i], c_[i]));
  EXPECT(double, vd_fms(a, b, c), fused(a_[i], b_[i], -c_[i]));
  EXPECT(double, vd_abs(a), fabs(a_[i]));
  EXPECT(uint32_t, vd_and(u, v), u_[i] & v_[i]);
  EXPECT(uint32_t, vd_or(u, v), u_[i] | v_[i]);
  EXPECT(uint32_t, vd_bits(u), u_[i]);
  EXPECT(int64_t, vd_ge(a, b), -(a_[i] >= b_[i]));

  double r_[N], s_[N], t_[N], d_[N];
  vd e;
  for (int i = 0; i < N; i++) {
    r_[i] = fabs(a_[i]) >= 0x1p51 ? trunc(a_[i]) : a_[i]; /* scalar.h rounds only numbers below 2^51 */
    s_[i] = tame(a_[i]);
    t_[i] = tame(b_[i]);
    d_[i] = -(s_[i] * t_[i]) * (u_[i] % 4 ? real_between(&seed, 0.5, 2) : 1); /* so s t + d is exact */
  }
  const vd s = OF(vd, s_), t = OF(vd, t_);
  EXPECT(double, vd_add(vd_round(OF(vd, r_)), zero), rint(r_[i]) + 0.0);
  EXPECT(double, vd_two_product(s, t, &e), s_[i] * t_[i]);
  EXPECT(double, vd_add(e, zero), fma(s_[i], t_[i], -(s_[i] * t_[i])) + 0.0);
  EXPECT(double, vd_add(vd_product_plus(s, t, OF(vd, d_)), zero), fma(s_[i], t_[i], d_[i]) + 0.0);

  STORES(double, 1, N, vd_store(to, a), a_[i]);
  PUTS(double, N, vd_put, a, a_[i]);
  STORES(double, 0, 2 * N, vd_store_interleaved(to, a, b), (i % 2 ? b_ : a_)[i / 2]);
}

static void groups(void) {
  const vg a = OF(vg, a_), b = OF(vg, b_), c = OF(vg, c_);
  vp firsts, seconds;
  EXPECT(double, vg_load(a_), a_[i]);
  EXPECT(double, vg_firsts(a_), a_[index_of(pair_of(i), 0)]);
  EXPECT(double, vg_seconds(a_), a_[index_of(pair_of(i), 1)]);
  EXPECT(double, vg_mul(a, b), a_[i] * b_[i]);
  EXPECT(double, vg_fma(a, b, c), fused(a_[i], b_[i], c_[i]));
  EXPECT(double, vg_fnma(a, b, c), fused(-a_[i], b_[i], c_[i]));
  STORES(double, 0, 2 * N, vg_store(to, OF(vd, a_), OF(vd, b_)), (is_second(i) ? b_ : a_)[pair_of(i)]);
  PUTS(double, 2 * N, vg_put, a, a_[index_of(i / 2, i % 2)]);
  EXPECT(float, vg_floats(a), a_[index_of(i / 2, i % 2)]);
  vg_unzip(a, b, &firsts, &seconds);
  EXPECT(float, firsts, (i < N ? a_ : b_)[index_of(i % N, 0)]);
  EXPECT(float, seconds, (i < N ? a_ : b_)[index_of(i % N, 1)]);
}

static void float32_and_16_bits(void) {
  const vd a = OF(vd, a_), b = OF(vd, b_), quarters = OF(vd, u_);
  const vp f = OF(vp, f_);
  EXPECT(float, vp_join(a, b), i < N ? a_[i] : b_[i - N]);
  EXPECT(float, vp_interleave(a, b), (i % 2 ? b_ : a_)[i / 2]);
  EXPECT(float, vp_interleave_rotated(a, b, quarters), /* a cosine is the sine one quarter turn later */
      ((double[]){a_[i / 2], b_[i / 2], -a_[i / 2], -b_[i / 2]})[(u_[i / 2 * 2] + (uint32_t)i % 2) % 4]);
  EXPECT(uint32_t, vp_bits(OF(vp, u_)), u_[i]);
  PUTS(float, 2 * N, vp_put, f, f_[i]);
  for (int columns = -1; columns <= 2 * N + 1; columns++) {
    const int n = columns < 2 * N ? columns : 2 * N;
    STORES(float, 1, n, vp_store_some(to, f, columns), f_[i]);
    STORES(float, 1, n, vd_store_pairs(to, a, b, columns), (i % 2 ? b_ : a_)[i / 2]);
  }
#if !POSENC_CAT(HAS_NO_VF_, POSENC_ISA)
  _Static_assert((int)VF_LANES == (int)(2 * N), "vf has as many lanes as vp");
  EXPECT(float, vf_load(f_), f_[i]);
  EXPECT(float, vf_set1(f_[0]), f_[0]);
  EXPECT(float, vf_mul(OF(vf, f_), OF(vf, g_)), f_[i] * g_[i]);
  for (int columns = -1; columns <= 4 * N + 1; columns++)
    STORES(float, 1, columns < 4 * N ? columns : 4 * N, vf_store_pairs(to, OF(vf, f_), OF(vf, g_), columns),
        (i % 2 ? g_ : f_)[i / 2]);
#endif

  /* No NaN is converted to 16 bits, and to float16 only numbers below 2 are. */
  float p_[2 * N], q_[2 * N];
  for (int i = 0; i < 2 * N; i++) {
    p_[i] = isnan(f_[i]) ? 0 : f_[i];
    q_[i] = fabsf(f_[i]) < 2 ? f_[i] : 0x1.ffep0f;
  }
  EXPECT(uint16_t, vp_to_bf16(OF(vp, p_)), rounded(p_[i], 8, -126, round));
  EXPECT(uint16_t, vp_to_f16(OF(vp, q_)), rounded(q_[i], 11, -14, rint));
  PUTS(uint16_t, 2 * N, vh_put, OF(vh, u_), u_[i / 2] >> i % 2 * 16);
}

static void integers(void) {
  const vu u = OF(vu, u_), v = OF(vu, v_);
  int64_t mask[N];
  for (int i = 0; i < N; i++)
    mask[i] = -(int64_t)(next_random(&seed) % 2);
  EXPECT(uint32_t, vd_of_bits(u), u_[i]);
  EXPECT(uint32_t, vu_select(OF(vd, mask), u, v), (mask[i / 2] ? u_ : v_)[i]);
  EXPECT(uint32_t, vu_set1(u_[0]), u_[0]);
  EXPECT(uint32_t, vu_set2(u_[0], v_[0]), (i % 2 ? v_ : u_)[0]);
  EXPECT(uint32_t, vu_add(u, v), u_[i] + v_[i]);
  assert_true(vu_equal(u, u) && vh_equal(OF(vh, u_), OF(vh, u_)));
  for (int i = 0; i < 2 * N; i++) { /* one bit of difference; vh has the lower N words */
    uint32_t w_[2 * N];
    memcpy(w_, u_, sizeof w_);
    w_[i] ^= UINT32_C(1) << next_random(&seed) % 32;
    assert_false(vu_equal(u, OF(vu, w_)));
    assert_true(!vh_equal(OF(vh, u_), OF(vh, w_)) == (i < N));
  }
}

/* Adds up to three pairs of vectors to a test. Their lanes have all of `bits` or only one of them; in some cases one lane
 * of a vector has none of them. */
static void tests_of_bits(void) {
  vtest test = vtest_start();
  unsigned failed = 0;
  for (int n = (int)random_between(&seed, 0, 3); n > 0; n--) {
    uint32_t bits[2 * N], lanes[2][2 * N];
    for (int i = 0; i < 2 * N; i++) {
      const uint32_t one = UINT32_C(1) << next_random(&seed) % 32;
      bits[i] = (u_[i] & v_[i]) | one;
      for (int second = 0; second < 2; second++)
        lanes[second][i] = ((uint32_t)next_random(&seed) & ~bits[i]) | (next_random(&seed) % 2 ? one : bits[i]);
    }
    if (next_random(&seed) % 4 == 0) {
      const uint64_t second = next_random(&seed) % 2, i = next_random(&seed) % (2 * N);
      lanes[second][i] &= ~bits[i];
      failed |= 1U << second;
    }
    vtest_add(&test, OF(vu, lanes[0]), OF(vu, lanes[1]), OF(vu, bits));
  }
#if !POSENC_CAT(HAS_MASKS_, POSENC_ISA)
  failed = failed ? 3 : 0;
#endif
  assert_int_equal(vtest_failed(&test), failed);
}

/* Not inlined, so that the set's instructions run only after the check that the machine has them. */
__attribute__((noinline)) static void check_all(void) {
  for (int n = 0; n < CASES; n++) {
    if (skipped(&seed))
      continue;
    make_inputs();
    float64();
    groups();
    float32_and_16_bits();
    integers();
    tests_of_bits();
  }
}

static void operations(void **state) {
  (void)state;
  if (!(posenc_cpu() >> POSENC_CAT(POSENC_SET_, POSENC_ISA) & 1)) {
    puts("skipped: this CPU has no " POSENC_STR(POSENC_ISA));
    skip();
  }
  check_all();
}

int main(int argc, char **argv) {
  static const struct CMUnitTest tests[] = {cmocka_unit_test(operations)};
  take_seed(argc, argv, &seed);
  return cmocka_run_group_tests_name("simd_" POSENC_STR(POSENC_ISA), tests, NULL, NULL);
}
