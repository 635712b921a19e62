/* The references for every dtype, place of the columns, scale and real position: against rounding by another road,
 * known bits, and columns written out by hand.
 */
#include "testing.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>

#include "columns.h"
#include "float64_reference.h"
#include "formats.h"
#include "mpfr_reference.h"
#include "ulp.h"

static uint64_t seed = 20170612;

static void check(const char *what, double got, double want) {
  if (!same_number(got, want))
    fail_msg("%s: got %a, want %a", what, got, want);
}

/* Positions and scale are multiplied and all else is computed with one fixed high precision, then rounded with the
 * range of the dtype for MPFR's own: as it does subnormal numbers itself. */
static double independent(const posenc_spec *spec, double position, int64_t k, bool cosine, int32_t dtype) {
  enum { BITS = 500 };
  static const struct {
    mpfr_prec_t digits;
    mpfr_exp_t least, most;
  } ranges[FORMATS] = {[POSENC_F32] = {24, -148, 128},
      [POSENC_F64] = {53, -1073, 1024},
      [POSENC_BF16] = {8, -132, 128},
      [POSENC_F16] = {11, -23, 16}};
  mpfr_t angle, result;
  mpfr_init2(angle, BITS);
  mpfr_init2(result, ranges[dtype].digits);
  if (spec->freqs) {
    mpfr_set_d(angle, spec->freqs[k], MPFR_RNDN);
  } else {
    mpfr_set_d(angle, spec->base, MPFR_RNDN);
    mpfr_log(angle, angle, MPFR_RNDN);
    mpfr_mul_si(angle, angle, -(long)k, MPFR_RNDN);
    mpfr_div_d(angle, angle, spec_denominator(spec), MPFR_RNDN);
    mpfr_exp(angle, angle, MPFR_RNDN);
  }
  mpfr_mul_d(angle, angle, position, MPFR_RNDN);
  mpfr_mul_d(angle, angle, spec_scale(spec), MPFR_RNDN);
  const mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
  const int inexact = cosine ? mpfr_cos(result, angle, MPFR_RNDN) : mpfr_sin(result, angle, MPFR_RNDN);
  mpfr_set_emin(ranges[dtype].least);
  mpfr_set_emax(ranges[dtype].most);
  mpfr_subnormalize(result, mpfr_check_range(result, inexact, MPFR_RNDN), MPFR_RNDN);
  const double value = mpfr_get_d(result, MPFR_RNDN);
  mpfr_set_emin(least);
  mpfr_set_emax(most);
  mpfr_clears(angle, result, (mpfr_ptr)NULL);
  return value;
}

static void row_agrees(const posenc_spec *spec, double position) {
  reference_value row[32];
  mpfr_reference *t = reference_create(spec);
  if (position == floor(position))
    reference_row(t, (int64_t)position, row);
  else
    reference_row_real(t, position, row);
  for (int64_t c = 0; c < spec->d_model; c++) {
    const place here = place_of(spec, c);
    const double y = independent(spec, position, here.k, here.cosine, POSENC_F64);
    check("y", row[c].y, y);
    check("rounded", reference_rounded(&row[c], spec->dtype),
        independent(spec, position, here.k, here.cosine, spec->dtype));
    assert_true(fabs(row[c].low) <= ldexp(0.5, format_unit(format_of(POSENC_F64), ilogb(y))));
  }
  reference_destroy(t);
}

static void rounded_to_every_dtype(void **state) {
  (void)state;
  const double bases[] = {10000, 1e30, 1e300}, scales[] = {0, 1000, -0.001, 0x1p-32};
  for (int i = 0; i < 240; i++) {
    posenc_spec spec = posenc_spec_default(31);
    spec.base = bases[i % 3];
    spec.dtype = i / 3 % FORMATS;
    spec.position_scale = scales[i / 12 % 4];
    spec.layout = i % 2;
    spec.order = i / 2 % 2;
    const double whole = (double)random_between(&seed, -4000, 4000), part = ldexp((double)next_random(&seed), -64);
    row_agrees(&spec, i % 5 ? whole : whole + part);
  }
}

