/* The bounds of docs/exact.md on the very code they are about, against MPFR: frequencies in turns, sine and cosine of
 * one angle, sums of three, single rows, float64. Random angles say nothing of the worst case; they show a bound that
 * is wrong, and how much of one is used.
 *
 * Compiled twice: as exact_scalar, where nothing is fused, and as test_budget_fused, where FMA need not be in hardware.
 */
#include "testing.h"

#include "angle_addition/single_rows.h"
#include "angle_addition/angle.h"
#include "angle_addition/turns.h"
#include "angle_addition/float64_rows.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>

static uint64_t seed = 20170612;
static int64_t angles = 100000;
static mpfr_t two_pi, turn, lower, sine, cosine, error;

typedef struct frequency {
  double hi, mid; /* of a turn */
} frequency;

static double uniform(double low, double high) {
  return low + (high - low) * 0x1p-53 * (double)(next_random(&seed) >> 11);
}

static frequency some_frequency(double size) {
  int exponent;
  frexp(size, &exponent);
  const double sign = next_random(&seed) % 2 ? 1.0 : -1.0;
  return (frequency){sign * size, sign * ldexp(uniform(0.0, 1.0), exponent - 53)};
}

typedef struct off { /* in units of 2^-53 */
  double sine, cosine, both;
} off;

/* Of an angle position * w: absolute errors, where the real sine and cosine are at hand afterwards. */
static off errors(angle a, double position, frequency w) {
  mpfr_set_d(turn, w.hi, MPFR_RNDN);
  mpfr_set_d(lower, w.mid, MPFR_RNDN);
  mpfr_add(turn, turn, lower, MPFR_RNDN);
  mpfr_mul_d(turn, turn, position, MPFR_RNDN);
  mpfr_rint(lower, turn, MPFR_RNDN);
  mpfr_sub(turn, turn, lower, MPFR_RNDN);
  mpfr_mul(turn, turn, two_pi, MPFR_RNDN);
  mpfr_sin_cos(sine, cosine, turn, MPFR_RNDN);
  off o;
  mpfr_sub_d(error, sine, a.sin, MPFR_RNDN);
  o.sine = fabs(mpfr_get_d(error, MPFR_RNDN)) * 0x1p53;
  mpfr_sub_d(error, cosine, a.cos, MPFR_RNDN);
  o.cosine = fabs(mpfr_get_d(error, MPFR_RNDN)) * 0x1p53;
  o.both = hypot(o.sine, o.cosine);
  return o;
}

static angle at(double position, frequency w) { return angle_at(vd_set1(position), vd_set1(w.hi), vd_set1(w.mid)); }

static void judge(const char *what, double worst, double most) {
  printf("%s: worst %.3f, at most %g\n", what, worst, most);
  assert_true(worst <= most);
}

/* hi + mid of a spec's frequencies, in 2^-105 of what whole turns leave. */
static double error_of_turns(const posenc_spec *spec) {
  const int64_t n = spec->d_model / 2;
  double *const hi = calloc((size_t)n, 3 * sizeof *hi), *const mid = hi + n, worst = 0;
  assert_non_null(hi);
  posenc_turns(spec, &(turns){.n = n, .hi = hi, .mid = mid, .whole = mid + n});
  mpfr_t one_turn, root, t, nearest, rest;
  mpfr_inits2(640, one_turn, root, t, nearest, rest, (mpfr_ptr)0);
  mpfr_const_pi(rest, MPFR_RNDN);
  mpfr_d_div(one_turn, spec->position_scale, rest, MPFR_RNDN);
  mpfr_div_2ui(one_turn, one_turn, 1, MPFR_RNDN);
  mpfr_set_d(root, spec->base, MPFR_RNDN);
  mpfr_rootn_ui(root, root, (unsigned long)n, MPFR_RNDN);
  for (int64_t k = 0; k < n; k++) {
    mpfr_set_d(t, spec->freqs ? spec->freqs[k] : 1.0, MPFR_RNDN);
    if (spec->freqs_low)
      mpfr_add_d(t, t, spec->freqs_low[k], MPFR_RNDN);
    mpfr_mul(t, t, one_turn, MPFR_RNDN);
    if (!spec->freqs)
      mpfr_div(one_turn, one_turn, root, MPFR_RNDN);
    mpfr_rint(nearest, t, MPFR_RNDN);
    mpfr_sub(t, t, nearest, MPFR_RNDN);
    mpfr_sub_d(rest, t, hi[k], MPFR_RNDN);
    mpfr_sub_d(rest, rest, mid[k], MPFR_RNDN);
    mpfr_div(rest, rest, t, MPFR_RNDN);
    worst = fmax(worst, fabs(mpfr_get_d(rest, MPFR_RNDN)) * 0x1p105);
  }
  mpfr_clears(one_turn, root, t, nearest, rest, (mpfr_ptr)0);
  free(hi);
  return worst;
}

