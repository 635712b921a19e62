/* "Every output of exact is the number of the dtype nearest to the real value" (posenc.h): values so near a midpoint of
 * two numbers of the dtype, or so near 0, that their rounding is hard to decide.
 */
#include "judged.h"

#include "worst_cases.h"

/* ---- midpoints ---- */

/* Outputs at or next to a midpoint of two numbers of a dtype, in every quarter of a turn, at integers and between
 * them, also for frequencies of many whole turns per position. The distance from the midpoint is one of
 *   - the least that a float64 frequency allows;
 *   - about the least that float64 can decide;
 *   - so little that rounding to float32 would give the midpoint. */
static void near_midpoints(void **state) {
  (void)state;
  enum { ORDINARY, SMALL, BESIDE, EIGHTH, REAL, TURNS, MANY_TURNS, KINDS };
  static const int32_t dtypes[] = {POSENC_DTYPE_F32, POSENC_DTYPE_F32, POSENC_DTYPE_BF16, POSENC_DTYPE_F16};
  /* The first list has positions with a single part or with one small part. The second list has sums of parts of
   * similar size, which have the largest errors. */
  static const int64_t places[2][6] = {{1, 63, 64, 100, 4000, -4000}, {45, 95, 100, 6114, -97, -6180}};
  for (int64_t i = 0; i < 9000 + 1000 * repeats; i++) {
    if (i >= 2000 && skipped(&seed))
      continue;
    const int32_t dtype = dtypes[i % 4];
    const int f32 = dtype == POSENC_DTYPE_F32, sine = i / 4 % 2 == 1, kind = (int)(i / 8 % KINDS);
    double middle = midpoint(dtype);
    if (kind == SMALL)
      middle *= f32 ? (i % 3 ? 0x1p-18 : 0x1p-10) : ldexp(1, -(int)random_between(&seed, 1, 14));
    if (kind == EIGHTH && f32) /* at the end of its interval a polynomial has its largest error */
      middle = ((double)random_between(&seed, 11200000, 12400000) + 0.5) * 0x1p-24; /* 0.67 to 0.74 */
    if (kind == EIGHTH || kind == BESIDE) {
      const int64_t exponent = f32 ? random_between(&seed, 40, 49) : random_between(&seed, 26, 44);
      middle *= 1 + ldexp((double)random_between(&seed, -1, 1), -(int)exponent);
    }
    const double arc = sine ? asin(middle) : acos(middle);
    double angle = (i % 3 ? arc : -arc) + (double)random_between(&seed, 0, i % 6 ? 7 : 1) * turn / 2, position;
    if (kind == SMALL) /* a small value, but not of a small angle */
      angle = sine ? turn / 2 - arc : arc;
    if (kind >= REAL)
      position = kind == REAL ? angle / between(0.1, 3) : angle / (turn * ((kind == TURNS ? 1 : 1000) + between(0, 1)));
    else
      position =
          (double)(kind == EIGHTH ? random_between(&seed, 1, 100) : places[kind == SMALL][random_between(&seed, 0, 5)]);
    const double w = angle / position;
    judge_alone(dtype, &w, 1, &position, 1);
    if (kind <= SMALL && f32)
      judge_among(dtype, w, 0, &position, 1);
  }
}

/* Outputs near a midpoint of the second frequency of a ladder, base^(-2/d). */
static void near_midpoints_of_ladders(void **state) {
  (void)state;
  const double position = 1;
  for (int i = 0; i < 600; i++) {
    const double middle = midpoint(POSENC_DTYPE_F32) * (i % 4 ? 0x1p-10 : 1), arc = i % 2 ? asin(middle) : acos(middle);
    posenc_spec ladder = paper_spec(4 + i % 3 * 2);
    ladder.base = arc < 1 ? pow(arc, -0.5 * (double)ladder.d_model) : 2;
    judge_all(&ladder, &position, 1, EXACT);
  }
}

/* Angles that are numbers of a dtype or midpoints of two, so that the sine is slightly less: by what float64 shows,
 * or by less than that. The sines are normal, subnormal, or so small that they round to 0. */
