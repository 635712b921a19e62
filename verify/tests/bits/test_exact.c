/* "Every output of exact is the number of the dtype nearest to the real value" (posenc.h): the ends of the domain,
 * frequencies that are sums, values near zero, single rows, and the widest table. test_elements.c has random specs and
 * positions, test_midpoints.c values near midpoints of two numbers. The last case counts the values of anchored that are
 * not the nearest.
 */
#include "judged.h"

/* ---- frequencies ---- */

/* The ends of the domain; angles that are floats or midpoints of floats; subnormal results; zeros of either sign.
 * Between integers the whole turns of a frequency count too, up to 2^64 of them. A scale makes float64 subnormal. */
static void extreme_frequencies(void **state) {
  (void)state;
  double freqs[] = {0x1p64, -0x1p64, 0x1.fffffffffffffp63, 1e18, -3.3e9, 6.283185307179586, 0x1.921fb54442d18p+1,
      0x1.921fb6p+1, 1.0, -0.25, 3.0, 0.0, -0.0, 0x1.000001p-13, 0x1.000001p-12, 1e-8, 0x1.8p-24, 0x1p-38, 1e-12,
      0x1.000003p-70, -0x1.000003p-70, 0x1.01p-70, 0x1p-75, 0x1.000005p-126, 0x1p-126, 0x1.2p-127, 0x1.fffffep-127,
      0x1.7p-130, 0x1.8p-133, 0x1.4p-148, 0x1p-149, -0x1p-149, 0x1.8p-149, 0x1p-150, 0x1.8p-990,
      -0x1.fffffffffffffp-1000, 1e-300, 0x1.8p-1010, 0x1p-1022, -0x1p-1022, 0x1.0000000000001p-1022};
  enum { N = sizeof freqs / sizeof freqs[0] };
  const double reals[] = {0.5, 0.25, -0.75, 1.0 / 3, 3.0, -5.0, 0x1p-30, 0x1.8p-40, 0x1p-64, -0x1.8p-64, 0x1p-1022,
      0x1p-1074, 1e-200, 4294967295.5, -12345.6789, 0.0, -0.0, 0x1p32, 0.1, 0x1.8p-52, 1024.0009765625};
  const double integers[] = {
      0, 1, 2, 3, 5, 7, 63, 64, 65, -1, -2, -64, 1023, 4097, 1048577, POSENC_MAX_POSITION, -POSENC_MAX_POSITION};
  double after_zero[64] = {-0.0}; /* -0.0, 1, 2, ...: no consecutive integers */
  for (int i = 1; i < 64; i++)
    after_zero[i] = i;
  for (int64_t repeat = 0; repeat < repeats; repeat++)
    for (int32_t dtype = 0; dtype < FORMATS; dtype++) {
      posenc_spec spec = paper_spec(2 * N);
      spec.freqs = freqs;
      spec.n_freqs = N;
      spec.dtype = dtype;
      for (int k = 3; k < 5; k++)
        freqs[k] = ldexp(between(1, 2), (int)random_between(&seed, 0, 63));
      for (int bits = 0; bits <= 32; bits += 16) {
        spec.position_scale = ldexp(bits ? -1 : 1, -bits);
        judge_all(&spec, reals, sizeof reals / sizeof reals[0], EVERYONE);
        judge_all(&spec, integers, sizeof integers / sizeof integers[0], ANCHORED);
      }
      judge_all(&spec, after_zero, 64, ANCHORED);
      judge_alone(dtype, freqs, N, reals, sizeof reals / sizeof reals[0]);
      judge_alone(dtype, freqs, N, integers, sizeof integers / sizeof integers[0]);
    }
}

/* Splits hi + lo into the nearest double and the rest. */
static void split(double hi, double lo, double *freq, double *freq_low) {
  *freq = hi + lo;
  *freq_low = lo - (*freq - hi);
}

/* Frequencies that are sums of two doubles: thirds, multiples of pi, and low parts of every size and sign. Some
 * angles, or three times the angles, would be midpoints of the dtype without the low part, which decides. */