/* What brings w * scale nearest to whole turns, if it is a low part of w; else 0. */
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
  /* The first's 2^93 turns are whole but for 2^-103. */
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
    spec.base = 1 / (1 + ldexp(uniform(0.5, 1), (int)random_between(&seed, -50, 85))); /* up to 2^64 */
    worst = fmax(worst, error_of_turns(&spec));
    spec.position_scale = ldexp(uniform(-1, 1), (int)random_between(&seed, -30, 32));
  }
  static const double bases[] = {1.0001, 10000, 5e5, 1e30, 0x1p-64};
  for (int i = 0; i < 15; i++) {
    spec = paper_spec(INT64_C(128) << (i / 5 * 13 / 2)); /* 128, 8192, 2^20 */
    spec.base = bases[i % 5];
    worst = fmax(worst, error_of_turns(&spec));
  }
  judge("frequencies in turns, in 2^-105 of them", worst, 1);
  assert_true(near > 100);
  judge("sums of two doubles in turns, in 2^-105 of them", worst_sum, 1);
}

/* An integer up to `most`, or every other time a real number that a single row may have. */
static double some_position(int64_t i, int64_t most) {
  if (i / 8 % 2)
    return ldexp(uniform(1.0, 2.0), (int)random_between(&seed, -20, 31));
  return (double)random_between(&seed, 1, most);
}

/* Relative errors, beside the reduction's: below 2^-16 where the sine or cosine is not near 0. */
static void one_angle(void **state) {
  (void)state;
  double worst_sine = 0, worst_cosine = 0;
  for (int64_t i = 0; i < angles; i++) {
    const double position = some_position(i, i % 4 ? 4096 : POSENC_MAX_POSITION);
    double size = uniform(0.0, 0.5);
    if (i % 4 == 1) /* around an eighth of a turn, where the polynomials end */
      size = uniform(0.12, 0.13) / position;
    else if (i % 4 == 2) /* above a twelfth: sine 1/2 */
      size = uniform(0.083, 0.093) / position;
    else if (i % 4 == 3)
      size = ldexp(uniform(0.06, 0.12), -(int)(i % 113)) / position;
    if (size > 0.5)
      continue;
    const frequency w = some_frequency(size);
    const angle a = at(position, w);
    const off o = errors(a, position, w);
    if (i % 4 || fabs(a.sin) > 0x1p-10)
      worst_sine = fmax(worst_sine, o.sine / fabs(a.sin));
    if (i % 4 || fabs(a.cos) > 0x1p-10)
      worst_cosine = fmax(worst_cosine, o.cosine / fabs(a.cos));
  }
  judge("sine", worst_sine, POSENC_BUDGET_ANGLE);
  judge("cosine", worst_cosine, POSENC_BUDGET_ANGLE);
}

/* A factor as a plan keeps it. */
static angle factor_of(int i, frequency w) {
  double pairs[FACTORS * FACTOR];
  make_factors(&(turns){.n = 1, .hi = &w.hi, .mid = &w.mid}, 0, pairs, APART);
  return (angle){.cos = pairs[i * FACTOR], .sin = pairs[i * FACTOR + 1]};
}

/* Part i of `parts` that lie half ahead of what they are added to, half behind it; their factors begin with `first`. */
static angle rotated_part(angle a, int i, int parts, int first, frequency w) {
  const int is_ahead = i >= parts / 2;
  angle by = factor_of(first + (is_ahead ? i - parts / 2 : parts / 2 - 1 - i), w);
  by.sin *= is_ahead ? 1.0 : -1.0;
  return rotated(a, by);
}

static angle three_angles(int64_t position, frequency w) {
  const int middle = (int)(position & (COARSE - 1)) / RUN, step = (int)(position & (RUN - 1));
  const angle anchor = rotated_part(at(coarse_of(position), w), middle, 2 * MIDDLES, STEPS, w);
  return rotated_part(anchor, step, RUN, 0, w);
}

static void sums(void **state) {
  (void)state;
  double worst = 0, worst_relative = 0;
  for (int64_t i = 0; i < angles; i++) {
    const int small = i % 2 == 1; /* within an eighth of a turn, as is_relative() wants it */
    const int64_t most = small ? INT64_C(1) << (i % 33) : POSENC_MAX_POSITION;
    const int64_t position = random_between(&seed, 1, most) * (i % 4 < 2 ? 1 : -1);
    const double eighth = 0.125 / furthest_of(coarse_of(position));
    const frequency w = some_frequency(small ? ldexp(eighth, -(int)(i % 100 / 2)) : uniform(0.0, 0.5));
    const angle a = three_angles(position, w);
    const off o = errors(a, (double)position, w);
    worst = fmax(worst, o.both);
    if (small)
      worst_relative = fmax(worst_relative, o.sine / fabs(a.sin));
  }
  judge("sum of three angles", worst, EXACT ? POSENC_BUDGET_ERROR - 0.5 : POSENC_BUDGET_ANCHORED);
  judge("sine of a small one, relative", worst_relative, POSENC_BUDGET_RELATIVE);
}

/* As vp_interleave_rotated() does it, in float64. */
static angle single(double position, frequency w) {
  vd quarters;
  const angle y = direct_angle(vd_set1(position), vd_set1(w.hi), vd_set1(w.mid), &quarters);
  const uint64_t q = bits_of(quarters);
  const angle odd = q & 1 ? (angle){y.cos, -y.sin} : y;
  return q & 2 ? (angle){-odd.sin, -odd.cos} : odd;
}

