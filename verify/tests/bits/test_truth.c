/* The references themselves: MPFR against known digits, an independent computation and the inputs that are hard to
 * round; the ULP distance; and the float64 reference against its law, up to the position it is said to be good for. */
#include "testing.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>

#include "float64_reference.h"
#include "mpfr_reference.h"
#include "ulp.h"

#define SEED UINT64_C(20170612)

static posenc_spec frequencies(const double *freqs, int64_t n) {
  posenc_spec spec = posenc_spec_default(2 * n);
  spec.freqs = freqs;
  spec.n_freqs = n;
  return spec;
}

static void assert_bits(float got, float want) {
  if (memcmp(&got, &want, sizeof got) != 0)
    fail_msg("got %a, want %a", (double)got, (double)want);
}

/* Sine and cosine of one product. */
static void evaluate(double w, int64_t position, reference_value pair[2]) {
  const posenc_spec spec = frequencies(&w, 1);
  mpfr_reference *t = reference_create(&spec);
  reference_row(t, position, pair);
  reference_destroy(t);
}

static void agrees_with_known_digits(void **state) {
  (void)state;
  reference_value v[2];
  evaluate(1.0, 1, v);
  assert_true(v[0].y == 0.84147098480789650665250232163029899962);
  assert_true(v[1].y == 0.54030230586813971740093660744297660373);
  assert_bits(v[0].rounded, 0.84147098480789650665250232163029899962f);
  assert_bits(v[1].rounded, 0.54030230586813971740093660744297660373f);
  evaluate(1.0, -1, v);
  assert_true(v[0].y == -0.84147098480789650665250232163029899962);
  assert_true(v[1].y == 0.54030230586813971740093660744297660373);
}

static void zero_is_exact(void **state) {
  (void)state;
  reference_value v[2];
  const struct {
    double w;
    int64_t position;
  } zeros[] = {{1.0, 0}, {-1.0, 0}, {0.0, 5}, {0.0, -5}, {-0.0, 5}};
  for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
    evaluate(zeros[i].w, zeros[i].position, v);
    assert_bits(v[0].rounded, 0.0f);
    assert_bits(v[1].rounded, 1.0f);
    assert_true(v[0].y == 0 && v[1].y == 1);
  }
}

/* Exact angles halfway between two floats (or doubles), the sine just below; nothing but more precision tells. */
static void midpoints_are_decided(void **state) {
  (void)state;
  reference_value v[2];
  const struct {
    double w;
    float rounded;
  } cases[] = {{0x1.000003p-70, 0x1.000002p-70f}, {0x1.000005p-126, 0x1.000004p-126f}, {0x1.8p-149, 0x1p-149f},
      {0x1.4p-148, 0x1p-148f}, {0x1p-150, 0.0f}, {0x1p-1022, 0.0f}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    evaluate(cases[i].w, 1, v);
    assert_bits(v[0].rounded, cases[i].rounded);
    assert_true(v[0].y == cases[i].w); /* as a double, the sine is its argument */
    assert_bits(v[1].rounded, 1.0f);
    evaluate(cases[i].w, -1, v);
    assert_bits(v[0].rounded, -cases[i].rounded); /* a negative sine keeps its sign when it rounds to zero */
    evaluate(-cases[i].w, 1, v);
    assert_bits(v[0].rounded, -cases[i].rounded);
  }

  /* Three times an odd 53-bit integer has 54 bits: halfway between doubles, with the sine 2^-2044 of it below. */
  const double w = 0x1.0000000000001p-1022;
  const posenc_spec spec = frequencies(&w, 1);
  mpfr_reference *t = reference_create(&spec);
  reference_row(t, 3, v);
  assert_true(v[0].y == ldexp(3 * 0x1p52 + 2, -1074));
  assert_true(reference_precision(t) >= 2048);
  reference_destroy(t);
}

/* What the first precision left over is counted; a double asks for more than a float. */
static void only_what_is_asked_for(void **state) {
  (void)state;
  /* At position 1 the first one's sine lies next to a midpoint of floats; at 3 the last one's next to one of doubles.
   */
  const double freqs[] = {0x1.000003p-70, 1.0, 0x1.0000000000001p-40};
  const posenc_spec spec = frequencies(freqs, 3);
  reference_value row[6];
  float floats[6];
  mpfr_reference *t = reference_create(&spec);
  reference_row_floats(t, 3, floats);
  assert_int_equal(reference_widened(t), 0);
  assert_int_equal(reference_precision(t), REFERENCE_FIRST_BITS);
  reference_row(t, 3, row);
  assert_int_equal(reference_widened(t), 1);
  reference_row_floats(t, 1, floats);
  assert_int_equal(reference_widened(t), 2);
  assert_true(reference_precision(t) > REFERENCE_FIRST_BITS);
  reference_destroy(t);
}

/* The same value by another road: exp and log, one fixed high precision, the angle reduced by hand. */
static void independent(const posenc_spec *spec, int64_t position, int64_t column, reference_value *v) {
  mpfr_t angle, turn;
  mpfr_inits2(1500, angle, turn, (mpfr_ptr)NULL);
  mpfr_set_d(angle, spec->base, MPFR_RNDN);
  mpfr_log(angle, angle, MPFR_RNDN);
  mpfr_mul_si(angle, angle, -(long)(column / 2), MPFR_RNDN);
  mpfr_div_d(angle, angle, spec->denominator > 0 ? spec->denominator : (double)spec->d_model / 2, MPFR_RNDN);
  mpfr_exp(angle, angle, MPFR_RNDN);
  mpfr_mul_si(angle, angle, (long)position, MPFR_RNDN);
  mpfr_const_pi(turn, MPFR_RNDN);
  mpfr_mul_2ui(turn, turn, 1, MPFR_RNDN);
  mpfr_fmod(angle, angle, turn, MPFR_RNDN);
  if (column % 2)
    mpfr_cos(angle, angle, MPFR_RNDN);
  else
    mpfr_sin(angle, angle, MPFR_RNDN);
  *v = (reference_value){.y = mpfr_get_d(angle, MPFR_RNDN), .rounded = mpfr_get_flt(angle, MPFR_RNDN), .unsure = 0};
  mpfr_clears(angle, turn, (mpfr_ptr)NULL);
}

