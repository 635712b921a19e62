/* Quotients, exponentials and logarithms of bigs (impl/multiprecision/bigfloat.h), and ladder ratios, are within their
 * stated errors of MPFR's, with 3 to 64 limbs. */
#include "testing.h"

#include <math.h>

#include "api/internal.h"
#include "mpfr_reference.h"
#include "multiprecision/fallback.h"
#include "multiprecision/ladder.h"

static uint64_t seed = 20230831;
enum { BITS = 64 * BIG_LIMBS + 200, CASES = 300 };

static void set_mpfr(mpfr_t r, const big *a, int n) {
  mpfr_set_ui(r, 0, MPFR_RNDN);
  for (int i = 0; i < n; i++) {
    mpfr_add_ui(r, r, a->limb[i], MPFR_RNDN);
    mpfr_div_2ui(r, r, 64, MPFR_RNDN);
  }
  mpfr_mul_2si(r, r, a->exponent, MPFR_RNDN);
}

/* Sets all limbs at random: a number from 2^least to 2^most. */
static void set_random(big *a, int64_t least, int64_t most, int n) {
  for (int i = 0; i < n; i++)
    a->limb[i] = next_random(&seed);
  a->limb[n - 1] |= UINT64_C(1) << 63;
  a->exponent = random_between(&seed, least + 1, most);
}

/* |got - want| in units of 2^-64n, relative to `want`, or to 1 if of_one */
static double units_off(const big *got, const mpfr_t want, int of_one, int n) {
  mpfr_t difference;
  mpfr_init2(difference, BITS);
  set_mpfr(difference, got, n);
  mpfr_sub(difference, difference, want, MPFR_RNDN);
  if (!of_one)
    mpfr_div(difference, difference, want, MPFR_RNDN);
  mpfr_mul_2ui(difference, difference, 64 * (unsigned long)n, MPFR_RNDN);
  const double units = fabs(mpfr_get_d(difference, MPFR_RNDN));
  mpfr_clear(difference);
  return units;
}

/* A quotient, an exponential and a logarithm of random numbers with n limbs. The case i selects small or large
 * exponents, and logarithms of arguments near 1. */
static void elementary(int i, int n) {
  mpfr_t x, y, want;
  mpfr_inits2(BITS, x, y, want, (mpfr_ptr)NULL);
  big a, b, r;
  set_random(&a, -1000, 1000, n);
  set_random(&b, -1000, 1000, n);
  big_div(&r, &a, &b, n);
  set_mpfr(x, &a, n);
  set_mpfr(y, &b, n);
  mpfr_div(want, x, y, MPFR_RNDN);
  assert_true(units_off(&r, want, 0, n) <= 16);

  set_random(&a, i % 2 ? -200 : -6, i % 3 ? 11 : -5, n);
  set_mpfr(x, &a, n);
  mpfr_neg(x, x, MPFR_RNDN);
  mpfr_exp(want, x, MPFR_RNDN);
  big_exp_minus(&r, &a, n);
  assert_true(
      units_off(&r, want, 0, n) < (a.exponent <= -5 ? 0x1p5 : fmin(0x1p21, -0x1p11 * mpfr_get_d(x, MPFR_RNDN))) * n);

  set_random(&a, 0, i % 2 ? 2000 : 1, n);
  if (i % 4 == 0) { /* near 1: 1 + 2^-shift, plus the lower limbs */
    const int shift = (int)random_between(&seed, 1, 63);
    a.limb[n - 1] = UINT64_C(1) << 63 | UINT64_C(1) << 63 >> shift;
  }
  set_mpfr(x, &a, n);
  mpfr_log(want, x, MPFR_RNDN);
  big_log(&r, &a, n);
  const double size = mpfr_get_d(want, MPFR_RNDN);
  assert_true(units_off(&r, want, 1, n) < (size < 0x1p-5 ? 0x1p6 : fmin(0x1p22, 0x1p12 * size)) * n);
  mpfr_clears(x, y, want, (mpfr_ptr)NULL);
}

