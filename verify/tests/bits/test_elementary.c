/* Quotients, exponentials and logarithms of bigs (impl/multiprecision/bigfloat.h) are as near to MPFR's as they say. */
#include "testing.h"

#include <math.h>
#include <mpfr.h>

#include "multiprecision/bigfloat.h"
#include "thinned.h"

static uint64_t seed = 20230831;
enum { BITS = 1200, CASES = 300 };

static void set_mpfr(mpfr_t r, const big *a, int n) {
  mpfr_set_ui(r, 0, MPFR_RNDN);
  for (int i = 0; i < n; i++) {
    mpfr_add_ui(r, r, a->limb[i], MPFR_RNDN);
    mpfr_div_2ui(r, r, 64, MPFR_RNDN);
  }
  mpfr_mul_2si(r, r, a->exponent, MPFR_RNDN);
}

/* All limbs random, from 2^least to 2^most, least being above 0 for exponents of a few bits. */
static void set_random(big *a, int64_t least, int64_t most, int n) {
  for (int i = 0; i < n; i++)
    a->limb[i] = next_random(&seed);
  a->limb[n - 1] |= UINT64_C(1) << 63;
  a->exponent = random_between(&seed, least + 1, most);
}

/* |got - want| in units of 2^-64n, of want or of 1 */
static double distance(const big *got, const mpfr_t want, int of_one, int n) {
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

static void all(void **state) {
  (void)state;
  mpfr_t x, y, want;
  mpfr_inits2(BITS, x, y, want, (mpfr_ptr)NULL);
  for (int i = 0; i < CASES; i++) {
    if (skipped(&seed))
      continue;
    const int n = 3 + i % 6;
    big a, b, r;
    set_random(&a, -1000, 1000, n);
    set_random(&b, -1000, 1000, n);
    big_div(&r, &a, &b, n);
    set_mpfr(x, &a, n);
    set_mpfr(y, &b, n);
    mpfr_div(want, x, y, MPFR_RNDN);
    assert_true(distance(&r, want, 0, n) <= 16);

    set_random(&a, i % 2 ? -200 : 0, 11, n);
    set_mpfr(x, &a, n);
    mpfr_neg(x, x, MPFR_RNDN);
    mpfr_exp(want, x, MPFR_RNDN);
    big_exp_minus(&r, &a, n);
    assert_true(distance(&r, want, 0, n) < 0x1p24);

    set_random(&a, 0, i % 2 ? 2000 : 1, n);
    if (i % 4 == 0) /* near 1 */
      a.limb[n - 1] = UINT64_C(1) << 63;
    set_mpfr(x, &a, n);
    mpfr_log(want, x, MPFR_RNDN);
    big_log(&r, &a, n);
    assert_true(distance(&r, want, 1, n) < 0x1p25);
  }
  big one, zero, r;
  big_from_double(&one, 1.0, 8);
  big_zero(&zero, 8);
  big_exp_minus(&r, &zero, 8);
  mpfr_set_ui(want, 1, MPFR_RNDN);
  assert_true(distance(&r, want, 1, 8) == 0);
  big_log(&r, &one, 8);
  mpfr_set_ui(want, 0, MPFR_RNDN);
  assert_true(distance(&r, want, 1, 8) < 0x1p25);
  mpfr_clears(x, y, want, (mpfr_ptr)NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
  return cmocka_run_group_tests_name("explog", tests, NULL, NULL);
}
