/* The widths that each preset has. "On error *spec is all zeros, which every call refuses." test_refusals.c has unknown
 * names, and python/tests/test_presets.py the presets' values and first positions.
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

/* Tries a width, which must be refused with a message that says so if the preset lacks it. */
static void try_width(const posenc_preset *preset, int64_t d_model) {
  static const posenc_spec zeros;
  char message[512], value[32];
  posenc_spec spec;
  memset(&spec, 0x5a, sizeof spec);
  const posenc_status status = posenc_spec_init(&spec, d_model, preset->name);
  if (has_width(preset, d_model)) {
    assert_int_equal(status, POSENC_OK);
    posenc_plan_destroy(plan_of(&spec, NULL));
    return;
  }
  assert_int_equal(status, POSENC_ERROR_SPEC);
  assert_memory_equal(&spec, &zeros, sizeof spec);
  posenc_last_error(message, sizeof message);
  snprintf(value, sizeof value, "d_model is %lld;", (long long)d_model);
  assert_non_null(strstr(message, value));
  assert_non_null(strstr(message, preset->name));
  assert_non_null(strstr(message, "to 1048576"));
  assert_int_equal(strstr(message, "even") != NULL, is_even(preset));
}

static void widths(void **state) {
  (void)state;
  static const int64_t tried[] = {
      INT64_MIN, -1, 0, 1, 2, 3, 4, 5, 7, 33, 64, 4095, POSENC_MAX_D_MODEL, POSENC_MAX_D_MODEL + 2, INT64_MAX};
  const posenc_preset *preset;
  for (size_t p = 0; (preset = posenc_preset_by_index(p)); p++) {
    assert_true(strlen(preset->formula) > 10 && strlen(preset->users) > 10);
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++)
      try_width(preset, tried[i]);
  }
  assert_true(posenc_preset_count() > 0 && !posenc_preset_by_index(posenc_preset_count()));
}

static void no_name_means_paper(void **state) {
  (void)state;
  posenc_spec paper, same;
  assert_int_equal(posenc_spec_init(&paper, 7, "paper"), POSENC_OK);
  assert_int_equal(posenc_spec_init(&same, 7, NULL), POSENC_OK);
  assert_memory_equal(&same, &paper, sizeof same);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(widths), cmocka_unit_test(no_name_means_paper)};
  return cmocka_run_group_tests_name("presets", tests, NULL, NULL);
}
