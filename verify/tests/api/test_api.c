/* Bad input: the status, a sentence that names the field, its value and what is allowed, and nothing written. And the
 * list of implementations as a program sees it.
 */
#include "testing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "formats.h"

/* ---- specs ---- */

static void expect_spec(const posenc_spec *spec, posenc_status want, const char *field, const char *value,
                        const char *allowed)
{
  char message[512] = "untouched";
  assert_int_equal(posenc_spec_check(spec, message, sizeof message), want);
  const char *parts[] = {field, value, allowed};
  for (size_t i = 0; i < 3; i++)
    if (!strstr(message, parts[i]))
      fail_msg("\"%s\" does not say \"%s\"", message, parts[i]);
  posenc_plan *plan = (posenc_plan *)message;
  assert_int_equal(posenc_plan_create(&plan, spec, NULL), want);
  assert_null(plan);
}

static void bad_specs(void **state)
{
  (void)state;
  const double freqs_ok[4] = {1.0, -0.5, 0x1p-1022, 0x1p64};
  posenc_spec s = posenc_spec_default(8);
  char message[64] = "untouched";
  assert_int_equal(posenc_spec_check(&s, message, sizeof message), POSENC_OK);
  assert_string_equal(message, "untouched");

  const int64_t widths[] = {0, -1, INT64_MIN, POSENC_MAX_D_MODEL + 1, INT64_MAX};
  for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
    char value[32];
    snprintf(value, sizeof value, "%lld", (long long)widths[i]);
    posenc_spec bad = posenc_spec_default(widths[i]);
    expect_spec(&bad, POSENC_ERROR_SPEC, "d_model", value, "1 to 1048576");
  }
  const struct {
    double value;
    const char *text;
  } bases[] = {{1.0, "1"}, {0.0, "0"}, {-10000.0, "-10000"}, {NAN, "nan"}, {INFINITY, "inf"}, {0.5, "0.5"}};
  for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
    posenc_spec bad = s;
    bad.base = bases[i].value;
    expect_spec(&bad, POSENC_ERROR_SPEC, "base", bases[i].text, "finite and > 1");
  }
  const struct {
    double value;
    const char *text;
  } denominators[] = {{-1.0, "-1"}, {NAN, "nan"}, {INFINITY, "inf"}};
  for (size_t i = 0; i < sizeof denominators / sizeof denominators[0]; i++) {
    posenc_spec bad = s;
    bad.denominator = denominators[i].value;
    expect_spec(&bad, POSENC_ERROR_SPEC, "denominator", denominators[i].text, "> 0");
  }
  posenc_spec bad = s;
  bad.denominator = 0.01; /* the last frequency would be 10000^-300 */
  expect_spec(&bad, POSENC_ERROR_SPEC, "denominator", "0.01", "at least");
  bad = posenc_spec_default(2); /* one frequency, 1: the ladder must be a number all the same */
  bad.denominator = 1e-39;
  expect_spec(&bad, POSENC_ERROR_SPEC, "denominator", "e-40", "at least");

  bad = posenc_spec_default(1);
  bad.base = DBL_MAX; /* and no ladder: the one frequency is 1 */
  assert_int_equal(posenc_spec_check(&bad, NULL, 0), POSENC_OK);

  bad = s;
  bad.n_freqs = 4;
  expect_spec(&bad, POSENC_ERROR_SPEC, "n_freqs", "4", "allowed: 0");
  bad.freqs = freqs_ok;
  assert_int_equal(posenc_spec_check(&bad, NULL, 0), POSENC_OK);
  bad.n_freqs = 3;
  expect_spec(&bad, POSENC_ERROR_SPEC, "n_freqs", "3", "4, one for each pair of d_model 8's columns");

  const double wrong[] = {NAN, INFINITY, -INFINITY, 0x1p-1074, 0x1.8p64, -0x1.8p64, 0x1.fp-1023};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    double freqs[4] = {1.0, 1.0, wrong[i], 1.0};
    char value[32];
    snprintf(value, sizeof value, "%.17g", wrong[i]);
    bad.n_freqs = 4;
    bad.freqs = freqs;
    expect_spec(&bad, POSENC_ERROR_SPEC, "freqs[2]", value, "2^-1022 to 2^64");
  }
}

