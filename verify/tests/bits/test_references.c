/* The references.
 *   - The MPFR reference is compared with an independent computation, with known numbers, and with columns written out
 *     by hand: for every dtype, layout, order, scale and real position.
 *   - The float64 reference is within its law at the largest positions too, and notices a row that is beyond it.
 *   - The ULP distance.
 */
#include "testing.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>

#include "columns.h"
#include "float64_reference.h"
#include "formats.h"
#include "mpfr_reference.h"
#include "judge.h"
#include "worst_cases.h"

static uint64_t seed = 20170612;

static void assert_number(const char *what, double got, double want) {
  if (!same_number(got, want))
    fail_msg("%s: got %a, want %a", what, got, want);
}

/* Computes everything with one fixed high precision. The result is rounded with MPFR's own exponent range set to
 * that of the dtype, so that MPFR rounds subnormal numbers itself. */
static double independent(const posenc_spec *spec, double position, int64_t k, bool cosine, int32_t dtype) {
  enum { BITS = 500 };
  mpfr_t angle, result;
  mpfr_init2(angle, BITS);
  mpfr_init2(result, format_of(dtype)->digits);
  if (spec->freqs) {
    mpfr_set_d(angle, spec->freqs[k], MPFR_RNDN);
    if (spec->freqs_low)
      mpfr_add_d(angle, angle, spec->freqs_low[k], MPFR_RNDN);
  } else {
    mpfr_set_d(angle, spec->base, MPFR_RNDN);
    mpfr_log(angle, angle, MPFR_RNDN);
    mpfr_mul_si(angle, angle, -(long)k, MPFR_RNDN);
    mpfr_div_d(angle, angle, spec_denominator(spec), MPFR_RNDN);
    mpfr_exp(angle, angle, MPFR_RNDN);
  }
  mpfr_mul_d(angle, angle, position, MPFR_RNDN);
  mpfr_mul_d(angle, angle, spec_scale(spec), MPFR_RNDN);
  const mpfr_exp_t least = mpfr_get_emin();
  const int inexact = cosine ? mpfr_cos(result, angle, MPFR_RNDN) : mpfr_sin(result, angle, MPFR_RNDN);
  mpfr_set_emin(1 - format_of(dtype)->lowest);
  mpfr_subnormalize(result, mpfr_check_range(result, inexact, MPFR_RNDN), MPFR_RNDN);
  const double value = mpfr_get_d(result, MPFR_RNDN);
  mpfr_set_emin(least);
  mpfr_clears(angle, result, (mpfr_ptr)NULL);
  return value;
}

static void row_agrees(const posenc_spec *spec, double position) {
  enum { MOST = 32 };
  reference_value row[MOST];
  float nearest[MOST];
  mpfr_reference *t = reference_create(spec);
  reference_row(t, position, row);
  if (spec->dtype != POSENC_DTYPE_F64)
    reference_row_floats(t, position, nearest);
  for (int64_t c = 0; c < spec->d_model; c++) {
    const component here = component_of(spec, c);
    const double y = independent(spec, position, here.k, here.cosine, POSENC_DTYPE_F64);
    const double rounded = independent(spec, position, here.k, here.cosine, spec->dtype);
    assert_number("y", row[c].y, y);
    assert_number("rounded", reference_rounded(&row[c], spec->dtype), rounded);
    if (spec->dtype != POSENC_DTYPE_F64)
      assert_number("rounded alone", (double)nearest[c], rounded);
    assert_true(fabs(row[c].low) <= ldexp(0.5, format_unit(format_of(POSENC_DTYPE_F64), ilogb(y))));
  }
  reference_destroy(t);
}

static void agrees_with_an_independent_computation(void **state) {
  (void)state;
  const double bases[] = {10000, 500000, 1e30, 1e300, 1.0001, 0.001, 1}, denominators[] = {0, 15, 7.25},
               scales[] = {0, 1000, -0.001, 0x1p-32};
  for (int i = 0; i < 240; i++) {
    posenc_spec spec = paper_spec(31);
    spec.base = bases[i % 7];
    spec.denominator = denominators[i % 3];
    spec.dtype = i / 3 % FORMATS;
    spec.position_scale = scales[i / 12 % 4];
    spec.layout = i % 2;
    spec.order = i / 2 % 2;
    const int64_t most = i % 8 ? 4000 : POSENC_MAX_POSITION;
    const double whole = (double)random_between(&seed, -most, most), part = ldexp((double)next_random(&seed), -64);
    row_agrees(&spec, i % 5 ? whole : whole + part);
  }
}