/* Angles that are midpoints of bfloat16 or float16, or below half the smallest number; the sine is a little less. */
static void small_midpoints(void **state) {
  (void)state;
  static const struct {
    int32_t dtype;
    double w, rounded;
  } cases[] = {{POSENC_BF16, 0x1.01p-70, 0x1p-70}, {POSENC_BF16, 0x1.03p-70, 0x1.02p-70},
      {POSENC_BF16, 0x1.8p-133, 0x1p-133}, {POSENC_BF16, 0x1.4p-132, 0x1p-132}, {POSENC_BF16, 0x1p-134, 0},
      {POSENC_BF16, 0x1.000001p-134, 0x1p-133}, {POSENC_F16, 0x1.8p-24, 0x1p-24}, {POSENC_F16, 0x1.4p-23, 0x1p-23},
      {POSENC_F16, 0x1p-25, 0}, {POSENC_F16, 0x1.000001p-25, 0x1p-24}, {POSENC_F16, 0x1p-300, 0},
      {POSENC_F64, 0x1.8p-1000, 0x1.8p-1000}, {POSENC_F16, 0x1.002p-14, 0x1p-14}, {POSENC_F64, 0x1p-1022, 0x1p-1022}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    posenc_spec spec = posenc_spec_default(2);
    spec.freqs = &cases[i].w;
    spec.n_freqs = 1;
    spec.dtype = cases[i].dtype;
    reference_value row[2];
    float nearest[2];
    mpfr_reference *t = reference_create(&spec);
    for (int sign = -1; sign <= 1; sign += 2) {
      reference_row(t, sign, row);
      check("sine", reference_rounded(&row[0], spec.dtype), sign * cases[i].rounded);
      check("cosine", reference_rounded(&row[1], spec.dtype), 1);
      if (spec.dtype == POSENC_F64)
        continue;
      reference_row_floats(t, sign, nearest);
      check("sine alone", (double)nearest[0], sign * cases[i].rounded);
    }
    reference_destroy(t);
  }
}

/* y + low is the real value to more digits than y: three times an odd 53-bit integer is halfway between two doubles. */
static void the_rest_of_a_double(void **state) {
  (void)state;
  const double w = 0x1.0000000000001p-40;
  posenc_spec spec = posenc_spec_default(2);
  spec.freqs = &w;
  spec.n_freqs = 1;
  spec.dtype = POSENC_F64;
  reference_value row[2];
  mpfr_reference *t = reference_create(&spec);
  reference_row(t, 3, row); /* x^3 / 6 is 4.5 * 2^-120, and half the unit of y 2^-92 */
  check("y", row[0].y, 0x1.8000000000001p-39);
  check("low", row[0].low, 0x1p-92 - 4.5 * 0x1p-120);
  assert_true(ulp_distance(POSENC_F64, row[0].y, row[0].y, row[0].low) < 0.5);
  assert_true(ulp_distance(POSENC_F64, row[0].y, row[0].y, row[0].low) > 0.4999);
  reference_destroy(t);
}

/* Positions -0.0, and 0 of either kind. */
static void signs_of_zero(void **state) {
  (void)state;
  const double freqs[] = {1.0, -1.0, 0.0, -0.0}, scales[] = {0, -2};
  posenc_spec spec = posenc_spec_default(8);
  spec.freqs = freqs;
  spec.n_freqs = 4;
  for (int s = 0; s < 2; s++) {
    spec.position_scale = scales[s];
    reference_value row[8];
    mpfr_reference *t = reference_create(&spec);
    reference_row_real(t, -0.0, row);
    for (int k = 0; k < 4; k++)
      check("-0.0", row[2 * k].y, -0.0 * (s ? -2.0 : 1.0) * freqs[k]);
    reference_row_real(t, 0.0, row);
    for (int k = 0; k < 4; k++)
      check("0.0", row[2 * k].y, 0.0);
    reference_row(t, 0, row);
    for (int k = 0; k < 4; k++)
      check("0", row[2 * k].y, 0.0);
    reference_row_real(t, -0.5, row);
    for (int k = 2; k < 4; k++)
      check("no frequency", (double)row[2 * k].rounded, 0.0);
    reference_destroy(t);
  }
}