static void spec_of_another_size(void **state)
{
  (void)state;
  posenc_spec bad = posenc_spec_default(8);
  const size_t sizes[] = {0, sizeof bad - 8, sizeof bad + 8, SIZE_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    char value[32];
    snprintf(value, sizeof value, "struct_size is %zu", sizes[i]);
    bad.struct_size = sizes[i];
    expect_spec(&bad, POSENC_ERROR_SPEC, value, "allowed", "posenc_spec_default()");
  }
  for (size_t i = 0; i < sizeof bad.reserved / sizeof bad.reserved[0]; i++) {
    bad = posenc_spec_default(8);
    bad.reserved[i] = 77;
    char field[32];
    snprintf(field, sizeof field, "reserved[%zu]", i);
    expect_spec(&bad, POSENC_ERROR_SPEC, field, "77", "allows 0");
  }
  expect_spec(NULL, POSENC_ERROR_ARGUMENT, "spec", "NULL", "needed");
}

static void messages_are_cut(void **state)
{
  (void)state;
  posenc_spec bad = posenc_spec_default(0);
  char message[8] = {'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x'};
  assert_int_equal(posenc_spec_check(&bad, message, 5), POSENC_ERROR_SPEC);
  assert_memory_equal(message, "d_mo\0xxx", 8);
  assert_int_equal(posenc_spec_check(&bad, message, 0), POSENC_ERROR_SPEC);
  assert_int_equal(posenc_spec_check(&bad, NULL, 100), POSENC_ERROR_SPEC);
  assert_memory_equal(message, "d_mo\0xxx", 8);
}

/* ---- implementations ---- */

static void implementations(void **state)
{
  (void)state;
  assert_true(posenc_impl_count() >= 4);
  assert_null(posenc_impl_at(posenc_impl_count()));
  assert_null(posenc_impl_find("no such"));
  assert_null(posenc_impl_find(""));
  assert_null(posenc_impl_find("sleef_"));
  assert_null(posenc_impl_find("naiv"));
  assert_ptr_equal(posenc_impl_find(NULL), posenc_impl_find("exact"));
  posenc_spec odd_ladder = posenc_spec_default(8);
  posenc_plan *plan = plan_of(&odd_ladder, NULL);
  assert_string_equal(posenc_plan_impl(plan), posenc_impl_find("exact")->name);
  posenc_plan_destroy(plan);
  odd_ladder.denominator = 3.3;
  plan = plan_of(&odd_ladder, NULL);
  assert_string_equal(posenc_plan_impl(plan), "float64");
  posenc_plan_destroy(plan);
  assert_int_equal(posenc_plan_create(&plan, &odd_ladder, "exact"), POSENC_ERROR_UNSUPPORTED);
  assert_int_equal(posenc_impl_supported(NULL), 0);
  for (size_t i = 0; i < posenc_impl_count(); i++) {
    const posenc_impl *impl = posenc_impl_at(i);
    assert_ptr_equal(posenc_impl_find(impl->name), impl);
    assert_int_equal(strncmp(impl->arithmetic, "float", 5), 0);
    assert_true(strlen(impl->summary) > 10 && strlen(impl->bound) > 5);
    assert_true(!strcmp(impl->evidence, "proved") || !strcmp(impl->evidence, "upstream") ||
                !strcmp(impl->evidence, "measured"));
    for (size_t j = 0; j < i; j++)
      assert_string_not_equal(impl->name, posenc_impl_at(j)->name);
    if (!strcmp(impl->isa, "any"))
      assert_true(posenc_impl_supported(impl));
  }
}