static void exact_midpoints(void **state) {
  (void)state;
  const double positions[] = {1, -1, 2, 3, -5, 64, 4097};
  for (int32_t dtype = 0; dtype < FORMATS; dtype++) {
    const format *f = format_of(dtype);
    const int least = f->digits - 1 - f->lowest, top = dtype == POSENC_DTYPE_F16   ? -10
                                                       : dtype == POSENC_DTYPE_F64 ? least + 60
                                                                                   : -20;
    double freqs[40];
    int n = 0;
    for (int i = 0; i < 40; i++) { /* numbers, midpoints and their neighbours, with exponents from the least up */
      const int exponent =
          i < 28 && dtype != POSENC_DTYPE_F64 ? -f->lowest - 2 + i : (int)random_between(&seed, least, top);
      const int unit = format_unit(f, exponent) - 1; /* half a unit */
      const double significand =
          ldexp((double)random_between(&seed, INT64_C(1) << 9, (INT64_C(1) << 10) - 1), exponent - 9 - unit);
      const double halves = fmax(1, floor(significand)) + (double)(i % 4 == 3) * 0x1p-20;
      /* three times it has 54 bits */
      const double wide = (double)(random_between(&seed, INT64_C(1) << 52, (INT64_C(1) << 53) - 1) | 1);
      const double w = dtype == POSENC_DTYPE_F64 ? ldexp(wide, exponent - 52) : ldexp(halves, unit);
      if (w >= 0x1p-1022)
        freqs[n++] = i % 3 ? w : -w;
    }
    assert_true(n > 20);
    judge_alone(dtype, freqs, n, positions, sizeof positions / sizeof positions[0]);
  }
}

/* ---- zeros ---- */

/* A multiple of each frequency is as near to a multiple of pi/2 as a double can be, so the sine or cosine nearly
 * vanishes: at the ends and in the middle of the 64 rows that share an anchor, for slow and fast frequencies. */
static void zero_crossings(void **state) {
  (void)state;
  const int64_t crossings[] = {
      1, 31, 63, 64, 95, 127, 128, 100, 4095, 5003, 8191, 70001, 131072, 131135, -1, -33, -4096, -5001};
  enum { CROSSINGS = sizeof crossings / sizeof crossings[0], TRIES = 40 };
  for (int c = 0; c < CROSSINGS; c++) {
    const int64_t p = crossings[c], size = p < 0 ? -p : p;
    double freqs[TRIES];
    /* Few quarter turns up to the position, or up to a turn per position; exactly or nearly there. */
    for (int i = 0; i < TRIES; i++) {
      const double quarters = (double)random_between(&seed, 1, i % 2 ? 4 * size : i % 4 ? 1 + size / 64 : 1);
      const double missed = ldexp((double)(i % 3 - 1), -18 - i % 16);
      freqs[i] = (quarters * 0x1.921fb54442d18p+0 + missed) / (double)size;
    }
    const double positions[] = {(double)(p - 1), (double)p, (double)(p + 1)};
    judge_alone(POSENC_DTYPE_F32, freqs, TRIES, positions, 3);
    judge_alone(POSENC_DTYPE_F64, freqs, TRIES, positions, 3);
  }
}

/* Values near 0 at positions between integers, of frequencies of many turns: the two parts of their angles cancel. */
static void zeros_between_integers(void **state) {
  (void)state;
  enum { N = 16, TRIES = 200 };
  mpfr_t goal;
  mpfr_init2(goal, 300);
  for (int i = 0; i < TRIES; i++) {
    const double position =
        ldexp((double)(2 * random_between(&seed, 0, 1 << 20) + 1), -(int)random_between(&seed, 1, 20));
    double freqs[N], low[N];
    for (int k = 0; k < N; k++) { /* so many quarter turns, missed by 2^-30 to 2^-75 */
      const int64_t most = INT64_C(1) << random_between(&seed, 25, 47);
      mpfr_const_pi(goal, MPFR_RNDN);
      mpfr_mul_d(goal, goal, (double)random_between(&seed, most / 2, most) / 2, MPFR_RNDN);
      mpfr_add_d(goal, goal, ldexp(k % 2 ? 1 : -1, -(int)random_between(&seed, 30, 75)), MPFR_RNDN);
      mpfr_div_d(goal, goal, position, MPFR_RNDN);
      freqs[k] = mpfr_get_d(goal, MPFR_RNDN);
      mpfr_sub_d(goal, goal, freqs[k], MPFR_RNDN);
      low[k] = mpfr_get_d(goal, MPFR_RNDN);
    }
    const posenc_spec spec = frequency_spec(freqs, low, N, i % FORMATS);
    judge_all(&spec, &position, 1, EXACT);
  }
  mpfr_clear(goal);
}

/* Sines that are exempt from the rounding test at the beginning of a table, as their angles are small, and next to 0
 * many runs later, where they are no longer exempt. */
static void late_crossings(void **state) {
  (void)state;
  enum { N = 32, D = 2 * N, ROWS = 4096 };
  double freqs[N];
  const posenc_spec spec = frequency_spec(freqs, NULL, N, POSENC_DTYPE_F32);
  for (int64_t k = 0; k < N; k++)
    freqs[k] = turn / 2 / (double)(1400 + 80 * k);
  mpfr_reference *t = reference_create(&spec);
  reference_value want[D];
  float *const table = malloc(sizeof(float[ROWS][D]));
  for (size_t m = 0; runnable(m); m++) {
    if (!runnable(m)->correctly_rounded)
      continue;
    posenc_plan *plan = plan_of(&spec, runnable(m)->name);
    assert_int_equal(posenc_fill(plan, 0, ROWS, table, D), POSENC_OK);
    for (int64_t position = 1400; position < ROWS; position += 80) {
      const double at = (double)position;
      reference_row(t, at, want);
      judge_rows(plan, &at, 1, (const unsigned char *)(table + position * D), want);
    }
    posenc_plan_destroy(plan);
  }
  free(table);
  reference_destroy(t);
}

