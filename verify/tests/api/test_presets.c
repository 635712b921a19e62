/* Each preset against the formula of the project it is named after (formulas.h). */
#include "testing.h"

#include <math.h>
#include <stdio.h>

#include "formulas.h"

static const struct {
  const char *name, *starts;
  formula *formula;
  int64_t multiple, least; /* the widths it has */
} presets[] = {{"paper", "0", paper, 1, 1}, {"marian", "0", marian, 1, 1}, {"t2t", "0", t2t, 1, 1},
    {"ddpm", "0", ddpm, 1, 1}, {"fairseq", "padding_idx + 1", fairseq, 1, 1}, {"whisper", "0", whisper, 2, 4},
    {"guided_diffusion", "any real number", guided_diffusion, 1, 1}, {"diffusers", "any real number", diffusers, 1, 1},
    {"rope", "0", rope, 2, 2}, {"rothman", "0", rothman, 2, 2}};
enum { PRESETS = sizeof presets / sizeof presets[0], WIDEST = 1280 };

static const int64_t widths[] = {1, 2, 3, 4, 5, 7, 8, 33, 64, 101, 128, 320, 512, 513, WIDEST};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

/* Half a float32 unit just below 1, and what the transcription itself may be off: roundings of its angle, of which the
 * exponent passes on as many as it is large. */
static void compare(size_t p, int64_t d, const char *impl, double position, const float *row) {
  for (int64_t c = 0; c < d; c++) {
    double angle = NAN;
    const double want = presets[p].formula(position, c, d, &angle), off = fabs((double)row[c] - want);
    const double w = position == 0 ? 1 : fabs(angle / position);
    const double allowed = isnan(angle) ? 0 : 0x1p-25 + fabs(angle) * (4 + 2 * fabs(log(w))) * 0x1p-53 + 0x1p-52;
    if (!(off <= allowed))
      fail_msg("%s, d_model %lld, %s: position %g, column %lld: got %a, the project has %a", presets[p].name,
          (long long)d, impl, position, (long long)c, (double)row[c], want);
  }
}

static void check_width(size_t p, int64_t d, const char *impl) {
  static const int64_t positions[] = {0, 1, 2, 3, 511, 4999, 131071, 1048575};
  static const double reals[] = {0.0, 0.5, 999.25, 0.1, -3.75, 1e-3};
  enum { N = sizeof positions / sizeof positions[0], R = sizeof reals / sizeof reals[0] };
  static float rows[N * WIDEST];
  posenc_spec spec;
  assert_int_equal(posenc_spec_preset(presets[p].name, d, &spec), POSENC_OK);
  assert_int_equal(spec.dtype, POSENC_F32);
  posenc_plan *plan = plan_of(&spec, impl);
  assert_int_equal(posenc_fill_at(plan, positions, N, rows, d), POSENC_OK);
  for (int64_t i = 0; i < N; i++)
    compare(p, d, impl, (double)positions[i], rows + i * d);
  assert_int_equal(posenc_fill(plan, 2, N, rows, d), POSENC_OK); /* where tokens of fairseq begin: padding_idx is 1 */
  for (int64_t i = 0; i < N; i++)
    compare(p, d, impl, (double)(2 + i), rows + i * d);
  assert_int_equal(posenc_fill_at_real(plan, reals, R, rows, d), POSENC_OK);
  for (int64_t i = 0; i < R; i++)
    compare(p, d, impl, reals[i], rows + i * d);
  if (strcmp(presets[p].name, "rope") == 0) {
    static float sines[N * WIDEST];
    float *cosines = rows;
    assert_int_equal(posenc_fill_pair(plan, 4000, N, sines, cosines, d), POSENC_OK);
    for (int64_t i = 0; i < N; i++) {
      memcpy(cosines + i * d + d / 2, sines + i * d, (size_t)(d / 2) * sizeof *sines);
      compare(p, d, impl, (double)(4000 + i), cosines + i * d);
    }
  }
  posenc_plan_destroy(plan);
}