/* "sleef" and "sleef_u35" mean the first member of the family that runs here. */
static void families(void **state)
{
  (void)state;
  const char *families[][4] = {{"exact", "exact_avx512", "exact_avx2", "exact_neon"},
                               {"anchored", "anchored_avx512", "anchored_avx2", "anchored_neon"},
                               {"sleef", "sleef_avx512", "sleef_avx2", "sleef_neon"},
                               {"sleef_u35", "sleef_avx512_u35", "sleef_avx2_u35", "sleef_neon_u35"},
                               {"sleef_f64", "sleef_f64_avx512", "sleef_f64_avx2", "sleef_f64_neon"}};
  for (size_t f = 0; f < 5; f++) {
    const posenc_impl *want = NULL, *built = NULL;
    for (size_t m = 3; m >= 1; m--) {
      const posenc_impl *member = posenc_impl_find(families[f][m]);
      built = member ? member : built;
      want = posenc_impl_supported(member) ? member : want;
    }
    char scalar[32]; /* a family may have a member for one value at a time: the last to be taken */
    snprintf(scalar, sizeof scalar, "%s_scalar", families[f][0]);
    if (!want && posenc_impl_supported(posenc_impl_find(scalar)))
      want = posenc_impl_find(scalar);
    assert_ptr_equal(posenc_impl_find(families[f][0]), want ? want : built);
  }
}

static void unknown_and_unsupported(void **state)
{
  (void)state;
  posenc_spec s = posenc_spec_default(8);
  char message[1024] = "";
  posenc_plan *plan = (posenc_plan *)message;
  assert_int_equal(posenc_plan_create(&plan, &s, "fastest"), POSENC_ERROR_UNKNOWN_IMPL);
  assert_null(plan);
  assert_int_equal(posenc_plan_create(NULL, &s, NULL), POSENC_ERROR_ARGUMENT);
  assert_int_equal(posenc_plan_check(&s, "fastest", message, sizeof message), POSENC_ERROR_UNKNOWN_IMPL);
  assert_non_null(strstr(message, "\"fastest\""));
  for (size_t i = 0; i < posenc_impl_count(); i++)
    assert_non_null(strstr(message, posenc_impl_at(i)->name));

  for (size_t i = 0; i < posenc_impl_count(); i++)
    if (!posenc_impl_supported(posenc_impl_at(i))) {
      assert_int_equal(posenc_plan_create(&plan, &s, posenc_impl_at(i)->name), POSENC_ERROR_CPU);
      assert_null(plan);
      posenc_plan_check(&s, posenc_impl_at(i)->name, message, sizeof message);
      assert_non_null(strstr(message, posenc_impl_at(i)->isa));
    }

  s.base = 1e39; /* beyond float32 */
  assert_int_equal(posenc_plan_create(&plan, &s, "naive"), POSENC_ERROR_UNSUPPORTED);
  posenc_plan_check(&s, "naive", message, sizeof message);
  assert_non_null(strstr(message, "base"));
  posenc_plan_destroy(plan_of(&s, "float64"));
  posenc_plan_destroy(NULL);
  assert_null(posenc_plan_impl(NULL));
  assert_null(posenc_plan_spec(NULL));
}

/* Who says that it offers a dtype does, and nobody else. */
static void dtypes(void **state)
{
  (void)state;
  for (size_t m = 0; runnable(m); m++)
    for (int32_t dtype = 0; dtype < FORMATS; dtype++) {
      const char *name = runnable(m)->name;
      const int offered = strstr(runnable(m)->dtypes, format_of(dtype)->long_name) != NULL;
      posenc_spec spec = posenc_spec_default(8);
      spec.dtype = dtype;
      posenc_plan *plan = NULL;
      char message[512] = "dtype";
      const posenc_status want = offered ? POSENC_OK : POSENC_ERROR_UNSUPPORTED;
      assert_int_equal(posenc_plan_create(&plan, &spec, name), want);
      assert_int_equal(posenc_plan_check(&spec, name, message, sizeof message), want);
      assert_non_null(strstr(message, "dtype"));
      assert_true(offered == (plan != NULL));
      assert_true(offered || (strncmp(name, "exact", 5) != 0 && strncmp(name, "anchored", 8) != 0));
      posenc_plan_destroy(plan);
    }
}

