/* "All implementations built for this architecture, whether or not this CPU can run them": what the library says of
 * each is true; names, families and dtypes select them; and bounds. "Results do not depend on the caller's rounding mode
 * or flush-to-zero setting. Each call leaves both settings and the floating-point exception flags as it found them":
 * test_elements.c makes its calls in all of these states; here are the cases that it does not reach. */
#include "testing.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>

#include "formats.h"

static void implementations(void **state) {
  (void)state;
  assert_true(posenc_impl_count() >= 4);
  assert_null(posenc_impl_by_index(posenc_impl_count()));
  assert_null(posenc_impl_by_index(SIZE_MAX));
  assert_null(posenc_impl_find("no such"));
  assert_null(posenc_impl_find(""));
  assert_null(posenc_impl_find("sleef_"));
  assert_null(posenc_impl_find("naiv"));
  assert_ptr_equal(posenc_impl_find(NULL), posenc_impl_find("exact"));
  assert_int_equal(posenc_impl_supported(NULL), 0);
  for (size_t i = 0; i < posenc_impl_count(); i++) {
    const posenc_impl *impl = posenc_impl_by_index(i);
    assert_ptr_equal(posenc_impl_find(impl->name), impl);
    assert_int_equal(strncmp(impl->arithmetic, "float", 5), 0);
    const size_t note = strcspn(impl->summary, ":");
    assert_true(note > 10 && note <= 30 && impl->summary[note] == ':' && strlen(impl->bound) > 5);
    assert_true(!strcmp(impl->evidence, "proved") || !strcmp(impl->evidence, "upstream") ||
                !strcmp(impl->evidence, "measured"));
    assert_true(impl->correctly_rounded == 1 || (impl->correctly_rounded == 0 && strcmp(impl->family, "exact") != 0));
    for (size_t j = 0; j < i; j++)
      assert_string_not_equal(impl->name, posenc_impl_by_index(j)->name);
    const posenc_spec spec = paper_spec(8);
    const double bound = posenc_impl_error_bound(impl, &spec, 5, 3); /* on machines that cannot run it too */
    assert_true(bound > 0 && bound < 1e-4);
    const posenc_impl copy = *impl;
    assert_int_equal(posenc_impl_supported(&copy), 0);
    assert_true(isnan(posenc_impl_error_bound(&copy, &spec, 5, 3)));
    if (!strcmp(impl->isa, "any"))
      assert_true(posenc_impl_supported(impl));
  }
}

/* "sleef" and "sleef_u35" mean the first member of the family that runs here. */
static void families(void **state) {
  (void)state;
  for (size_t i = 0; i < posenc_impl_count(); i++) {
    const char *const family = posenc_impl_by_index(i)->family;
    const posenc_impl *const found = posenc_impl_find(family), *const first = family_member(family, 0);
    assert_true(first ? found == first : found && !posenc_impl_supported(found));
  }
}

/* An implementation makes plans for exactly the dtypes that it lists. */
static void dtypes(void **state) {
  (void)state;
  for (int dtype = -1; dtype <= FORMATS; dtype++)
    assert_int_equal(
        posenc_dtype_size((posenc_dtype)dtype), dtype < 0 || dtype == FORMATS ? 0 : format_of(dtype)->size);
  for (size_t m = 0; runnable(m); m++)
    for (int32_t dtype = 0; dtype < FORMATS; dtype++) {
      const char *name = runnable(m)->name;
      const int offered = offers(runnable(m), dtype);
      posenc_spec spec = paper_spec(8);
      spec.dtype = dtype;
      assert_int_equal(is_offered(&spec, name), offered);
      assert_int_equal(!isnan(posenc_impl_error_bound(runnable(m), &spec, 0, 0)), offered);
      assert_true(
          offered || (strcmp(runnable(m)->family, "exact") != 0 && strcmp(runnable(m)->family, "anchored") != 0));
    }
}

static void nulls(void **state) {
  (void)state;
  posenc_plan_destroy(NULL);
  posenc_table_destroy(NULL);
  assert_null(posenc_plan_impl(NULL));
  assert_null(posenc_plan_spec(NULL));
}

static void status_strings(void **state) {
  (void)state;
  for (int i = POSENC_OK; i <= POSENC_ERROR_MEMORY; i++)
    for (int j = POSENC_OK; j < i; j++)
      assert_string_not_equal(posenc_status_string((posenc_status)i), posenc_status_string((posenc_status)j));
  assert_string_equal(posenc_status_string((posenc_status)99), "unknown status");
  assert_string_equal(posenc_version(), POSENC_VERSION_STRING);
  char version[40];
  snprintf(version, sizeof version, "%d.%d.%d", POSENC_VERSION_MAJOR, POSENC_VERSION_MINOR, POSENC_VERSION_PATCH);
  assert_string_equal(version, POSENC_VERSION_STRING);
}