/* Frequencies so near to a fraction j/q of a turn that the sine at multiples of q is about 2^-42 even for angles of
 * 2^31 turns. There the error of the reduction matters. They were found among all j/q with q below 8192. worst_cases.inc
 * has a position of each at which that error is too large to decide. */
static void whole_turns(void **state) {
  (void)state;
  enum { TRIES = 500 }; /* one in some hundred positions shows a reduction that is wrongly taken for exact */
  const struct {
    double w;
    int64_t q;
  } near[] = {
      {0x1.7a73f08ba285fp+0, 5691},
      {0x1.7a73f08ba285fp+1, 5691},
      {0x1.4a31670cacdc9p+1, 5719},
      {0x1.fa21759ccb7d5p+0, 3731},
      {0x1.e296f912867d7p+0, 3913},
      {0x1.1fa48131918e3p+1, 6565},
  };
  double positions[TRIES];
  for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
    const int64_t most = POSENC_MAX_POSITION / near[i].q;
    for (int32_t dtype = POSENC_DTYPE_F32; dtype <= POSENC_DTYPE_F64; dtype++) {
      posenc_spec last = frequency_spec(&near[i].w, NULL, 1, dtype);
      last.d_model = 1; /* the sine is in the last column */
      for (int j = 0; j < TRIES; j++)
        positions[j] = (double)(near[i].q * random_between(&seed, most / 2, most) * (j % 2 ? 1 : -1));
      judge_alone(dtype, &near[i].w, 1, positions, TRIES);
      judge_among(dtype, near[i].w, 0, positions, TRIES);
      judge_all(&last, positions, TRIES, EXACT);
      for (int again = 0; again < 12 && i == 1; again++) { /* positions between integers */
        for (int j = 0; j < TRIES; j++)
          positions[j] = (double)(near[i].q * (random_between(&seed, most / 2, most) | 1)) / 2 * (j % 2 ? 1 : -1);
        judge_alone(dtype, &near[i].w, 1, positions, TRIES);
      }
    }
  }
  enum { NOTHINGS = 200 };
  /* sines whose sign float64 does not decide; they round to 0 in float16, with that sign */
  for (int i = 0; i < NOTHINGS; i++)
    positions[i] = (double)(near[0].q * (i / 2 + 1) * (i % 2 ? 1 : -1));
  judge_alone(POSENC_DTYPE_F16, &near[0].w, 1, positions, NOTHINGS);
}

/* ---- known cases ---- */

/* The known worst cases of each dtype, and the rows of the table that some of them are in. */
static void known_cases(void **state) {
  (void)state;
  for (int i = 0; i < WORST_CASES; i++) {
    const worst_case *const known = &worst_cases[i];
    const posenc_spec alone = frequency_spec(&known->frequency, &known->low, 1, known->dtype);
    posenc_spec table = paper_spec(1024);
    table.dtype = known->dtype;
    judge_all(&alone, &known->position, 1, PROVED);
    judge_among(known->dtype, known->frequency, known->low, &known->position, 1);
    if (known->low != 0)
      judge_all(&table, &known->position, 1, EXACT);
  }
}

/* All outputs of the 131072 x 1024 table, base 10000, that float64 does not decide, small ones too. They were found by
 * counting fallbacks. */
static void hard_cases(void **state) {
  (void)state;
  const double positions[] = {
      16671, 30629, 40672, 42531, 54403, 68832, 74491, 80239, 81665, 93641, 104487, 104505, 106385};
  const posenc_spec spec = paper_spec(1024);
  judge_all(&spec, positions, sizeof positions / sizeof positions[0], EXACT);
}

int main(int argc, char **argv) {
  if (!take_arguments(argc, argv))
    return 2;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(near_midpoints),
      cmocka_unit_test(near_midpoints_of_ladders),
      cmocka_unit_test(exact_midpoints),
      cmocka_unit_test(zero_crossings),
      cmocka_unit_test(zeros_between_integers),
      cmocka_unit_test(late_crossings),
      cmocka_unit_test(whole_turns),
      cmocka_unit_test(known_cases),
      cmocka_unit_test(hard_cases),
  };
  return cmocka_run_group_tests_name("midpoints", tests, NULL, NULL);
}