/* The plan keeps its own copy of explicit frequencies. */
static void freqs_are_copied(void **state)
{
  (void)state;
  for (size_t m = 0; runnable(m); m++) {
    double freqs[3] = {1.0, 0.25, -3.0};
    posenc_spec spec = posenc_spec_default(5);
    spec.freqs = freqs;
    spec.n_freqs = 3;
    posenc_plan *plan = plan_of(&spec, runnable(m)->name);
    float before[20], after[20];
    assert_int_equal(posenc_fill(plan, 1, 4, before, 5), POSENC_OK);
    freqs[0] = freqs[1] = freqs[2] = 0.0;
    assert_int_equal(posenc_fill(plan, 1, 4, after, 5), POSENC_OK);
    assert_memory_equal(after, before, sizeof before);
    assert_ptr_not_equal(posenc_plan_spec(plan)->freqs, freqs);
    assert_true(posenc_plan_spec(plan)->freqs[2] == -3.0);
    posenc_plan_destroy(plan);
  }
}

static void status_strings(void **state)
{
  (void)state;
  for (int i = POSENC_OK; i <= POSENC_ERROR_MEMORY; i++)
    for (int j = POSENC_OK; j < i; j++)
      assert_string_not_equal(posenc_status_string((posenc_status)i), posenc_status_string((posenc_status)j));
  assert_string_equal(posenc_status_string((posenc_status)99), "unknown status");
  assert_string_equal(posenc_version(), POSENC_VERSION_STRING);
}

static void bounds_out_of_range(void **state)
{
  (void)state;
  const posenc_spec s = posenc_spec_default(8);
  for (size_t i = 0; i < posenc_impl_count(); i++) {
    const posenc_impl *impl = posenc_impl_at(i);
    assert_true(posenc_impl_error_bound(impl, &s, 0, 0) > 0.0);
    assert_true(posenc_impl_error_bound(impl, &s, (double)POSENC_MAX_POSITION, 0) <= 2.0 + 0x1p-16);
    assert_true(isnan(posenc_impl_error_bound(impl, &s, (double)POSENC_MAX_POSITION + 1, 0)));
    assert_true(isnan(posenc_impl_error_bound(impl, &s, 0, 8)));
    assert_true(isnan(posenc_impl_error_bound(impl, &s, 0, -1)));
    assert_true(isnan(posenc_impl_error_bound(impl, NULL, 0, 0)));
  }
  assert_true(isnan(posenc_impl_error_bound(NULL, &s, 0, 0)));
}

/* ---- fill ---- */

typedef struct call {
  int64_t first, count, stride;
  posenc_status status;
  const char *says[3];
} call;