/* Low parts of many sizes; and ten times 0.1, which is 1 only with the low part of 0.1. */
static void low_parts(void **state) {
  (void)state;
  const double freqs[] = {1.0 / 3, -0x1.921fb54442d18p1, 0x1.0000000000001p20, 1.0, 0x1p-600};
  const double low[] = {0x1.5555555555555p-56, -0x1.1a62633145c07p-53, 0x1p-33, -0x1p-140, 0x1.23456789abcdep-654};
  for (int i = 0; i < 2 * FORMATS; i++) {
    posenc_spec spec = frequency_spec(freqs, low, 5, i % FORMATS);
    spec.position_scale = i < FORMATS ? 1 : 0.3;
    row_agrees(&spec, 0x1p32 - i);
    row_agrees(&spec, 1.0 / 7 - i);
  }
  const double given[] = {1, 0.1, 0.1}, rest[] = {0, -0x1.999999999999ap-58, 0};
  const posenc_spec spec = frequency_spec(given, rest, 3, POSENC_DTYPE_F64);
  reference_value one[6], ten[6];
  mpfr_reference *t = reference_create(&spec);
  reference_row(t, 1, one);
  reference_row(t, 10, ten);
  reference_destroy(t);
  assert_true(fabs((ten[2].y - one[0].y) + (ten[2].low - one[0].low)) < 0x1p-100);
  assert_true(fabs((ten[4].y - one[0].y) + (ten[4].low - one[0].low)) > 0x1p-56);
}

/* The known worst cases, and known digits. A negative sine keeps its sign when it rounds to zero. */
static void known_numbers(void **state) {
  (void)state;
  for (int i = 0; i < WORST_CASES; i++) {
    const worst_case *const known = &worst_cases[i];
    const posenc_spec spec = frequency_spec(&known->frequency, &known->low, 1, known->dtype);
    mpfr_reference *t = reference_create(&spec);
    for (int sign = -1; sign <= 1; sign += 2) {
      const double position = sign * known->position;
      reference_value row[2];
      reference_row(t, position, row);
      assert_number("sine", reference_rounded(&row[0], spec.dtype), sign * known->sine);
      assert_number("cosine", reference_rounded(&row[1], spec.dtype), known->cosine);
      row_agrees(&spec, position);
    }
    reference_destroy(t);
  }
  const double one = 1;
  const posenc_spec spec = frequency_spec(&one, NULL, 1, POSENC_DTYPE_F32);
  reference_value row[2];
  mpfr_reference *t = reference_create(&spec);
  reference_row(t, 1, row);
  reference_destroy(t);
  assert_number("sin 1", row[0].y, 0.84147098480789650665250232163029899962);
  assert_number("cos 1", row[1].y, 0.54030230586813971740093660744297660373);
  assert_number("sin 1", (double)row[0].rounded, (double)0.84147098480789650665250232163029899962f);
  assert_number("cos 1", (double)row[1].rounded, (double)0.54030230586813971740093660744297660373f);
}

/* y + low is the real value to more digits than y: three times an odd 53-bit integer is a midpoint of two doubles.
 * The precision is raised if a rounding needs it. If only the float is requested, it is not raised for the double. */
static void more_precision_where_it_is_needed(void **state) {
  (void)state;
  const double freqs[] = {0x1.000003p-70, 1.0, 0x1.0000000000001p-40, 0x1.0000000000001p-1022};
  posenc_spec spec = frequency_spec(freqs, NULL, 3, POSENC_DTYPE_F32);
  reference_value row[6];
  float floats[6];
  mpfr_reference *t = reference_create(&spec);
  reference_row_floats(t, 3, floats);
  assert_int_equal(reference_widened(t), 0);
  assert_int_equal(reference_precision(t), REFERENCE_FIRST_BITS);
  reference_row(t, 3, row); /* for the last frequency, x^3 / 6 is 4.5 * 2^-120, and half the unit of y is 2^-92 */
  assert_int_equal(reference_widened(t), 1);
  assert_number("y", row[4].y, 0x1.8000000000001p-39);
  assert_number("low", row[4].low, 0x1p-92 - 4.5 * 0x1p-120);
  const double distance = ulp_distance(POSENC_DTYPE_F64, row[4].y, row[4].y, row[4].low);
  assert_true(distance < 0.5 && distance > 0.4999);
  reference_row_floats(t, 1, floats); /* the first sine lies next to a midpoint of floats */
  assert_int_equal(reference_widened(t), 2);
  assert_true(reference_precision(t) > REFERENCE_FIRST_BITS);
  reference_destroy(t);
  spec = frequency_spec(freqs + 3, NULL, 1, POSENC_DTYPE_F64); /* the sine is 2^-2044 of the angle below it */
  t = reference_create(&spec);
  reference_row(t, 3, row);
  assert_number("y", row[0].y, ldexp(3 * 0x1p52 + 2, -1074));
  assert_true(reference_precision(t) >= 2048);
  reference_destroy(t);
}

