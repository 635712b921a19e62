/* The presets: their names, the spec that each is at some widths, and what is refused. That they are what their
 * projects compute is asserted by python/tests/test_presets.py, which has their formulas.
 */
#include "testing.h"

#include <math.h>
#include <stdio.h>

static const struct {
  const char *name, *starts;
  int32_t layout, order, odd;
  double times, shift;     /* the denominator is times * (half the columns that are no zeros) - shift; 0: d_model / 2 */
  int64_t multiple, least; /* the widths it has */
} presets[] = {
    {"paper", "0", POSENC_LAYOUT_INTERLEAVED, POSENC_ORDER_SIN_FIRST, POSENC_ODD_HALF_PAIR, 0, 0, 1, 1},
    {"marian", "0", POSENC_LAYOUT_SPLIT, POSENC_ORDER_SIN_FIRST, POSENC_ODD_HALF_PAIR, 0, 0, 1, 1},
    {"t2t", "0", POSENC_LAYOUT_SPLIT, POSENC_ORDER_SIN_FIRST, POSENC_ODD_ZERO, 1, 1, 1, 1},
    {"ddpm", "0", POSENC_LAYOUT_SPLIT, POSENC_ORDER_SIN_FIRST, POSENC_ODD_ZERO, 1, 1, 1, 1},
    {"fairseq", "padding_idx + 1", POSENC_LAYOUT_SPLIT, POSENC_ORDER_SIN_FIRST, POSENC_ODD_ZERO, 1, 1, 1, 1},
    {"whisper", "0", POSENC_LAYOUT_SPLIT, POSENC_ORDER_SIN_FIRST, POSENC_ODD_ZERO, 1, 1, 2, 4},
    {"musicgen", "0", POSENC_LAYOUT_SPLIT, POSENC_ORDER_COS_FIRST, POSENC_ODD_ZERO, 1, 1, 1, 1},
    {"guided_diffusion", "any real number", POSENC_LAYOUT_SPLIT, POSENC_ORDER_COS_FIRST, POSENC_ODD_ZERO, 1, 0, 1, 1},
    {"diffusers", "any real number", POSENC_LAYOUT_SPLIT, POSENC_ORDER_SIN_FIRST, POSENC_ODD_ZERO, 1, 1, 1, 1},
    {"rope", "0", POSENC_LAYOUT_SPLIT, POSENC_ORDER_COS_FIRST, POSENC_ODD_ZERO, 0, 0, 2, 2},
    {"rothman", "0", POSENC_LAYOUT_INTERLEAVED, POSENC_ORDER_SIN_FIRST, POSENC_ODD_ZERO, 0.5, 0, 2, 2},
};
enum { PRESETS = sizeof presets / sizeof presets[0] };

static int has_width(size_t p, int64_t d) {
  return d >= presets[p].least && d <= POSENC_MAX_D_MODEL && d % presets[p].multiple == 0;
}

/* The one frequency of a width below 4 is 1 whatever the denominator, and 0 stands for any. */
static void specs(void **state) {
  (void)state;
  static const int64_t widths[] = {1, 2, 3, 4, 5, 7, 8, 33, 64, 101, 512, POSENC_MAX_D_MODEL};
  assert_int_equal(posenc_preset_count(), PRESETS);
  assert_null(posenc_preset_by_index(PRESETS));
  for (size_t p = 0; p < PRESETS; p++) {
    const posenc_preset *preset = posenc_preset_by_index(p);
    assert_string_equal(preset->name, presets[p].name);
    assert_string_equal(preset->starts, presets[p].starts);
    assert_true(strlen(preset->formula) > 10 && strlen(preset->users) > 10);
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
      const int64_t d = widths[w];
      posenc_spec spec, want = {.struct_size = sizeof want, .d_model = d, .base = 10000, .position_scale = 1};
      if (!has_width(p, d))
        continue;
      want.layout = presets[p].layout;
      want.order = presets[p].order;
      want.odd = presets[p].odd;
      want.denominator = fmax(0, presets[p].times * (double)(d / 2) - presets[p].shift);
      memset(&spec, 0x5a, sizeof spec);
      assert_int_equal(posenc_spec_init(&spec, d, presets[p].name), POSENC_OK);
      assert_memory_equal(&spec, &want, sizeof spec);
      posenc_plan_destroy(plan_of(&spec, NULL));
      if (p > 0)
        continue;
      memset(&spec, 0x5a, sizeof spec);
      assert_int_equal(posenc_spec_init(&spec, d, NULL), POSENC_OK);
      assert_memory_equal(&spec, &want, sizeof spec);
    }
  }
}

static void expect_refused(int64_t d_model, const char *preset, char message[512]) {
  static const posenc_spec zeros;
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

/* A width that a preset lacks, a name that is none: the status, a line that says so, and a spec of zeros, which is
 * refused too. */
static void refusals(void **state) {
  (void)state;
  char message[512], value[32];
  for (size_t p = 0; p < PRESETS; p++) {
    const int64_t tried[] = {0, -1, INT64_MIN, INT64_MAX, POSENC_MAX_D_MODEL + 2, 1, 2, 3, 7, 33, 4095};
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
      if (has_width(p, tried[i]))
        continue;
      expect_refused(tried[i], presets[p].name, message);
      snprintf(value, sizeof value, "d_model is %lld;", (long long)tried[i]);
      assert_non_null(strstr(message, value));
      assert_non_null(strstr(message, presets[p].name));
      assert_non_null(strstr(message, "to 1048576"));
      assert_int_equal(strstr(message, "even") != NULL, presets[p].multiple == 2);
    }
  }
  const char *names[] = {"", "papers", "Paper", "pape", "whisper "};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    expect_refused(64, names[i], message);
    assert_non_null(strstr(message, names[i]));
    for (size_t p = 0; p < PRESETS; p++)
      assert_non_null(strstr(message, presets[p].name));
  }
  expect_refused(0, NULL, message);
  assert_non_null(strstr(message, "d_model is 0; preset \"paper\" allows: 1 to 1048576"));
  assert_int_equal(posenc_spec_init(NULL, 64, "paper"), POSENC_ERROR_ARGUMENT);
  posenc_last_error(message, sizeof message);
  assert_string_equal(message, "spec is NULL; a posenc_spec is needed");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(specs), cmocka_unit_test(refusals)};
  return cmocka_run_group_tests_name("presets", tests, NULL, NULL);
}
