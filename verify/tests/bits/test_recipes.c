/* The recipes are faithful: each is held, bit for bit, to a transcription of its formula written here on its own, one
 * element at a time. The SLEEF rows are held to the sine of the very float32 (or float64) angle of their recipe, within
 * what SLEEF claims: a frequency that is off by its last bit does not pass at late positions.
 */
#include "testing.h"

#include <math.h>
#include <stdio.h>

typedef float recipe(int64_t position, int64_t k, int cosine, int64_t d_model);

static float naive(int64_t position, int64_t k, int cosine, int64_t d_model) {
  const float exponent = (float)(2 * k) / (float)d_model;
  const float angle = (float)position / powf(10000.0f, exponent);
  return cosine ? cosf(angle) : sinf(angle);
}

static float tutorial_frequency(int64_t k, int64_t d_model) {
  return expf((float)(2 * k) * (float)(-log(10000.0) / (double)d_model));
}

static float explog(int64_t position, int64_t k, int cosine, int64_t d_model) {
  const float angle = (float)position * tutorial_frequency(k, d_model);
  return cosine ? cosf(angle) : sinf(angle);
}

static float recurrence(int64_t position, int64_t k, int cosine, int64_t d_model) {
  const float w = tutorial_frequency(k, d_model), turn_sin = sinf(w), turn_cos = cosf(w);
  int64_t p = position;
  while (p % 64 != 0)
    p--;
  float s = sinf((float)p * w), c = cosf((float)p * w);
  for (; p < position; p++) {
    const float before = s;
    s = s * turn_cos + c * turn_sin;
    c = c * turn_cos - before * turn_sin;
  }
  return cosine ? c : s;
}

static float float64(int64_t position, int64_t k, int cosine, int64_t d_model) {
  const double angle = (double)position * pow(10000.0, -2.0 * (double)k / (double)d_model);
  return (float)(cosine ? cos(angle) : sin(angle));
}

static const struct {
  const char *impl;
  recipe *formula;
} exact_recipes[] = {{"naive", naive}, {"explog", explog}, {"recurrence", recurrence}, {"float64", float64}};

static const int64_t widths[] = {1, 2, 7, 64, 512};
static const int64_t positions[] = {0, 1, 2, 63, 64, 65, 127, 511, 4999, 131071, 1048575, 16777217, -1, -64, -100,
    -5000, POSENC_MAX_POSITION - 1, -POSENC_MAX_POSITION};
enum { WIDTHS = sizeof widths / sizeof widths[0], POSITIONS = sizeof positions / sizeof positions[0] };

static void bit_for_bit(void **state) {
  (void)state;
  for (size_t m = 0; m < sizeof exact_recipes / sizeof exact_recipes[0]; m++)
    for (size_t w = 0; w < WIDTHS; w++) {
      const int64_t d = widths[w];
      const posenc_spec spec = posenc_spec_default(d);
      posenc_plan *plan = plan_of(&spec, exact_recipes[m].impl);
      float got[512], want[512];
      for (size_t p = 0; p < POSITIONS; p++) {
        assert_int_equal(posenc_fill(plan, positions[p], 1, got, d), POSENC_OK);
        for (int64_t c = 0; c < d; c++)
          want[c] = exact_recipes[m].formula(positions[p], c / 2, (int)(c % 2), d);
        assert_rows_equal(exact_recipes[m].impl, got, want, 1, d, d, d);
      }
      posenc_plan_destroy(plan);
    }
}

/* Distance from the sine or cosine of the recipe's own angle, in units of 2^-24. */
static double distance(const posenc_impl *impl, float got, int64_t position, int64_t k, int cosine, int64_t d) {
  const int f64 = strncmp(impl->name, "sleef_f64", 9) == 0;
  const double angle = f64 ? (double)position * pow(10000.0, -2.0 * (double)k / (double)d)
                           : (double)((float)position * tutorial_frequency(k, d));
  return fabs((double)got - (cosine ? cos(angle) : sin(angle))) * 0x1p24;
}

