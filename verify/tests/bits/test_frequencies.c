/* Frequencies in turns (impl/angle_addition/frequencies.h) are within 2^-105 of the real numbers, as that header says. The
 * proof of the error budget (verify/proof) begins with them. posenc_plan_phases() gives the same frequencies, to 2^-64
 * of a turn and a rest, which is the double nearest to the remainder. And the rounding test of rows fails where the
 * constants of the budget say so.
 */
#include "testing.h"

#include <math.h>
#include <stdio.h>

#include "angle_addition/element.h"
#include "api/internal.h"
#include "mpfr_reference.h"

enum { MOST = 300 /* frequencies of check_phases() */ };
static uint64_t seed = 20170612;

static double uniform(double low, double high) { return real_between(&seed, low, high); }

/* The largest error of hi + lo of a spec's frequencies, in 2^-105 of the frequency without its whole turns. The turns removed
 * are the nearest integer, or a NaN from 2^48 turns on. */
static double error_of_turns(const posenc_spec *spec) {
  const int64_t n = spec->d_model / 2, every = n > 4096 ? 997 : 1;
  const posenc_problem problem = posenc_problem_of(spec);
  void *const state = malloc(posenc_frequencies_bytes(&problem, 0));
  assert_non_null(state);
  const frequencies *const f = posenc_set_frequencies(&problem, 0, state);
  double worst = 0;
  int has_turns = 0, has_lost_turns = 0;
  mpfr_t one_turn, t, nearest, rest;
  mpfr_inits2(640, one_turn, t, nearest, rest, (mpfr_ptr)0);
  mpfr_const_pi(rest, MPFR_RNDN);
  mpfr_d_div(one_turn, spec->position_scale, rest, MPFR_RNDN);
  mpfr_div_2ui(one_turn, one_turn, 1, MPFR_RNDN);
  for (int64_t k = 0; k < n; k += every) {
    reference_frequency(t, spec, k);
    mpfr_mul(t, t, one_turn, MPFR_RNDN);
    mpfr_rint(nearest, t, MPFR_RNDN);
    if (isnan(f->removed_turns[k]))
      assert_true(fabs(mpfr_get_d(nearest, MPFR_RNDN)) >= 0x1p48);
    else
      assert_true(fabs(f->removed_turns[k]) <= 0x1p48 && mpfr_cmp_d(nearest, f->removed_turns[k]) == 0);
    has_turns |= mpfr_sgn(nearest) != 0;
    has_lost_turns |= isnan(f->removed_turns[k]);
    mpfr_sub(t, t, nearest, MPFR_RNDN);
    mpfr_sub_d(rest, t, f->hi[k], MPFR_RNDN);
    mpfr_sub_d(rest, rest, f->lo[k], MPFR_RNDN);
    mpfr_div(rest, rest, t, MPFR_RNDN);
    worst = fmax(worst, fabs(mpfr_get_d(rest, MPFR_RNDN)) * 0x1p105);
  }
  mpfr_clears(one_turn, t, nearest, rest, (mpfr_ptr)0);
  assert_true(every > 1 || (f->has_turns == has_turns && f->has_lost_turns == has_lost_turns));
  free(state);
  return worst;
}

/* The number that w needs so that w * scale is nearest to whole turns; 0 if it is no low part of w. */
static double to_whole_turns(double w, double scale) {
  mpfr_t goal, one_turn;
  mpfr_inits2(640, goal, one_turn, (mpfr_ptr)0);
  mpfr_const_pi(one_turn, MPFR_RNDN);
  mpfr_mul_2ui(one_turn, one_turn, 1, MPFR_RNDN);
  mpfr_div_d(one_turn, one_turn, scale, MPFR_RNDN);
  mpfr_d_div(goal, w, one_turn, MPFR_RNDN);
  mpfr_rint(goal, goal, MPFR_RNDN);
  mpfr_mul(goal, goal, one_turn, MPFR_RNDN);
  mpfr_sub_d(goal, goal, w, MPFR_RNDN);
  const double low = mpfr_get_d(goal, MPFR_RNDN);
  mpfr_clears(goal, one_turn, (mpfr_ptr)0);
  return w + low == w ? low : 0;
}

