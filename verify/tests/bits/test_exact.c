/* "Every output of exact is the number of the dtype nearest to the real value" and `NULL means "exact", which offers every
 * valid spec` (posenc.h): the ends of the domain, frequencies that are sums, ladders, single rows, and the widest table.
 * test_elements.c has random specs and positions, test_midpoints.c values whose rounding is hard to decide.
 *
 *   test_exact [SEED [REPEATS [PATTERN]]]
 *   test_exact SEED fallbacks                counts the outputs that integers compute. Takes seconds.
 */
#include "judged.h"

#include <float.h>
#include <stdatomic.h>

#include "multiprecision/fallback.h"

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
      0x1p-1074, 1e-200, 4294967295.5, -12345.6789, 0.0, 0x1p32, 0.1, 0x1.8p-52, 1024.0009765625, -0.0};
  const double integers[] = {
      0, 1, 2, 3, 5, 7, 63, 64, 65, -1, -2, -64, 1023, 4097, 1048577, POSENC_MAX_POSITION, -POSENC_MAX_POSITION};
  double after_zero[64] = {-0.0}; /* -0.0, 1, 2, ...: no consecutive integers */
  for (int i = 1; i < 64; i++)
    after_zero[i] = i;
  for (int64_t repeat = 0; repeat < repeats; repeat++)
    for (int32_t dtype = 0; dtype < FORMATS; dtype++) {
      posenc_spec spec = frequency_spec(freqs, NULL, N, dtype);
      for (int k = 3; k < 5; k++)
        freqs[k] = ldexp(between(1, 2), (int)random_between(&seed, 0, 63));
      for (int bits = 0; bits <= 32; bits += 16) {
        spec.position_scale = ldexp(bits ? -1 : 1, -bits);
        judge_all(&spec, reals, sizeof reals / sizeof reals[0], EVERYONE);
        judge_all(&spec, integers, sizeof integers / sizeof integers[0], PROVED);
      }
      judge_all(&spec, after_zero, 64, PROVED);
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
    double freqs[N], low[N];
    posenc_spec spec = frequency_spec(freqs, low, N, (int32_t)(i % FORMATS));
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

/* ---- ladders ---- */

/* Fractional, huge and tiny denominators, bases at the ends of float64 and next to 1, a single frequency. */
static const double bases[] = {1, 1 + DBL_EPSILON, 1 - DBL_EPSILON / 2, 0x1p-1074, DBL_MAX, 0.7, 10000};
static const double denominators[] = {100.3, 255.7, 0x1.0c152382d7365p+0 /* pi/3 */, 1e300, 0x1p-40, 0x1p21 + 0.5, 537,
    0 /* replaced by least_denominator() */};
static const int64_t ladder_widths[] = {1, 2, 9, 130};
static const double scales[] = {1, 0x1p32, -0x1p32, -0x1p-32, 1.0 / 3};

enum {
  BASES = sizeof bases / sizeof bases[0],
  DENOMINATORS = sizeof denominators / sizeof denominators[0],
  WIDTHS = sizeof ladder_widths / sizeof ladder_widths[0],
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
  posenc_spec spec = paper_spec(ladder_widths[i % WIDTHS]);
  spec.base = bases[i / WIDTHS % BASES];
  spec.denominator = denominators[i / WIDTHS / BASES];
  if (spec.denominator == 0)
    spec.denominator = least_denominator(spec.base, spec_count(&spec));
  return spec;
}

/* For every ladder all values are correctly rounded, or the spec is refused. */
static void ladders_right_or_refused(void **state) {
  (void)state;
  const double integers[] = {1, -1, 0, 3, 64, 131071, -4097, 0x1p32, -0x1p32, 3000000019};
  const double reals[] = {0.5, 1e-300, -0.75, -0.0, 12345.6789, 4294967295.5};
  int64_t accepted = 0;
  for (int64_t i = 0; i < LADDERS; i++) {
    posenc_spec spec = ladder(i);
    if (spec_status(&spec) != POSENC_OK) {
      assert_int_equal(spec_status(&spec), POSENC_ERROR_SPEC);
      continue;
    }
    accepted++;
    posenc_plan *const plan = plan_of(&spec, NULL);
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
static void ladders_next_to_boundaries(void **state) {
  (void)state;
  const double positions[] = {0x1.8p-1042, -0x1.8p-1042, 0x1.8p-117, -0x1.8p-101, 0x1.8p8};
  for (int64_t i = 2; i < LADDERS; i += WIDTHS) {
    posenc_spec spec = ladder(i);
    spec.position_scale = 0x1p-32;
    for (spec.dtype = 0; spec_status(&spec) == POSENC_OK && spec.dtype < FORMATS; spec.dtype++)
      if (!skipped(&seed))
        judge_all(&spec, positions, 5, PROVED);
  }
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
    posenc_spec spec = frequency_spec(freqs, NULL, (d + 1) / 2, POSENC_DTYPE_F32);
    spec.d_model = d;
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
  static double values[ROWS][WIDEST]; /* large enough for any dtype */
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
      for (int64_t c = random_between(&seed, 0, EVERY); c < spec.d_model; c += EVERY) {
        const component p = component_of(&spec, c);
        reference_value pair[2];
        if (p.k < 0) /* a column of zeros */
          continue;
        reference_pair(t, (double)position, p.k, pair);
        judge_one(plan, (double)position, c, row + (size_t)c * size, &pair[p.cosine], ROWS);
      }
      posenc_plan_destroy(plan);
    }
    reference_destroy(t);
  }
}

/* ---- fallbacks ---- */

/* The linker's --wrap redirects the library's calls of posenc_fallback() to this file. */
static atomic_llong fallbacks;
double __real_posenc_fallback(const posenc_problem *problem, posenc_ratio *kept, double position, int64_t column);
double __wrap_posenc_fallback(const posenc_problem *problem, posenc_ratio *kept, double position, int64_t column);

double __wrap_posenc_fallback(const posenc_problem *problem, posenc_ratio *kept, double position, int64_t column) {
  fallbacks++;
  return __real_posenc_fallback(problem, kept, position, column);
}

/* The fallbacks of `rows` rows from position 0 with 512 columns, filled block by block. */
static long long fallbacks_of(const posenc_impl *impl, int32_t dtype, int64_t rows) {
  enum { D = 512, BLOCK = 4096 };
  static double out[D * BLOCK]; /* large enough for any dtype */
  posenc_spec spec = paper_spec(D);
  spec.dtype = dtype;
  posenc_plan *plan = plan_of(&spec, impl->name);
  fallbacks = 0;
  for (int64_t i = 0; i < rows; i += BLOCK)
    assert_int_equal(posenc_fill(plan, i, BLOCK, out, D), POSENC_OK);
  posenc_plan_destroy(plan);
  return fallbacks;
}

static void fallback_counts(void **state) {
  (void)state;
  const posenc_impl *impl;
  for (size_t i = 0; (impl = family_member("exact", i)); i++) {
    const long long floats = fallbacks_of(impl, POSENC_DTYPE_F32, INT64_C(1) << 20);
    const long long doubles = fallbacks_of(impl, POSENC_DTYPE_F64, 4096),
                    halves = fallbacks_of(impl, POSENC_DTYPE_F16, 1 << 16);
    printf("%s: %lld of 536870912 float32, %lld of 2097152 float64, %lld of 33554432 float16\n", impl->name, floats,
        doubles, halves);
    assert_int_equal(floats, 0);       /* verify/proof/README.md, section 6 */
    assert_in_range(doubles, 1, 2000); /* about one output in 3000 */
    assert_in_range(halves, 0, 1000);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest counts[] = {cmocka_unit_test(fallback_counts)};
  if (argc > 2 && strcmp(argv[2], "fallbacks") == 0)
    return cmocka_run_group_tests_name("fallbacks", counts, NULL, NULL);
  if (!take_arguments(argc, argv))
    return 2;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(extreme_frequencies),
      cmocka_unit_test(sums_of_doubles),
      cmocka_unit_test(ladders_right_or_refused),
      cmocka_unit_test(ladders_next_to_boundaries),
      cmocka_unit_test(single_rows),
      cmocka_unit_test(widest),
  };
  return cmocka_run_group_tests_name("exact", tests, NULL, NULL);
}