static void sleef_angles(void **state) {
  (void)state;
  for (size_t m = 0; runnable(m); m++) {
    const posenc_impl *impl = runnable(m);
    if (strncmp(impl->name, "sleef", 5) != 0)
      continue;
    /* ULPs below 1, with room for the float64 libm this is measured against. */
    const double allowed = (strncmp(impl->name, "sleef_f64", 9) == 0 ? 0.5
                               : strstr(impl->name, "_u35")          ? 3.5
                                                                     : 1.0) +
                           1e-6;
    for (size_t w = 0; w < WIDTHS; w++) {
      const int64_t d = widths[w];
      const posenc_spec spec = posenc_spec_default(d);
      posenc_plan *plan = plan_of(&spec, impl->name);
      float got[512];
      for (size_t p = 0; p < POSITIONS; p++) {
        assert_int_equal(posenc_fill(plan, positions[p], 1, got, d), POSENC_OK);
        for (int64_t c = 0; c < d; c++) {
          const double off = distance(impl, got[c], positions[p], c / 2, (int)(c % 2), d);
          if (!(off <= allowed))
            fail_msg("%s: position %lld, column %lld of %lld: %.3f units of 2^-24 from the recipe, %.3f allowed",
                impl->name, (long long)positions[p], (long long)c, (long long)d, off, allowed);
        }
      }
      posenc_plan_destroy(plan);
    }
  }
}

static int is_recipe(const posenc_impl *impl) {
  for (size_t m = 0; m < sizeof exact_recipes / sizeof exact_recipes[0]; m++)
    if (strcmp(impl->name, exact_recipes[m].impl) == 0)
      return 1;
  return 0;
}

/* Explicit frequencies: the float32 recipes multiply by (float)w, the float64 ones by w. At the far positions a last
 * bit of w is many turns of a float32 angle, and 2^-20 of a float64 one. */
static void explicit_frequencies(void **state) {
  (void)state;
  const double freqs[4] = {0.1, 3.7e-5, 0.0, -1.25};
  const int64_t at[] = {
      -POSENC_MAX_POSITION, -128, -64, 0, 64, 128, POSENC_MAX_POSITION}; /* the recurrence's anchors */
  posenc_spec spec = posenc_spec_default(8);
  spec.freqs = freqs;
  spec.n_freqs = 4;
  for (size_t m = 0; runnable(m); m++) {
    const posenc_impl *impl = runnable(m);
    const int f64 = strncmp(impl->arithmetic, "float64", 7) == 0;
    const int sleef = strncmp(impl->name, "sleef", 5) == 0;
    if (!sleef && !is_recipe(impl))
      continue; /* no recipe to be faithful to: its bound says all, and posenc-verify holds it to that */
    posenc_plan *plan = plan_of(&spec, impl->name);
    for (size_t p = 0; p < sizeof at / sizeof at[0]; p++) {
      float got[8];
      assert_int_equal(posenc_fill(plan, at[p], 1, got, 8), POSENC_OK);
      for (int c = 0; c < 8; c++) {
        const double w = freqs[c / 2];
        const float angle = (float)at[p] * (float)w;
        const double real = f64 ? (double)at[p] * w : (double)angle;
        const double want = c % 2 ? cos(real) : sin(real);
        const float exact = f64 ? (float)want : c % 2 ? cosf(angle) : sinf(angle);
        const double off = fabs((double)got[c] - want) * 0x1p24;
        const double allowed = (f64 ? 0.5 : strstr(impl->name, "_u35") ? 3.5 : 1.0) + 1e-6;
        if (sleef ? !(off <= allowed) : memcmp(&got[c], &exact, sizeof exact) != 0)
          fail_msg("%s: explicit frequencies, position %lld, column %d: got %a, want %a", impl->name, (long long)at[p],
              c, (double)got[c], (double)exact);
      }
    }
    posenc_plan_destroy(plan);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bit_for_bit),
      cmocka_unit_test(sleef_angles),
      cmocka_unit_test(explicit_frequencies),
  };
  return cmocka_run_group_tests_name("recipes", tests, NULL, NULL);
}