static void frequencies_in_turns(void **state) {
  (void)state;
  /* The first frequency is 2^93 turns, whole except for 2^-103. */
  double freqs[4] = {0x1.d1118431d757bp+63, -0x1p64, 0x1.fffffffffffffp63, 0x1.921fb54442d18p+2}, low[4];
  double worst = 0, worst_sum = 0;
  int near = 0;
  posenc_spec spec = paper_spec(8);
  spec.position_scale = 0x1.9b4937a112133p+31;
  for (int i = 0; i < 1000; i++) {
    spec.freqs = freqs;
    spec.n_freqs = 4;
    worst = fmax(worst, error_of_turns(&spec));
    for (int k = 0; k < 4; k++) {
      low[k] = to_whole_turns(freqs[k], spec.position_scale);
      near += low[k] != 0;
    }
    spec.freqs_low = low;
    worst_sum = fmax(worst_sum, error_of_turns(&spec));
    for (int k = 0; k < 4; k++)
      low[k] = ldexp(freqs[k], -(int)random_between(&seed, 55, 600));
    worst_sum = fmax(worst_sum, error_of_turns(&spec));
    spec.freqs_low = NULL;
    for (int k = 0; k < 4; k++)
      freqs[k] = ldexp(uniform(-1, 1), (int)random_between(&seed, -150, 64));
    spec.freqs = NULL;
    spec.n_freqs = 0;
    spec.base = 1 + ldexp(uniform(0.5, 1), (int)random_between(&seed, -50, 200));
    worst = fmax(worst, error_of_turns(&spec));
    spec.base = 1 / (1 + ldexp(uniform(0.5, 1), (int)random_between(&seed, -50, 85))); /* frequencies up to 2^64 */
    worst = fmax(worst, error_of_turns(&spec));
    spec.position_scale = ldexp(uniform(-1, 1), (int)random_between(&seed, -30, 32));
  }
  static const double bases[] = {1.0001, 10000, 5e5, 1e30, 0x1p-64};
  for (int i = 0; i < 15; i++) {
    spec = paper_spec(INT64_C(128) << (i / 5 * 13 / 2)); /* 128, 8192, 2^20 */
    spec.base = bases[i % 5];
    worst = fmax(worst, error_of_turns(&spec));
  }
  printf("largest errors in 2^-105: %.3f, with freqs_low %.3f; allowed: 1\n", worst, worst_sum);
  assert_true(worst <= 1 && worst_sum <= 1 && near > 100);
}

/* Every implementation either offers no phases, or whole, fraction and rest add up to the real number, rounded to 2^-64
 * and then to a double. */
static void check_phases(const posenc_spec spec) {
  const size_t n = (size_t)spec_count(&spec);
  double whole[MOST], rest[MOST], got_whole[MOST], got_rest[MOST];
  uint64_t fraction[MOST], got_fraction[MOST];
  assert_true(n <= MOST);
  mpfr_t one_turn, t, units, turns;
  mpfr_inits2(640, one_turn, t, units, turns, (mpfr_ptr)0);
  mpfr_const_pi(t, MPFR_RNDN);
  mpfr_d_div(one_turn, spec_scale(&spec) / 2, t, MPFR_RNDN);
  for (size_t k = 0; k < n; k++) {
    reference_frequency(t, &spec, (int64_t)k);
    mpfr_mul(t, t, one_turn, MPFR_RNDN);
    const int has_whole = mpfr_zero_p(t) || mpfr_get_exp(t) <= 48;
    mpfr_mul_2ui(t, t, 64, MPFR_RNDN);
    mpfr_rint(units, t, MPFR_RNDN);
    mpfr_sub(t, t, units, MPFR_RNDN);
    mpfr_div_2ui(t, t, 64, MPFR_RNDN);
    rest[k] = mpfr_get_d(t, MPFR_RNDN);
    mpfr_div_2ui(units, units, 64, MPFR_RNDN);
    mpfr_floor(turns, units);
    whole[k] = has_whole ? mpfr_get_d(turns, MPFR_RNDN) : NAN;
    mpfr_sub(units, units, turns, MPFR_RNDN);
    mpfr_mul_2ui(units, units, 64, MPFR_RNDN);
    fraction[k] = mpfr_get_ui(units, MPFR_RNDN);
  }
  mpfr_clears(one_turn, t, units, turns, (mpfr_ptr)0);
  for (size_t m = 0; runnable(m); m++) {
    const char *const family = runnable(m)->family;
    posenc_plan *const plan = plan_of(&spec, runnable(m)->name);
    const posenc_status status = posenc_plan_phases(plan, got_whole, got_fraction, got_rest);
    posenc_plan_destroy(plan);
    if (status == POSENC_ERROR_UNSUPPORTED && strcmp(family, "exact") != 0 && strcmp(family, "anchored") != 0)
      continue;
    assert_int_equal(status, POSENC_OK);
    assert_memory_equal(got_fraction, fraction, n * sizeof *fraction);
    for (size_t k = 0; k < n; k++)
      assert_true(got_rest[k] == rest[k] && (got_whole[k] == whole[k] || (isnan(got_whole[k]) && isnan(whole[k]))));
  }
}