static void bad_fills(void **state)
{
  (void)state;
  const posenc_spec s = posenc_spec_default(8);
  float out[32], before[32];
  for (size_t i = 0; i < 32; i++)
    before[i] = out[i] = 77.0f;
  const int64_t far = POSENC_MAX_POSITION;
  const call calls[] = {
      {0, -1, 8, POSENC_ERROR_ARGUMENT, {"count", "-1", "0 or more"}},
      {0, INT64_MIN, 8, POSENC_ERROR_ARGUMENT, {"count", "-9223372036854775808", "0 or more"}},
      {0, 2, 7, POSENC_ERROR_ARGUMENT, {"row_stride", "7", "d_model = 8"}},
      {0, 2, -8, POSENC_ERROR_ARGUMENT, {"row_stride", "-8", "d_model = 8"}},
      {0, 2, INT64_MAX, POSENC_ERROR_SIZE, {"row_stride", "9223372036854775807", "at most"}},
      {0, INT64_MAX, 8, POSENC_ERROR_SIZE, {"count", "9223372036854775807", "at most"}},
      {0, INT64_C(1) << 33, INT64_C(1) << 29, POSENC_ERROR_SIZE, {"count", "8589934592", "at most"}},
      {far + 1, 1, 8, POSENC_ERROR_DOMAIN, {"first", "4294967297", "-2^32 to 2^32"}},
      {-far - 1, 1, 8, POSENC_ERROR_DOMAIN, {"first", "-4294967297", "-2^32 to 2^32"}},
      {INT64_MIN, 1, 8, POSENC_ERROR_DOMAIN, {"first", "-9223372036854775808", "-2^32 to 2^32"}},
      {INT64_MAX, 2, 8, POSENC_ERROR_DOMAIN, {"first", "9223372036854775807", "-2^32 to 2^32"}},
      {far, 2, 8, POSENC_ERROR_DOMAIN, {"count", "2", "-2^32 to 2^32"}},
  };
  for (size_t m = 0; runnable(m); m++) {
    posenc_plan *plan = plan_of(&s, runnable(m)->name);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
      const call *c = &calls[i];
      char message[512] = "";
      assert_int_equal(posenc_fill(plan, c->first, c->count, out, c->stride), c->status);
      assert_int_equal(posenc_fill_check(plan, c->first, c->count, out, c->stride, message, sizeof message), c->status);
      for (size_t j = 0; j < 3; j++)
        if (!strstr(message, c->says[j]))
          fail_msg("\"%s\" does not say \"%s\"", message, c->says[j]);
    }
    const int64_t positions[3] = {0, far, far + 1};
    char message[512] = "";
    assert_int_equal(posenc_fill_at(plan, positions, 3, out, 8), POSENC_ERROR_DOMAIN);
    posenc_fill_at_check(plan, positions, 3, out, 8, message, sizeof message);
    assert_non_null(strstr(message, "positions[2] is 4294967297"));
    assert_int_equal(posenc_fill_at(plan, NULL, 1, out, 8), POSENC_ERROR_ARGUMENT);
    posenc_fill_at_check(plan, NULL, 1, out, 8, message, sizeof message);
    assert_string_equal(message, "positions is NULL; an array of count positions is needed");
    posenc_fill_check(plan, 0, 1, NULL, 8, message, sizeof message);
    assert_string_equal(message, "out is (nil); allowed: memory aligned to 4 bytes");
    assert_int_equal(posenc_fill_at(plan, positions, -1, out, 8), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_fill(plan, 0, 1, NULL, 8), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_fill(plan, 0, 1, (char *)out + 1, 8), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_fill(plan, 0, 0, NULL, 8), POSENC_OK);
    assert_int_equal(posenc_fill_at(plan, NULL, 0, NULL, 8), POSENC_OK);
    assert_memory_equal(out, before, sizeof out);
    posenc_plan_destroy(plan);
  }
  char message[128] = "";
  assert_int_equal(posenc_fill(NULL, 0, 1, out, 8), POSENC_ERROR_ARGUMENT);
  posenc_fill_check(NULL, 0, 1, out, 8, message, sizeof message);
  assert_string_equal(message, "plan is NULL; a plan from posenc_plan_create() is needed");
  assert_memory_equal(out, before, sizeof out);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_specs),
      cmocka_unit_test(spec_of_another_size),
      cmocka_unit_test(messages_are_cut),
      cmocka_unit_test(implementations),
      cmocka_unit_test(families),
      cmocka_unit_test(unknown_and_unsupported),
      cmocka_unit_test(dtypes),
      cmocka_unit_test(freqs_are_copied),
      cmocka_unit_test(status_strings),
      cmocka_unit_test(bounds_out_of_range),
      cmocka_unit_test(bad_fills),
  };
  return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
