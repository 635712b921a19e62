/* The recipes compute what they say.
 *   - float64 has all bits of the formula in float64, rounded.
 *   - Each float32 recipe has all bits of a transcription of its formula, which computes one element at a time.
 *   - The SLEEF rows are compared with the sine of their recipe's float32 (or float64) angle, within the error that
 *     SLEEF states. At late positions a frequency with a wrong last bit does not pass.
 * With explicit frequencies the float32 recipes multiply by (float)w, the float64 recipes by w.
 *
 * Other families have no formula here, and are not tested here: posenc-verify compares them with their bounds.
 */
#include "testing.h"

#include <math.h>

enum { WIDEST = 512 };

static int is_recipe(const char *family) {
  static const char *const recipes[] = {"naive", "explog", "recurrence", "float64", "sleef", "sleef_u35", "sleef_f64"};
  for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++)
    if (strcmp(family, recipes[i]) == 0)
      return 1;
  return 0;
}

/* The frequency of the PyTorch tutorial. */
static float tutorial_frequency(const posenc_spec *spec, int64_t k) {
  return spec->freqs ? (float)spec->freqs[k] : expf((float)(2 * k) * (float)(-log(spec->base) / (double)spec->d_model));
}

static float naive_angle(const posenc_spec *spec, int64_t position, int64_t k) {
  if (spec->freqs)
    return (float)position * tutorial_frequency(spec, k);
  return (float)position / powf((float)spec->base, (float)(2 * k) / (float)spec->d_model);
}

static float recurrence(const posenc_spec *spec, int64_t position, int64_t k, int cosine) {
  const float w = tutorial_frequency(spec, k), step_sin = sinf(w), step_cos = cosf(w);
  int64_t p = position;
  while (p % 64 != 0)
    p--;
  float s = sinf((float)p * w), c = cosf((float)p * w);
  for (; p < position; p++) {
    const float before = s;
    s = s * step_cos + c * step_sin;
    c = c * step_cos - before * step_sin;
  }
  return cosine ? c : s;
}

/* The value of a float32 recipe. */
static float formula(const char *family, const posenc_spec *spec, int64_t position, int64_t k, int cosine) {
  if (strcmp(family, "recurrence") == 0)
    return recurrence(spec, position, k, cosine);
  const float angle =
      strcmp(family, "naive") == 0 ? naive_angle(spec, position, k) : (float)position * tutorial_frequency(spec, k);
  return cosine ? cosf(angle) : sinf(angle);
}

/* The formula in float64. An integer position 0 has no sign, so a negative frequency does not turn it into -0. */
static double float64(const posenc_spec *spec, int64_t position, int64_t k, int cosine) {
  const double w = spec->freqs ? spec->freqs[k] : pow(spec->base, -(double)k / ((double)spec->d_model / 2));
  const double angle = (double)position * w;
  return cosine ? cos(angle) : sin(angle + 0.0);
}

/* Whether an element is that of the recipe. For SLEEF: whether it is near enough, in units of 2^-24, which are ULPs
 * just below 1, with room for the error of the float64 libm. */
static int faithful(const char *family, const posenc_spec *spec, int64_t position, int64_t c, float got) {
  const int64_t k = c / 2;
  const double in_float64 = float64(spec, position, k, c % 2 == 1);
  if (strcmp(family, "float64") == 0)
    return got == (float)in_float64; /* 0 may have either sign */
  if (strncmp(family, "sleef", 5) != 0) {
    const float want = formula(family, spec, position, k, c % 2 == 1);
    return memcmp(&got, &want, sizeof got) == 0;
  }
  const int f64 = strcmp(family, "sleef_f64") == 0, u35 = strcmp(family, "sleef_u35") == 0;
  const double angle = (double)((float)position * tutorial_frequency(spec, k));
  const double want = f64 ? in_float64 : c % 2 ? cos(angle) : sin(angle);
  return fabs((double)got - want) * 0x1p24 <= (f64 ? 0.5 : u35 ? 3.5 : 1.0) + 1e-6;
}

/* At far positions the last bit of w changes a float32 angle by many turns, and a float64 angle by 2^-20. */
static void formulas(void **state) {
  (void)state;
  static const double freqs[] = {0.1, 3.7e-5, 0.0, -1.25};
  static const int64_t widths[] = {1, 2, 7, 8, 64, WIDEST};
  static const int64_t positions[] = {0, 1, 2, 63, 64, 65, 127, 128, 511, 4999, 131071, 1048575, 16777217, -1, -64,
      -100, -128, -5000, POSENC_MAX_POSITION, POSENC_MAX_POSITION - 1, -POSENC_MAX_POSITION};
  for (size_t m = 0; runnable(m); m++)
    for (size_t i = 0; is_recipe(runnable(m)->family) && i < 2 * sizeof widths / sizeof widths[0]; i++) {
      const char *const impl = runnable(m)->name;
      const size_t w = i / 2;
      posenc_spec spec = paper_spec(widths[w]);
      spec.base = i % 2 ? 0.01 : 10000;
      spec.freqs = widths[w] == 8 ? freqs : NULL;
      spec.n_freqs = widths[w] == 8 ? 4 : 0;
      posenc_plan *plan = plan_of(&spec, impl);
      for (size_t p = 0; p < sizeof positions / sizeof positions[0]; p++) {
        float got[WIDEST];
        assert_int_equal(posenc_fill(plan, positions[p], 1, got, spec.d_model), POSENC_OK);
        for (int64_t c = 0; c < spec.d_model; c++)
          if (!faithful(runnable(m)->family, &spec, positions[p], c, got[c]))
            fail_msg("%s: position %lld, column %lld of %lld: %a is not the recipe's", impl, (long long)positions[p],
                (long long)c, (long long)spec.d_model, (double)got[c]);
      }
      posenc_plan_destroy(plan);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formulas)};
  return cmocka_run_group_tests_name("recipes", tests, NULL, NULL);
}