/* By hand, for five columns and for four: s1 is the sine of frequency 1. */
static void columns_by_hand(void **state) {
  (void)state;
  static const struct {
    int32_t layout, order, odd;
    const char *five, *four;
  } cases[] = {{POSENC_INTERLEAVED, POSENC_SIN_FIRST, POSENC_ODD_HALF_PAIR, "s0c0s1c1s2", "s0c0s1c1"},
      {POSENC_INTERLEAVED, POSENC_SIN_FIRST, POSENC_ODD_ZERO, "s0c0s1c1--", "s0c0s1c1"},
      {POSENC_INTERLEAVED, POSENC_COS_FIRST, POSENC_ODD_HALF_PAIR, "c0s0c1s1c2", "c0s0c1s1"},
      {POSENC_INTERLEAVED, POSENC_COS_FIRST, POSENC_ODD_ZERO, "c0s0c1s1--", "c0s0c1s1"},
      {POSENC_SPLIT, POSENC_SIN_FIRST, POSENC_ODD_HALF_PAIR, "s0s1s2c0c1", "s0s1c0c1"},
      {POSENC_SPLIT, POSENC_SIN_FIRST, POSENC_ODD_ZERO, "s0s1c0c1--", "s0s1c0c1"},
      {POSENC_SPLIT, POSENC_COS_FIRST, POSENC_ODD_HALF_PAIR, "c0c1c2s0s1", "c0c1s0s1"},
      {POSENC_SPLIT, POSENC_COS_FIRST, POSENC_ODD_ZERO, "c0c1s0s1--", "c0c1s0s1"}};
  const double freqs[] = {0.5, 0.25, 0.125};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (int64_t d = 4; d <= 5; d++) {
      posenc_spec spec = posenc_spec_default(d);
      spec.layout = cases[i].layout;
      spec.order = cases[i].order;
      spec.odd = cases[i].odd;
      spec.freqs = freqs;
      spec.n_freqs = spec_count(&spec);
      const char *names = d == 5 ? cases[i].five : cases[i].four;
      reference_value row[5], simple[5];
      float floats[5];
      double *w = float64_reference_frequencies(&spec);
      mpfr_reference *t = reference_create(&spec);
      reference_row(t, 7, row);
      reference_row_floats(t, 7, floats);
      float64_reference_row(&spec, w, 7, simple);
      for (int64_t c = 0; c < d; c++) {
        const char function = names[2 * c], digit = names[2 * c + 1];
        const double angle = function == '-' ? 0 : 7 * freqs[digit - '0'];
        const float want = (float)(function == 'c' ? cos(angle) : sin(angle));
        check(names, (double)row[c].rounded, (double)want);
        check(names, (double)floats[c], (double)want);
        check(names, (double)simple[c].rounded, (double)want);
      }
      reference_destroy(t);
      free(w);
    }
}

static void ulps_of_every_dtype(void **state) {
  (void)state;
  assert_true(ulp_distance(POSENC_BF16, 1.0078125, 1.0, 0) == 1);
  assert_true(ulp_distance(POSENC_BF16, 0x1p-133, 0x1.8p-133, 0) == 0.5);
  assert_true(ulp_distance(POSENC_F16, 0x1.ffcp-1, 1.0, 0) == 0.5);
  assert_true(ulp_distance(POSENC_F16, 0, 0x1p-20, 0) == 16); /* below 2^-14 the unit stays 2^-24 */
  assert_true(ulp_distance(POSENC_F64, 0x1.0000000000001p0, 1.0, 0) == 1);
  assert_true(ulp_distance(POSENC_F64, 1.0, 1.0, -0x1p-54) == 0.25);
  assert_true(ulp_distance(POSENC_F64, 0x1p-1074, 0x1p-1073, 0) == 1);
  assert_true(isinf(ulp_distance(POSENC_F16, 0x1p-24, 0, 0)));
}

int main(int argc, char **argv) {
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 0);
  printf("seed %llu (an argument sets it)\n", (unsigned long long)seed);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounded_to_every_dtype),
      cmocka_unit_test(small_midpoints),
      cmocka_unit_test(the_rest_of_a_double),
      cmocka_unit_test(signs_of_zero),
      cmocka_unit_test(columns_by_hand),
      cmocka_unit_test(ulps_of_every_dtype),
  };
  const int failed = cmocka_run_group_tests_name("references", tests, NULL, NULL);
  mpfr_free_cache();
  return failed;
}
