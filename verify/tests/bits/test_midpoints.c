/* "Every output of exact is the number of the dtype nearest to the real value" (posenc.h): values so near a midpoint of
 * two numbers of the dtype that their rounding is hard to decide.
 */
#include "judged.h"

#include "worst_cases.h"

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
    if (kind > SMALL || !f32)
      continue;
    posenc_spec alone = paper_spec(2);
    alone.freqs = &w;
    alone.n_freqs = 1;
    judge_among(&alone, &position, 1);
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

/* The known worst cases of each dtype, and the rows of the table that some of them are in. */
static void known_cases(void **state) {
  (void)state;
  for (int i = 0; i < WORST_CASES; i++) {
    const worst_case *const known = &worst_cases[i];
    posenc_spec alone = paper_spec(2), table = paper_spec(1024);
    alone.freqs = &known->frequency;
    alone.freqs_low = &known->low;
    alone.n_freqs = 1;
    alone.dtype = table.dtype = known->dtype;
    judge_all(&alone, &known->position, 1, ANCHORED);
    judge_among(&alone, &known->position, 1);
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
      cmocka_unit_test(known_cases),
      cmocka_unit_test(hard_cases),
  };
  return cmocka_run_group_tests_name("midpoints", tests, NULL, NULL);
}