static void sums_of_doubles(void **state) {
  (void)state;
  enum { THIRDS = 8, PIS = 16, ANY = 32, N = 40 };
  const double integers[] = {0, 1, -1, 2, 3, 64, 100, 5003, 131071, 0x1p32, 1 - 0x1p32, 3000000019, -4097, 1000, 7, 65};
  const double reals[] = {0.5, -0.25, 1.0 / 3, 0x1p-30, 12345.6789, -0.0, 4294967295.5, 3, -1e9 - 0.125};
  for (int64_t i = 0; i < repeats * FORMATS * 6; i++) {
    posenc_spec spec = paper_spec(2 * N);
    double freqs[N], low[N];
    spec.dtype = (int32_t)(i % FORMATS);
    for (int k = 0; k < N; k++) {
      const double hi = k < THIRDS ? (k + 1) / 3.0 : (k + 1) * 0x1.921fb54442d18p+1;
      const double size = k < ANY ? ldexp(between(1, 2), (int)random_between(&seed, -140, 63))
                          : spec.dtype == POSENC_DTYPE_F64
                              ? ldexp((double)(next_random(&seed) >> 11 | UINT64_C(1) << 52 | 1), -112)
                              : ldexp(midpoint(spec.dtype), (int)random_between(&seed, -12, -9));
      if (k < THIRDS)
        split(hi, -fma(3, hi, -(k + 1)) / 3, &freqs[k], &low[k]);
      else if (k < PIS)
        split(hi, fma(k + 1, 0x1.921fb54442d18p+1, -hi) + (k + 1) * 0x1.1a62633145c07p-53, &freqs[k], &low[k]);
      else
        split(size, ldexp(size, -(int)random_between(&seed, 55, k % 2 ? 110 : 900)) * (k % 3 ? 1 : -1), &freqs[k],
            &low[k]);
      if (next_random(&seed) % 4 == 0) {
        freqs[k] = -freqs[k];
        low[k] = -low[k];
      }
    }
    spec.freqs = freqs;
    spec.freqs_low = low;
    spec.n_freqs = N;
    spec.position_scale = i / FORMATS % 3 == 2 ? 1.0 / 3 : 1;
    judge_all(&spec, integers, sizeof integers / sizeof integers[0], EVERYONE);
    judge_all(&spec, reals, sizeof reals / sizeof reals[0], EVERYONE);
    for (int k = 0; k < N; k++) /* without whole turns, real positions are single rows */
      if (fabs(freqs[k]) > 3) {
        freqs[k] = ldexp(freqs[k], -66);
        low[k] = ldexp(low[k], -66);
      }
    judge_all(&spec, reals, sizeof reals / sizeof reals[0], EVERYONE);
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
    for (int i = 0; i < TRIES;
         i++) { /* few quarter turns up to the position, or up to a turn per position; exactly or nearly there */
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
    posenc_spec spec = paper_spec(2 * N);
    spec.dtype = i % FORMATS;
    spec.freqs = freqs;
    spec.freqs_low = low;
    spec.n_freqs = N;
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
  posenc_spec spec = paper_spec(D);
  spec.freqs = freqs;
  spec.n_freqs = N;
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
      reference_row(t, position, want);
      const double at = (double)position;
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
    posenc_spec last = paper_spec(1); /* the sine is in the last column */
    last.freqs = &near[i].w;
    last.n_freqs = 1;
    for (int32_t dtype = POSENC_DTYPE_F32; dtype <= POSENC_DTYPE_F64; dtype++) {
      last.dtype = dtype;
      for (int j = 0; j < TRIES; j++)
        positions[j] = (double)(near[i].q * random_between(&seed, most / 2, most) * (j % 2 ? 1 : -1));
      judge_alone(dtype, &near[i].w, 1, positions, TRIES);
      judge_among(&last, positions, TRIES);
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

/* ---- widths ---- */

/* Single rows. Angles are at and around multiples of an eighth of a turn, where the reduced angle is largest or
 * changes its sign, up to 2^31 turns, positive and negative. Widths end in whole strips, in whole vectors and in
 * parts of one. */
static void single_rows(void **state) {
  (void)state;
  const double eighth = 0x1.921fb54442d18p-1;
  const int64_t widths[] = {2, 5, 16, 62, 64, 66, 130, 192};
  for (int i = 0; i < 80; i++) {
    const int64_t d = widths[i % 8],
                  size = i < 8 ? POSENC_MAX_POSITION : random_between(&seed, 1, INT64_C(1) << (i % 33));
    double freqs[96];
    for (int k = 0; k < 96; k++) {
      const int64_t many = k % 3 ? 8 : 4 * size;
      const double missed = k % 4 ? ldexp((double)random_between(&seed, -8, 8), -4 * (k % 13)) : 0.0;
      freqs[k] = ((double)random_between(&seed, -many, many) + missed) * eighth / (double)size;
    }
    posenc_spec spec = paper_spec(d);
    spec.freqs = freqs;
    spec.n_freqs = (d + 1) / 2;
    const double at = (double)size, positions[] = {at, -at, at - 1, 0, 1 - at};
    judge_all(&spec, positions, 5, EXACT);
    spec.dtype = POSENC_DTYPE_F64;
    judge_all(&spec, positions, 5, EXACT);
  }
}

/* d_model up to 2^20: a sample of the columns. */
static void widest(void **state) {
  (void)state;
  enum { WIDEST = 1 << 20, EVERY = 1646, ROWS = 2 };
  static double values[ROWS + 1][WIDEST]; /* large enough for any dtype */
  const int64_t position = 131071;
  for (int32_t i = 0; i < FORMATS * (THINNED ? 1 : 2); i++) {
    posenc_spec spec = paper_spec(WIDEST - i / FORMATS);
    spec.dtype = i % FORMATS;
    spec.layout = i % 2;
    spec.order = i / 2 % 2;
    spec.odd = i % 3 == 0;
    mpfr_reference *t = reference_create(&spec);
    for (size_t m = 0; runnable(m); m++) {
      const posenc_impl *impl = runnable(m);
      const int best = posenc_impl_find("exact") == impl || is_member(impl, "anchored");
      const size_t size = format_of(spec.dtype)->size;
      if (!is_offered(&spec, impl->name) || (i >= FORMATS && !best))
        continue;
      posenc_plan *plan = plan_of(&spec, impl->name);
      memset(values, 0x5a, sizeof values);
      assert_int_equal(posenc_fill(plan, position - ROWS + 1, ROWS, values, WIDEST), POSENC_OK);
      const unsigned char *const row = (unsigned char *)values + (ROWS - 1) * WIDEST * size;
      const unsigned char *const behind = row + (size_t)spec.d_model * size;
      for (int64_t c = random_between(&seed, 0, EVERY); c < spec.d_model; c += EVERY) {
        const place p = place_of(&spec, c);
        reference_value pair[2];
        if (p.k < 0) /* a column of zeros */
          continue;
        reference_pair_real(t, (double)position, p.k, pair);
        judge_element(plan, (double)position, c, row + (size_t)c * size, &pair[p.cosine], ROWS);
      }
      for (const unsigned char *at = behind; at < row + WIDEST * size + 64; at++)
        assert_int_equal(*at, 0x5a);
      posenc_plan_destroy(plan);
    }
    reference_destroy(t);
  }
}

int main(int argc, char **argv) {
  if (!take_arguments(argc, argv))
    return 2;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(extreme_frequencies),
      cmocka_unit_test(sums_of_doubles),
      cmocka_unit_test(zero_crossings),
      cmocka_unit_test(late_crossings),
      cmocka_unit_test(whole_turns),
      cmocka_unit_test(zeros_between_integers),
      cmocka_unit_test(single_rows),
      cmocka_unit_test(widest),
  };
  return cmocka_run_group_tests_name("exact", tests, NULL, NULL);
}