/* A bound is NaN if no call can write such an element. test_refusals.c has the specs that are refused. */
static void bounds_out_of_range(void **state) {
  (void)state;
  const int64_t far = POSENC_MAX_POSITION, widest = POSENC_MAX_D_MODEL;
  const struct {
    int64_t d_model;
    double scale;
    int64_t position, column;
    int fine;
  } cases[] = {
      {8, 1, 0, 0, 1},
      {8, 1, far, 0, 1},
      {8, 1, far + 1, 0, 0},
      {8, 1, -far - 1, 0, 0},
      {8, 1, 0, 8, 0},
      {8, 1, 0, -1, 0},
      {widest, 1, 1, widest - 1, 1},
      {widest, 1, 1, widest, 0},
      {widest, 1, 1, INT64_MAX, 0},
      {widest, 1, 1, INT64_MIN, 0},
      {8, 0.5, far + 1, 0, 0},
      {8, -1024, far / 1024, 0, 1},
      {8, -1024, far / 1024 + 1, 0, 0},
  };
  for (size_t i = 0; i < posenc_impl_count(); i++) {
    const posenc_impl *impl = posenc_impl_by_index(i);
    for (size_t j = 0; j < 2 * sizeof cases / sizeof cases[0]; j++) {
      posenc_spec spec = paper_spec(cases[j / 2].d_model);
      spec.position_scale = cases[j / 2].scale;
      spec.layout = (int32_t)(j % 2);
      const double bound = posenc_impl_error_bound(impl, &spec, (double)cases[j / 2].position, cases[j / 2].column);
      assert_true(cases[j / 2].fine ? bound > 0 && bound <= 2.0 + 0x1p-16 : isnan(bound));
    }
    posenc_spec one = paper_spec(8), zero = one;
    zero.position_scale = 0; /* means 1 */
    assert_true(posenc_impl_error_bound(impl, &zero, 1000, 3) == posenc_impl_error_bound(impl, &one, 1000, 3));
    assert_true(isnan(posenc_impl_error_bound(NULL, &one, 0, 0)));
  }
}

/* The bound of a correctly rounded implementation is half a unit in the last place of values just below 1, and 0 in a
 * column of zeros. */
static void bounds_of_every_dtype(void **state) {
  (void)state;
  enum { D = 38 };
  const posenc_impl *anchored = posenc_impl_find("anchored"), *impl;
  for (int32_t i = 0; i < 16; i++) {
    posenc_spec spec = paper_spec(D - 1);
    spec.dtype = i / 4;
    spec.layout = i & 1;
    spec.odd = i >> 1 & 1;
    for (int64_t c = 0; c < D - 1; c++) {
      const double half = spec.odd == POSENC_ODD_ZERO && c == D - 2 ? 0 : ldexp(0.5, -format_of(spec.dtype)->digits);
      for (size_t j = 0; (impl = posenc_impl_by_index(j)); j++)
        if (impl->correctly_rounded && offers(impl, spec.dtype))
          assert_true(posenc_impl_error_bound(impl, &spec, -1e6, c) == half);
      const double more = posenc_impl_error_bound(anchored, &spec, 1e6, c) - half;
      assert_true(more >= 0 && more < 0x1p-49 && (more > 0) == (half > 0));
    }
  }
}

/* Comparisons with NaN and numbers that are too large raise flags; the calls leave none. */
static void no_flags(void **state) {
  (void)state;
  const double nan = NAN;
  float out[8];
  posenc_spec spec = paper_spec(8);
  posenc_plan *plan = plan_of(&spec, NULL);
  spec.denominator = 0x1p1023; /* its double overflows */
  feclearexcept(FE_ALL_EXCEPT);
  assert_int_equal(posenc_fill_at_real(plan, &nan, 1, out, 8), POSENC_ERROR_DOMAIN);
  assert_true(isnan(posenc_impl_error_bound(posenc_impl_find(NULL), &spec, nan, 0)));
  posenc_plan_destroy(plan_of(&spec, NULL));
  assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
  posenc_plan_destroy(plan);
}

static void messages_in_other_modes(void **state) {
  (void)state;
  char nearest[128], downward[128];
  posenc_spec spec = paper_spec(8);
  spec.base = -0.1;
  assert_int_equal(spec_status(&spec), POSENC_ERROR_SPEC);
  posenc_last_error(nearest, sizeof nearest);
  fesetround(FE_DOWNWARD);
  assert_int_equal(spec_status(&spec), POSENC_ERROR_SPEC);
  assert_int_equal(fegetround(), FE_DOWNWARD);
  fesetround(FE_TONEAREST);
  posenc_last_error(downward, sizeof downward);
  assert_string_equal(downward, nearest);
}

/* The product of position and scale is 2^32 when rounded to nearest, and more when rounded upwards. */
static void the_domain_in_other_modes(void **state) {
  (void)state;
  posenc_spec spec = paper_spec(8);
  float out[8];
  int found = 0;
  for (double scale = 1.1; scale < 2 && found < 3; scale += 0.01) {
    const double position = 0x1p32 / scale;
    if (position * scale != 0x1p32 || !(fma(position, scale, -0x1p32) > 0))
      continue;
    spec.position_scale = scale;
    posenc_plan *plan = plan_of(&spec, NULL);
    fesetround(FE_UPWARD);
    const posenc_status status = posenc_fill_at_real(plan, &position, 1, out, 8);
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
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(implementations),
      cmocka_unit_test(families),
      cmocka_unit_test(dtypes),
      cmocka_unit_test(nulls),
      cmocka_unit_test(status_strings),
      cmocka_unit_test(bounds_out_of_range),
      cmocka_unit_test(bounds_of_every_dtype),
      cmocka_unit_test(no_flags),
      cmocka_unit_test(messages_in_other_modes),
      cmocka_unit_test(the_domain_in_other_modes),
  };
  return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
