/* `NULL means "exact", which offers every valid spec` (posenc.h): fractional, huge and tiny denominators, bases at the
 * ends of float64 and next to 1, a single frequency. Every value is the nearest.
 */
#include "judged.h"

#include <float.h>

static const double bases[] = {1, 1 + DBL_EPSILON, 1 - DBL_EPSILON / 2, 0x1p-1074, DBL_MAX, 0.7, 10000};
static const double denominators[] = {100.3, 255.7, 0x1.0c152382d7365p+0 /* pi/3 */, 1e300, 0x1p-40, 0x1p21 + 0.5, 537,
    0 /* replaced by least_denominator() */};
static const int64_t widths[] = {1, 2, 9, 130};
static const double scales[] = {1, 0x1p32, -0x1p32, -0x1p-32, 1.0 / 3};

enum {
  BASES = sizeof bases / sizeof bases[0],
  DENOMINATORS = sizeof denominators / sizeof denominators[0],
  WIDTHS = sizeof widths / sizeof widths[0],
  SCALES = sizeof scales / sizeof scales[0],
  LADDERS = BASES * DENOMINATORS * WIDTHS
};

/* Nearly the least allowed denominator with this base: the last frequency is 2^64 or 2^-1022. k/denominator is up to
 * 2^62. */
static double least_denominator(double base, int64_t n) {
  const double steps = n > 1 ? (double)(n - 1) : 1;
  return base == 1 ? 0x1p-1074 : steps * fabs(log2(base)) / (base < 1 ? 64 : 1022) * (1 + 1e-12);
}

static posenc_spec ladder(int64_t i) {
  posenc_spec spec = paper_spec(widths[i % WIDTHS]);
  spec.base = bases[i / WIDTHS % BASES];
  spec.denominator = denominators[i / WIDTHS / BASES];
  if (spec.denominator == 0)
    spec.denominator = least_denominator(spec.base, spec_count(&spec));
  return spec;
}

/* For every ladder all values are correctly rounded, or the spec is refused. */
static void right_or_refused(void **state) {
  (void)state;
  const double integers[] = {1, -1, 0, 3, 64, 131071, -4097, 0x1p32, -0x1p32, 3000000019};
  const double reals[] = {0.5, 1e-300, -0.75, -0.0, 12345.6789, 4294967295.5};
  int64_t accepted = 0;
  for (int64_t i = 0; i < LADDERS; i++) {
    posenc_spec spec = ladder(i);
    posenc_plan *plan;
    if (spec_status(&spec) != POSENC_OK) {
      assert_int_equal(spec_status(&spec), POSENC_ERROR_SPEC);
      for (size_t m = 0; runnable(m); m++)
        assert_int_equal(posenc_plan_create(&plan, &spec, runnable(m)->name), POSENC_ERROR_SPEC);
      continue;
    }
    accepted++;
    plan = plan_of(&spec, NULL);
    assert_string_equal(posenc_plan_impl(plan), posenc_impl_find("exact")->name);
    posenc_plan_destroy(plan);
    for (spec.dtype = 0; spec.dtype < FORMATS; spec.dtype++) {
      if (i >= WIDTHS && skipped(&seed))
        continue;
      spec.position_scale = scales[(i + spec.dtype) % SCALES];
      const int far = fabs(spec.position_scale) <= 1; /* else the far positions are beyond the domain */
      judge_all(&spec, integers, far ? 10 : 3, EVERYONE);
      judge_all(&spec, reals, far ? 6 : 4, EVERYONE);
    }
  }
  printf("%lld ladders of %d\n", (long long)accepted, LADDERS);
  assert_in_range(accepted, LADDERS / 2, LADDERS - 1);
}

/* Positions that times the scale are the midpoint of the two least numbers of each dtype above 0. There a frequency
 * of 1 needs 2153 bits, and frequencies next to 1, with denominator 1e300, need 1000. */
static void next_to_boundaries(void **state) {
  (void)state;
  const double positions[] = {0x1.8p-1042, -0x1.8p-1042, 0x1.8p-117, -0x1.8p-101, 0x1.8p8};
  for (int64_t i = 2; i < LADDERS; i += WIDTHS) {
    posenc_spec spec = ladder(i);
    spec.position_scale = 0x1p-32;
    for (spec.dtype = 0; spec_status(&spec) == POSENC_OK && spec.dtype < FORMATS; spec.dtype++)
      if (!skipped(&seed))
        judge_all(&spec, positions, 5, ANCHORED);
  }
}

int main(int argc, char **argv) {
  if (!take_arguments(argc, argv))
    return 2;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_or_refused),
      cmocka_unit_test(next_to_boundaries),
  };
  return cmocka_run_group_tests_name("ladders", tests, NULL, NULL);
}