static void phases(void **state) {
  (void)state;
  /* 2^-1022 to 2^60, 0, half a turn, a turn, half a turn of the last bit, 2^48 turns. */
  const double pi = 3.141592653589793, pi_low = 1.2246467991473532e-16;
  double freqs[] = {0x1p-1022, -0x1p-1022, 0x1p60, -0x1p60, 0, pi, -pi, 2 * pi, -2 * pi, 0x1p-64 * pi, -0x1p-64 * pi,
      0x1p-62 * pi, 0x1p49 * pi, -0x1p49 * pi, 1, 1e-5};
  double low[16] = {0};
  static const double scales[] = {1, -1, 0.3, -0x1.9b4937a112133p+31, 0x1p-32, 0x1p32};
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
    for (size_t p = 0; p < posenc_preset_count(); p++) {
      posenc_spec spec;
      assert_int_equal(posenc_spec_init(&spec, 64, posenc_preset_by_index(p)->name), POSENC_OK);
      spec.position_scale *= scales[i];
      if (spec_status(&spec) == POSENC_OK)
        check_phases(spec);
    }
    posenc_spec spec = paper_spec(2 * MOST);
    spec.position_scale = scales[i];
    check_phases(spec);
    spec.denominator = 100.3;
    check_phases(spec);
    spec.base = 0.5;
    check_phases(spec);
    spec = frequency_spec(freqs, NULL, 16, POSENC_DTYPE_F32);
    spec.position_scale = scales[i];
    check_phases(spec);
    spec.freqs_low = low;
    for (int64_t sign = -1; sign <= 1; sign++) { /* next to, and at, whole and half turns */
      for (int k = 5; k < 14; k++)
        low[k] = (double)sign * freqs[k] / pi * pi_low;
      check_phases(spec);
    }
    for (int round = 0; round < 50; round++) {
      for (int k = 0; k < 16; k++)
        low[k] = 0x1p-55 * ldexp(uniform(-1, 1), -50) *
                 (freqs[k] = ldexp(uniform(-1, 1), (int)random_between(&seed, -1000, 61)));
      check_phases(spec);
    }
  }
}

/* Whether the rounding test of a row pair fails, all of whose values but y are far from every limit: the same wherever y
 * is. */
static int fails(format fmt, double y, vu words) {
  double memory[2];
  int failed = 0;
  vg_store(memory, vd_of_bits(words), vd_of_bits(words));
  for (int at = 0; at < 4; at++) {
    double values[] = {0.75, 0.75, -0.75, 0.75};
    values[at] = y;
    vtest test = vtest_start();
    test_groups(fmt, &test, (vg){values[0], values[1]}, (vg){values[2], values[3]}, memory);
    failed += vtest_failed(&test) != 0;
  }
  assert_true(failed == 0 || failed == 4);
  return failed != 0;
}

/* The rounding test (element.h) fails below the least sizes of budget.inc, unless the frequency is exempt, and next to
 * half-way: in float32 within CHECK_WINDOW, in 16 bits where the float32 is the midpoint itself. */
static void rounding_tests(void **state) {
  static const struct {
    int dtype;
    double least, smaller, half_way, unit, below,
        above; /* fails from `below` units under half-way to `above` over it */
  } cases[] = {
      {POSENC_DTYPE_F32, CHECK_SMALL, CHECK_SMALL - 0x1p-65, 0.75 + 0x1p-25, 0x1p-53, CHECK_WINDOW, CHECK_WINDOW - 1},
      /* one place of float32 above, or below, the first midpoint over the least size */
      {POSENC_DTYPE_BF16, 0x1p-25 + 0x1p-33 + 0x1p-48, 0x1p-25 + 0x1p-33 - 0x1p-48, 0.75 + 0x1p-9, 0x1p-24, 0, 0},
      {POSENC_DTYPE_F16, 0x1p-14 + 0x1p-25 + 0x1p-37, 0x1p-14 + 0x1p-25 - 0x1p-37, 0.75 + 0x1p-12, 0x1p-24, 0, 0}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const format fmt = {.dtype = cases[i].dtype, .is_tested = 1};
    const vu tested = words_of(fmt, exempt(fmt, 0.25, 1)), exempted = words_of(fmt, exempt(fmt, 0x1p-30, 1));
    const double least = cases[i].least, smaller = cases[i].smaller;
    const double half_way = cases[i].half_way, unit = cases[i].unit;
    for (int sign = -1; sign <= 1; sign += 2) {
      assert_false(
          fails(fmt, sign * least, tested) || fails(fmt, sign * smaller, exempted) || fails(fmt, sign * 0.0, exempted));
      assert_true(fails(fmt, sign * smaller, tested));
      assert_true(fails(fmt, sign * (half_way - cases[i].below * unit), exempted));
      assert_true(fails(fmt, sign * (half_way + cases[i].above * unit), exempted));
      assert_false(fails(fmt, sign * (half_way - (cases[i].below + 1) * unit), exempted));
      assert_false(fails(fmt, sign * (half_way + (cases[i].above + 1) * unit), exempted));
    }
  }
}

int main(int argc, char **argv) {
  take_seed(argc, argv, &seed);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frequencies_in_turns), cmocka_unit_test(phases), cmocka_unit_test(rounding_tests)};
  const int failed = cmocka_run_group_tests_name("frequencies", tests, NULL, NULL);
  mpfr_free_cache();
  return failed;
}