/* The k-th power of a ladder's ratio, with k of the last frequency that a plan accepts, below 2^19. */
static void ratio(double base, double denominator, int n) {
  mpfr_t want;
  mpfr_init2(want, BITS);
  posenc_spec spec = paper_spec(2);
  spec.base = base;
  spec.denominator = denominator;
  const double most = floor(denominator / fabs(log2(base)) * (base < 1 ? 64 : 1022) * (1 - 1e-12));
  const uint64_t k = most < 0x1p19 ? (uint64_t)most : (1 << 19) - 1;
  const posenc_problem problem = posenc_problem_of(&spec);
  big r;
  posenc_ladder_ratio(&r, &problem, n);
  big_pow(&r, &r, k, n);
  reference_frequency(want, &spec, (int64_t)k);
  const double units = posenc_ladder_degree(&problem) ? 12 * (double)k : ldexp(n, 68), off = units_off(&r, want, 0, n);
  if (!(off < units))
    fail_msg(
        "base %a, denominator %a, k %llu, %d limbs: off by %g units", base, denominator, (unsigned long long)k, n, off);
  mpfr_clear(want);
}

static void all(void **state) {
  (void)state;
  const double ulp = 0x1p-52,
               bases[] = {10000, 0.7, 1e300, 1 + ulp, 1 - ulp / 2, 0x1p-1074, 0x1.fffffffffffffp1023, 1.03};
  for (int i = 0; i < CASES; i++) {
    const int n = i < CASES - 32 ? 3 + i % 6 : i < CASES - 4 ? 16 + i % 2 * 16 : BIG_LIMBS;
    const double base = bases[i % 8], least = fabs(log2(base)) / (base < 1 ? 64 : 1022) * (1 + 1e-12);
    if (skipped(&seed))
      continue;
    elementary(i, n);
    ratio(base, i % 3 ? least * ldexp(1.7, i % 3 == 1 ? 0 : (int)random_between(&seed, 0, 25)) : 1024.5, n);
  }
  big one, zero, r;
  mpfr_t want;
  mpfr_init2(want, BITS);
  big_from_double(&one, 1.0, 8);
  big_zero(&zero, 8);
  big_exp_minus(&r, &zero, 8);
  mpfr_set_ui(want, 1, MPFR_RNDN);
  assert_true(units_off(&r, want, 1, 8) == 0);
  big_log(&r, &one, 8);
  mpfr_set_ui(want, 0, MPFR_RNDN);
  assert_true(units_off(&r, want, 1, 8) < 0x1p9);
  mpfr_clear(want);
}

static double fallback(const posenc_spec *spec, int64_t column) {
  const posenc_problem problem = posenc_problem_of(spec);
  posenc_ratio ratio = {0};
  return posenc_fallback(&problem, &ratio, 1, column);
}

/* If no attempt decides, the fallback rounds its last approximation. Here the last attempt has 256 bits (see
 * CMakeLists.txt). The angle is the midpoint of two numbers, and its sine is less than 2^-256 of itself below it. */
static void undecided(void **state) {
  (void)state;
  const double freqs[] = {0x1.8p-149, -0x1.8p-149, 0x1.8p-1000};
  posenc_spec spec = frequency_spec(freqs, NULL, 3, POSENC_DTYPE_F32);
  const double up = fallback(&spec, 0), down = fallback(&spec, 2);
  assert_true(up == 0x1p-149 || up == 0x1p-148);
  assert_true(down == -up);
  assert_true(fallback(&spec, 1) == 1);
  assert_true(fallback(&spec, 4) == 0);
  spec.dtype = POSENC_DTYPE_F64; /* the angle is a double, so 256 bits decide */
  assert_true(fallback(&spec, 4) == 0x1.8p-1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all), cmocka_unit_test(undecided)};
  return cmocka_run_group_tests_name("elementary", tests, NULL, NULL);
}