/* All over, and where the polynomials end: an odd number of eighths, with and without quarters. */
static void single_rows(void **state) {
  (void)state;
  double worst = 0, worst_relative = 0;
  for (int64_t i = 0; i < angles; i++) {
    const int small = i % 4 == 3; /* no quarter is taken */
    const double position = some_position(i, i % 4 ? INT64_C(1) << (i / 4 % 33) : POSENC_MAX_POSITION);
    const double sign = i % 8 < 4 ? 1.0 : -1.0;
    double part = uniform(0.0, 0.5) * position;
    if (small)
      part = ldexp(uniform(0.06, 0.1249), -(int)(i % 113));
    else if (i % 4)
      part = (floor(part * 4.0) + 0.5) * 0.25 + uniform(-0.005, 0.005) * (i % 4 == 1);
    if (part > 0.5 * position)
      continue;
    const frequency w = some_frequency(part / position);
    const angle a = single(sign * position, w);
    const off o = errors(a, sign * position, w);
    worst = fmax(worst, fmax(o.sine, o.cosine));
    if (small)
      worst_relative = fmax(worst_relative, o.sine / fabs(a.sin));
  }
  judge("single row", worst, POSENC_BUDGET_SINGLE);
  judge("its sine where no quarter is taken, relative", worst_relative, POSENC_BUDGET_SINGLE_RELATIVE);
}

/* Errors as parts of their bounds: all over, and near zeros, where what the reduction leaves counts. */
static void in_float64(void **state) {
  (void)state;
  double worst = 0;
  for (int64_t i = 0; i < angles; i++) {
    const int64_t size = random_between(&seed, 1, i & 8 ? POSENC_MAX_POSITION : 4096), position = i & 16 ? -size : size;
    const double quarters = i % 2 ? (double)random_between(&seed, 0, 2 * size) / 4 : 0.0;
    const int tiny = i % 4 == 1 || i % 4 == 2;
    const double part = tiny ? ldexp(uniform(0.06, 0.12), -(int)(i % 113)) : uniform(-0.1255, 0.1255);
    const frequency w = some_frequency(fmin(0.5, fabs(quarters + part) / (double)size));
    wide s, c;
    const double p = wide_angle(vd_set1((double)position), vd_set1(w.hi), vd_set1(w.mid), &s, &c);
    const double rest = 2 * POSENC_BUDGET_PLACE * 0x1p-53 * fabs(p);
    errors((angle){s.hi, c.hi}, (double)position, w);
    mpfr_sub_d(sine, sine, s.hi, MPFR_RNDN);
    mpfr_sub_d(sine, sine, s.lo, MPFR_RNDN);
    mpfr_sub_d(cosine, cosine, c.hi, MPFR_RNDN);
    mpfr_sub_d(cosine, cosine, c.lo, MPFR_RNDN);
    const double s_bound = POSENC_BUDGET_WIDE * fabs(s.hi) + rest, c_bound = POSENC_BUDGET_WIDE * fabs(c.hi) + rest;
    worst = fmax(worst, fabs(mpfr_get_d(sine, MPFR_RNDN)) * 0x1p53 / s_bound);
    worst = fmax(worst, fabs(mpfr_get_d(cosine, MPFR_RNDN)) * 0x1p53 / c_bound);
  }
  judge("float64, of its bound", worst, 1.0);
}

/* The bits of budget.inc are those of its numbers, negated. */
static void least_sizes(void **state) {
  static const struct {
    float size;
    uint32_t bits;
  } sizes[] = {{CHECK_SMALL, CHECK_SMALL_BITS}, {CHECK_BF16, CHECK_BF16_BITS}, {CHECK_F16, CHECK_F16_BITS}};
  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const float negative = -sizes[i].size;
    assert_memory_equal(&negative, &sizes[i].bits, sizeof negative);
  }
}

int main(int argc, char **argv) {
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 0);
  if (argc > 2)
    angles = strtoll(argv[2], NULL, 0);
  printf("seed %llu, %lld angles and sums (arguments set them); errors in 2^-53\n", (unsigned long long)seed,
      (long long)angles);
  mpfr_inits2(256, two_pi, turn, lower, sine, cosine, error, (mpfr_ptr)0);
  mpfr_const_pi(two_pi, MPFR_RNDN);
  mpfr_mul_2ui(two_pi, two_pi, 1, MPFR_RNDN);
  const struct CMUnitTest tests[] = {cmocka_unit_test(frequencies_in_turns), cmocka_unit_test(one_angle),
      cmocka_unit_test(sums), cmocka_unit_test(single_rows), cmocka_unit_test(in_float64),
      cmocka_unit_test(least_sizes)};
  const int failed = cmocka_run_group_tests_name("budget", tests, NULL, NULL);
  mpfr_clears(two_pi, turn, lower, sine, cosine, error, (mpfr_ptr)0);
  mpfr_free_cache();
  return failed;
}