static void as_their_projects_have_them(void **state) {
  (void)state;
  for (size_t p = 0; p < PRESETS; p++)
    for (size_t w = 0; w < WIDTHS; w++)
      if (widths[w] % presets[p].multiple == 0 && widths[w] >= presets[p].least) {
        check_width(p, widths[w], "float64");
        check_width(p, widths[w], "exact");
      }
}

static void all_of_them_are_here(void **state) {
  (void)state;
  assert_int_equal(posenc_preset_count(), PRESETS);
  assert_null(posenc_preset_at(PRESETS));
  assert_null(posenc_preset_at(SIZE_MAX));
  for (size_t p = 0; p < PRESETS; p++) {
    const posenc_preset *preset = posenc_preset_at(p);
    assert_string_equal(preset->name, presets[p].name);
    assert_string_equal(preset->starts, presets[p].starts);
    assert_true(strlen(preset->formula) > 10 && strlen(preset->users) > 10);
  }
}

/* A width that a preset lacks, a name that is none: the status, a line that says so, and the spec as it was. */
static void refusals(void **state) {
  (void)state;
  posenc_spec spec, before;
  memset(&spec, 0x5a, sizeof spec);
  memcpy(&before, &spec, sizeof spec);
  char message[512] = "untouched", value[32];
  for (size_t p = 0; p < PRESETS; p++) {
    const int64_t tried[] = {0, -1, INT64_MIN, INT64_MAX, POSENC_MAX_D_MODEL + 2, 1, 2, 3, 7, 33, 4095};
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
      const int64_t d = tried[i];
      if (d >= presets[p].least && d <= POSENC_MAX_D_MODEL && d % presets[p].multiple == 0)
        continue;
      assert_int_equal(posenc_spec_preset(presets[p].name, d, &spec), POSENC_ERROR_SPEC);
      assert_int_equal(posenc_spec_preset_check(presets[p].name, d, message, sizeof message), POSENC_ERROR_SPEC);
      snprintf(value, sizeof value, "d_model is %lld;", (long long)d);
      assert_non_null(strstr(message, value));
      assert_non_null(strstr(message, presets[p].name));
      assert_non_null(strstr(message, "to 1048576"));
      assert_int_equal(strstr(message, "even") != NULL, presets[p].multiple == 2);
    }
    snprintf(message, sizeof message, "untouched");
    assert_int_equal(posenc_spec_preset_check(presets[p].name, 64, message, sizeof message), POSENC_OK);
    assert_string_equal(message, "untouched");
  }
  const char *names[] = {"", "papers", "Paper", "pape", "whisper "};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    assert_int_equal(posenc_spec_preset(names[i], 64, &spec), POSENC_ERROR_SPEC);
    assert_int_equal(posenc_spec_preset_check(names[i], 64, message, sizeof message), POSENC_ERROR_SPEC);
    assert_non_null(strstr(message, names[i]));
    for (size_t p = 0; p < PRESETS; p++)
      assert_non_null(strstr(message, presets[p].name));
  }
  assert_int_equal(posenc_spec_preset(NULL, 64, &spec), POSENC_ERROR_ARGUMENT);
  assert_int_equal(posenc_spec_preset_check(NULL, 64, message, sizeof message), POSENC_ERROR_ARGUMENT);
  assert_non_null(strstr(message, "name is NULL"));
  assert_int_equal(posenc_spec_preset("paper", 64, NULL), POSENC_ERROR_ARGUMENT);
  assert_memory_equal(&spec, &before, sizeof spec);
  assert_int_equal(posenc_spec_preset_check("paper", 0, message, 5), POSENC_ERROR_SPEC);
  assert_string_equal(message, "d_mo");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_of_them_are_here),
      cmocka_unit_test(as_their_projects_have_them),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests_name("presets", tests, NULL, NULL);
}