static void agrees_with_an_independent_computation(void **state) {
  (void)state;
  enum { D = 31 };
  uint64_t random = SEED;
  const double bases[] = {10000.0, 500000.0, 1e12, 1.0001, 16.0};
  const double denominators[] = {0, 15, 7.25, 15.5};
  const int64_t scales[] = {64, 5000, 1048576, POSENC_MAX_POSITION};
  for (int i = 0; i < 80; i++) {
    posenc_spec spec = posenc_spec_default(D);
    spec.base = bases[i % 5];
    spec.denominator = denominators[i % 4];
    const int64_t scale = scales[(i / 4) % 4];
    const int64_t position = i < 4 ? (i % 2 ? -scale : scale) : random_between(&random, -scale, scale);
    reference_value row[D], want;
    float floats[D];
    mpfr_reference *t = reference_create(&spec);
    reference_row(t, position, row);
    reference_row_floats(t, position, floats);
    reference_destroy(t);
    for (int64_t column = 0; column < D; column++) {
      independent(&spec, position, column, &want);
      if (row[column].y != want.y)
        fail_msg("seed %llu: position %lld, column %lld, base %g: %a, not %a", (unsigned long long)SEED,
            (long long)position, (long long)column, spec.base, row[column].y, want.y);
      assert_bits(row[column].rounded, want.rounded);
      assert_bits(floats[column], want.rounded);
    }
  }
}

static double ulp(double got, double y) { return ulp_distance(POSENC_F32, got, y, 0); }

static void ulp_distances(void **state) {
  (void)state;
  assert_true(ulp(1.0, 1.0) == 0);
  assert_true(ulp(0x1.000002p0, 1.0) == 1);
  assert_true(ulp(0x1.fffffep-1, 1.0) == 0.5); /* the unit is that of y, not of the answer */
  assert_true(ulp(1.0, 0x1.fffffep-1) == 1);
  assert_true(ulp(-0.5, 0.5) == 0x1p24);
  assert_true(ulp(0x1p-149, 0x1.8p-149) == 0.5); /* below 2^-126 the unit stays 2^-149 */
  assert_true(ulp(0.0, 0x1p-1022) == ldexp(1, -1022 + 149));
  assert_true(ulp(0.0, 0) == 0 && ulp(-0.0, 0) == 0);
  assert_true(isinf(ulp(0x1p-149, 0)));
  assert_true(isinf(ulp((double)NAN, 0.5)) && isinf(ulp((double)INFINITY, 0.5)) && isinf(ulp((double)NAN, 0)));
}

/* The largest error of the float64 reference at a position, which the law must cover column by column. */
static double audited_error(mpfr_reference *t, const posenc_spec *spec, const double *w, int64_t position) {
  reference_value want[512], got[512];
  double max = 0;
  reference_row(t, position, want);
  float64_reference_row(spec, w, position, got);
  for (int64_t column = 0; column < spec->d_model; column++) {
    const double error = fabs(got[column].y - want[column].y);
    const double law = float64_reference_bound(spec, position, w[column / 2]);
    if (!(error <= law))
      fail_msg("position %lld, column %lld: error %g is beyond the law's %g", (long long)position, (long long)column,
          error, law);
    max = fmax(max, error);
  }
  return max;
}

static void float64_reference_is_as_good_as_stated(void **state) {
  (void)state;
  const posenc_spec spec = posenc_spec_default(512);
  const int64_t good_to = float64_reference_good_to(&spec);
  assert_true(good_to >= 1048576); /* it covers every range of the report */
  mpfr_reference *t = reference_create(&spec);
  double *w = float64_reference_frequencies(&spec);
  uint64_t random = SEED;
  double max = 0;
  for (int i = 0; i < 60; i++) {
    const int64_t position = i == 0 ? good_to : i == 1 ? -good_to : random_between(&random, 0, good_to >> (i % 12));
    max = fmax(max, audited_error(t, &spec, w, position));
  }
  printf("float64 reference: good to %lld, max error up to there %.3g, goal %.3g\n", (long long)good_to, max,
      FLOAT64_REFERENCE_GOAL);
  assert_true(max < FLOAT64_REFERENCE_GOAL);

  /* Far beyond, the law still holds, and the reference is good no more: the limit is one that matters. */
  max = 0;
  for (int64_t position = POSENC_MAX_POSITION - 8; position <= POSENC_MAX_POSITION; position++)
    max = fmax(max, audited_error(t, &spec, w, position));
  assert_true(max > FLOAT64_REFERENCE_GOAL);
  free(w);
  reference_destroy(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_known_digits),
      cmocka_unit_test(zero_is_exact),
      cmocka_unit_test(midpoints_are_decided),
      cmocka_unit_test(only_what_is_asked_for),
      cmocka_unit_test(agrees_with_an_independent_computation),
      cmocka_unit_test(ulp_distances),
      cmocka_unit_test(float64_reference_is_as_good_as_stated),
  };
  const int failed = cmocka_run_group_tests_name("truth", tests, NULL, NULL);
  mpfr_free_cache();
  return failed;
}
