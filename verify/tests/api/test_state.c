/* "Results do not depend on the caller's rounding mode or flush-to-zero setting. Each call leaves both settings and the
 * floating-point exception flags as it found them" (posenc.h). test_elements.c makes its calls in all of these states, with
 * unmasked traps too; here are the cases that it does not reach.
 */
#include "testing.h"

#include <fenv.h>
#include <math.h>

enum { D = 37 };

/* Refused calls leave no flag raised, although comparisons with NaN and numbers that are too large raise flags. */
static void flags_of_refusals(void **state) {
  (void)state;
  const double reals[] = {NAN};
  float out[D] = {0};
  const posenc_spec spec = paper_spec(D);
  posenc_plan *plan = plan_of(&spec, NULL);
  feclearexcept(FE_ALL_EXCEPT);
  assert_int_equal(posenc_fill_at_real(plan, reals, 1, out, D), POSENC_ERROR_DOMAIN);
  assert_true(isnan(posenc_impl_error_bound(posenc_impl_find(NULL), &spec, reals[0], 0)));
  posenc_spec large = spec;
  large.denominator = 0x1p1023; /* its double overflows */
  posenc_plan_destroy(plan_of(&large, "exact"));
  char nearest[128], downward[128]; /* the message does not depend on the rounding mode either */
  large.base = -0.1;
  assert_int_equal(spec_status(&large), POSENC_ERROR_SPEC);
  posenc_last_error(nearest, sizeof nearest);
  fesetround(FE_DOWNWARD);
  assert_int_equal(spec_status(&large), POSENC_ERROR_SPEC);
  assert_int_equal(fegetround(), FE_DOWNWARD);
  fesetround(FE_TONEAREST);
  posenc_last_error(downward, sizeof downward);
  assert_string_equal(downward, nearest);
  assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
  posenc_plan_destroy(plan);
}

/* The product of position and scale is 2^32 when rounded to nearest, and more when rounded upwards. */
static void the_domain_in_other_modes(void **state) {
  (void)state;
  posenc_spec spec = paper_spec(D);
  float out[D];
  int found = 0;
  for (double scale = 1.1; scale < 2 && found < 3; scale += 0.01) {
    const double position = 0x1p32 / scale;
    if (position * scale != 0x1p32 || !(fma(position, scale, -0x1p32) > 0))
      continue;
    spec.position_scale = scale;
    posenc_plan *plan = plan_of(&spec, NULL);
    fesetround(FE_UPWARD);
    const posenc_status status = posenc_fill_at_real(plan, &position, 1, out, D);
    const double bound = posenc_impl_error_bound(posenc_impl_find(NULL), &spec, position, 0);
    fesetround(FE_TONEAREST);
    assert_int_equal(status, POSENC_OK);
    assert_true(bound > 0.0);
    posenc_plan_destroy(plan);
    found++;
  }
  assert_int_equal(found, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(flags_of_refusals), cmocka_unit_test(the_domain_in_other_modes)};
  return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