/* Positions -0.0 and 0.0, and frequencies of 0. */
static void signs_of_zero(void **state) {
  (void)state;
  const double freqs[] = {1.0, -1.0, 0.0, -0.0}, scales[] = {0, -2};
  posenc_spec spec = frequency_spec(freqs, NULL, 4, POSENC_DTYPE_F32);
  for (int s = 0; s < 2; s++) {
    spec.position_scale = scales[s];
    reference_value row[3][8];
    mpfr_reference *t = reference_create(&spec);
    reference_row(t, -0.0, row[0]);
    reference_row(t, 0.0, row[1]);
    reference_row(t, -5, row[2]);
    for (int k = 0; k < 4; k++) {
      assert_number("-0.0", row[0][2 * k].y, -0.0 * (s ? -2.0 : 1.0) * freqs[k]);
      assert_number("0.0", row[1][2 * k].y, 0.0);
      if (k >= 2)
        assert_number("frequency 0", (double)row[2][2 * k].rounded, 0.0);
      assert_number("cosine", row[k % 2][2 * k + 1].y, 1.0);
    }
    reference_destroy(t);
  }
}

/* The columns written out by hand, for five and for four columns: s1 is the sine of frequency 1. */
static void columns_by_hand(void **state) {
  (void)state;
  static const struct {
    int32_t layout, order, odd;
    const char *five, *four;
  } cases[] = {
      {POSENC_LAYOUT_INTERLEAVED, POSENC_ORDER_SIN_FIRST, POSENC_ODD_HALF_PAIR, "s0c0s1c1s2", "s0c0s1c1"},
      {POSENC_LAYOUT_INTERLEAVED, POSENC_ORDER_SIN_FIRST, POSENC_ODD_ZERO, "s0c0s1c1--", "s0c0s1c1"},
      {POSENC_LAYOUT_INTERLEAVED, POSENC_ORDER_COS_FIRST, POSENC_ODD_HALF_PAIR, "c0s0c1s1c2", "c0s0c1s1"},
      {POSENC_LAYOUT_INTERLEAVED, POSENC_ORDER_COS_FIRST, POSENC_ODD_ZERO, "c0s0c1s1--", "c0s0c1s1"},
      {POSENC_LAYOUT_SPLIT, POSENC_ORDER_SIN_FIRST, POSENC_ODD_HALF_PAIR, "s0s1s2c0c1", "s0s1c0c1"},
      {POSENC_LAYOUT_SPLIT, POSENC_ORDER_SIN_FIRST, POSENC_ODD_ZERO, "s0s1c0c1--", "s0s1c0c1"},
      {POSENC_LAYOUT_SPLIT, POSENC_ORDER_COS_FIRST, POSENC_ODD_HALF_PAIR, "c0c1c2s0s1", "c0c1s0s1"},
      {POSENC_LAYOUT_SPLIT, POSENC_ORDER_COS_FIRST, POSENC_ODD_ZERO, "c0c1s0s1--", "c0c1s0s1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (int64_t d = 4; d <= 5; d++) {
      posenc_spec spec = paper_spec(d);
      spec.layout = cases[i].layout;
      spec.order = cases[i].order;
      spec.odd = cases[i].odd;
      const char *names = d == 5 ? cases[i].five : cases[i].four;
      for (int64_t c = 0; c < d; c++, names += 2) {
        const component it = component_of(&spec, c);
        assert_int_equal(it.k, *names == '-' ? -1 : names[1] - '0');
        assert_int_equal(it.cosine, *names == 'c');
        assert_true(it.k < 0 || column_of(&spec, it) == c);
      }
    }
}

/* The bits of elements, right and wrong. */
static void judgements(void **state) {
  (void)state;
  static const struct {
    int32_t dtype;
    uint64_t bits;
    reference_value real; /* y, low, and the nearest number of the dtype */
    double error;
    bool is_nearest;
  } cases[] = {
      {POSENC_DTYPE_F32, 0x3f800000, {1, -0x1p-60, 1}, 0x1p-60, true},
      {POSENC_DTYPE_F32, 0x3f7fffff, {1, -0x1p-60, 1}, 0x1p-24 - 0x1p-60, false},
      {POSENC_DTYPE_F32, 0x80000000, {0, 0, 0}, 0, false}, /* -0 */
      {POSENC_DTYPE_F32, 0x7fc00000, {1, 0, 1}, (double)INFINITY, false},
      {POSENC_DTYPE_F32, 0x7f800000, {1, 0, 1}, (double)INFINITY, false},
      {POSENC_DTYPE_BF16, 0x3f80, {1 - 0x1p-10, 0, 1}, 0x1p-10, true},
      {POSENC_DTYPE_BF16, 0x3f81, {1, 0, 1}, 0x1p-7, false},
      {POSENC_DTYPE_F16, 0x0001, {0x1p-24, 0, 0x1p-24f}, 0, true}, /* the smallest number above 0 */
      {POSENC_DTYPE_F16, 0xbbff, {-1, 0, -1}, 0x1p-11, false},
      {POSENC_DTYPE_F64, 0x3ff0000000000001, {0x1.0000000000001p0, -0x1p-54, 1}, 0x1p-54, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const judgement j = judge_element(cases[i].dtype, &cases[i].bits, &cases[i].real);
    assert_number("error", j.error, cases[i].error);
    assert_int_equal(j.is_nearest, cases[i].is_nearest);
  }
}

static void ulp_distances(void **state) {
  (void)state;
  static const struct {
    int32_t dtype;
    double got, y, low, want;
  } cases[] = {
      {POSENC_DTYPE_F32, 1, 1, 0, 0},
      {POSENC_DTYPE_F32, 0x1.000002p0, 1, 0, 1},
      /* the unit is that of y, not of `got` */
      {POSENC_DTYPE_F32, 0x1.fffffep-1, 1, 0, 0.5},
      {POSENC_DTYPE_F32, 1, 0x1.fffffep-1, 0, 1},
      {POSENC_DTYPE_F32, -0.5, 0.5, 0, 0x1p24},
      /* below 2^-126 the unit stays 2^-149 */
      {POSENC_DTYPE_F32, 0x1p-149, 0x1.8p-149, 0, 0.5},
      {POSENC_DTYPE_F32, 0, 0x1p-1022, 0, 0x1p-873},
      {POSENC_DTYPE_F32, 0, 0, 0, 0},
      {POSENC_DTYPE_F32, -0.0, 0, 0, 0},
      {POSENC_DTYPE_F32, 0x1p-149, 0, 0, (double)INFINITY},
      {POSENC_DTYPE_F32, (double)NAN, 0.5, 0, (double)INFINITY},
      {POSENC_DTYPE_F32, (double)INFINITY, 0.5, 0, (double)INFINITY},
      {POSENC_DTYPE_F32, (double)NAN, 0, 0, (double)INFINITY},
      {POSENC_DTYPE_BF16, 1.0078125, 1, 0, 1},
      {POSENC_DTYPE_BF16, 0x1p-133, 0x1.8p-133, 0, 0.5},
      {POSENC_DTYPE_F16, 0x1.ffcp-1, 1, 0, 0.5},
      /* below 2^-14 the unit stays 2^-24 */
      {POSENC_DTYPE_F16, 0, 0x1p-20, 0, 16},
      {POSENC_DTYPE_F16, 0x1p-24, 0, 0, (double)INFINITY},
      {POSENC_DTYPE_F64, 0x1.0000000000001p0, 1, 0, 1},
      {POSENC_DTYPE_F64, 1, 1, -0x1p-54, 0.25},
      {POSENC_DTYPE_F64, 0x1p-1074, 0x1p-1073, 0, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_number("ULP", ulp_distance(cases[i].dtype, cases[i].got, cases[i].y, cases[i].low), cases[i].want);
}

/* posenc-verify compares the references at other positions. */
static void float64_reference_has_a_law(void **state) {
  (void)state;
  enum { D = 512 };
  const int64_t positions[] = {0, 1, -1048576, POSENC_MAX_POSITION, -POSENC_MAX_POSITION};
  posenc_spec spec = paper_spec(D);
  for (int scaled = 0; scaled < 2; scaled++, spec.position_scale = 0x1.8p-3) {
    mpfr_reference *t = reference_create(&spec);
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++) {
      reference_value row[D];
      reference_row(t, (double)positions[i], row);
      assert_true(float64_reference_error(&spec, &positions[i], 1, row) < INFINITY);
      row[D - 1].y += 0x1.1p-52 + 2 * float64_reference_bound(&spec, positions[i], 1e-4);
      assert_true(float64_reference_error(&spec, &positions[i], 1, row) == INFINITY);
    }
    reference_destroy(t);
  }
}

int main(int argc, char **argv) {
  take_seed(argc, argv, &seed);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_an_independent_computation),
      cmocka_unit_test(low_parts),
      cmocka_unit_test(known_numbers),
      cmocka_unit_test(more_precision_where_it_is_needed),
      cmocka_unit_test(signs_of_zero),
      cmocka_unit_test(columns_by_hand),
      cmocka_unit_test(float64_reference_has_a_law),
      cmocka_unit_test(judgements),
      cmocka_unit_test(ulp_distances),
  };
  const int failed = cmocka_run_group_tests_name("references", tests, NULL, NULL);
  mpfr_free_cache();
  return failed;
}
