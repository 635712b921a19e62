/* "Sets *spec to a preset's" and "On error *spec is all zeros, which every call refuses". python/tests/test_presets.py tests
 * their values and first positions, as it has the formulas of their projects.
 */
#include "testing.h"

#include <stdio.h>

/* The widths as the preset's formula states them: all, "even widths", or "even widths from 4". */
static int is_even(const posenc_preset *preset) { return strstr(preset->formula, "even widths") != NULL; }

static int has_width(const posenc_preset *preset, int64_t d) {
  const char *const from = strstr(preset->formula, "even widths from ");
  const int64_t least = from ? strtol(from + strlen("even widths from "), NULL, 10) : is_even(preset) ? 2 : 1;
  return d >= least && d <= POSENC_MAX_D_MODEL && !(is_even(preset) && d % 2 != 0);
}

static const posenc_spec zeros;

static void preset_specs(void **state) {
  (void)state;
  static const int64_t widths[] = {1, 2, 3, 4, 5, 64, POSENC_MAX_D_MODEL};
  assert_null(posenc_preset_by_index(posenc_preset_count()));
  for (size_t p = 0; p < posenc_preset_count(); p++) {
    const posenc_preset *preset = posenc_preset_by_index(p);
    assert_true(strlen(preset->formula) > 10 && strlen(preset->users) > 10);
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
      posenc_spec spec, same;
      if (!has_width(preset, widths[w]))
        continue;
      memset(&spec, 0x5a, sizeof spec);
      assert_int_equal(posenc_spec_init(&spec, widths[w], preset->name), POSENC_OK);
      assert_true(spec.struct_size == sizeof spec && spec.d_model == widths[w]);
      assert_true(spec.base == 10000 && spec.position_scale == 1 && spec.dtype == POSENC_DTYPE_F32);
      assert_true(!spec.freqs && !spec.freqs_low && spec.n_freqs == 0 && spec.table_rows == 0);
      assert_memory_equal(spec.reserved, zeros.reserved, sizeof spec.reserved);
      posenc_plan_destroy(plan_of(&spec, NULL));
      if (strcmp(preset->name, "paper") != 0)
        continue;
      assert_int_equal(posenc_spec_init(&same, widths[w], NULL), POSENC_OK);
      assert_memory_equal(&same, &spec, sizeof spec);
    }
  }
}

static void expect_refused(int64_t d_model, const char *preset, char message[512]) {
  posenc_spec spec;
  posenc_plan *plan;
  memset(&spec, 0x5a, sizeof spec);
  assert_int_equal(posenc_spec_init(&spec, d_model, preset), POSENC_ERROR_SPEC);
  assert_memory_equal(&spec, &zeros, sizeof spec);
  assert_int_equal(posenc_plan_create(&plan, &spec, NULL), POSENC_ERROR_SPEC);
  posenc_last_error(message, 512);
  assert_non_null(strstr(message, "posenc_spec_init() sets it where it succeeds"));
  posenc_spec_init(&spec, d_model, preset);
  assert_int_equal(posenc_last_error(message, 512), POSENC_ERROR_SPEC);
}

/* A width that a preset lacks, and a name that is no preset's, give POSENC_ERROR_SPEC, a message that says so, and a
 * spec of zeros, which is refused too. */
static void preset_refusals(void **state) {
  (void)state;
  char message[512], value[32];
  for (size_t p = 0; p < posenc_preset_count(); p++) {
    const posenc_preset *preset = posenc_preset_by_index(p);
    const int64_t tried[] = {0, -1, INT64_MIN, INT64_MAX, POSENC_MAX_D_MODEL + 2, 1, 2, 3, 7, 33, 4095};
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
      if (has_width(preset, tried[i]))
        continue;
      expect_refused(tried[i], preset->name, message);
      snprintf(value, sizeof value, "d_model is %lld;", (long long)tried[i]);
      assert_non_null(strstr(message, value));
      assert_non_null(strstr(message, preset->name));
      assert_non_null(strstr(message, "to 1048576"));
      assert_int_equal(strstr(message, "even") != NULL, is_even(preset));
    }
  }
  const char *names[] = {"", "papers", "Paper", "pape", "whisper "};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    expect_refused(64, names[i], message);
    assert_non_null(strstr(message, names[i]));
    for (size_t p = 0; p < posenc_preset_count(); p++)
      assert_non_null(strstr(message, posenc_preset_by_index(p)->name));
  }
  expect_refused(0, NULL, message);
  assert_non_null(strstr(message, "d_model is 0; preset \"paper\" allows: 1 to 1048576"));
  assert_int_equal(posenc_spec_init(NULL, 64, "paper"), POSENC_ERROR_ARGUMENT);
  posenc_last_error(message, sizeof message);
  assert_string_equal(message, "spec is NULL; allowed: a posenc_spec aligned to 8 bytes");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(preset_specs), cmocka_unit_test(preset_refusals)};
  return cmocka_run_group_tests_name("presets", tests, NULL, NULL);
}
