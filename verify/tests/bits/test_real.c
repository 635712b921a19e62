/* posenc_fill_at_real, and scaled positions: exact_* are right for the very double that is given, in every dtype; all others are
 * within their bound. The truth is MPFR's. What is no number, or beyond the domain, is refused.
 */
#include "testing.h"
#include "truth.h"

#include <math.h>
#include <stdio.h>

#include "formats.h"
#include "thinned.h"

static uint64_t seed = 20170612;
static int64_t repeats = 1, judged;

enum { MOST = 64, MOST_D = 512 };

static int is_exact(const posenc_impl *impl)
{
  return strncmp(impl->name, "exact_", 6) == 0;
}

/* Everybody who offers the spec. integers: the same positions are asked for by posenc_fill_at too, and give the same bits. */
static void check(const posenc_spec *spec, const double *positions, int64_t count)
{
  static truth_value want[MOST * MOST_D];
  static unsigned char got[MOST * MOST_D * 8], again[MOST * MOST_D * 8];
  const int64_t d = spec->d_model;
  const size_t size = format_of(spec->dtype)->size, bytes = (size_t)(count * d) * size;
  assert_true(count <= MOST && d <= MOST_D);
  truth *t = truth_create(spec);
  int64_t integers[MOST];
  int all_integers = 1;
  for (int64_t i = 0; i < count; i++) {
    truth_row_real(t, positions[i], want + i * d);
    integers[i] = (int64_t)positions[i];
    all_integers = all_integers && (double)integers[i] == positions[i] && !(positions[i] == 0 && signbit(positions[i]));
  }
  for (size_t m = 0; runnable(m); m++) {
    const posenc_impl *impl = runnable(m);
    posenc_plan *plan;
    if (posenc_plan_create(&plan, spec, impl->name) != POSENC_OK) {
      assert_true(!is_exact(impl)); /* it offers all that is asked for here */
      continue;
    }
    memset(got, 0xff, bytes);
    assert_int_equal(posenc_fill_at_real(plan, positions, count, got, d), POSENC_OK);
    for (int64_t i = 0; i < count * d; i++) {
      const double value = element_value(spec->dtype, got + (size_t)i * size), nearest = truth_rounded(&want[i], spec->dtype);
      const double error = fabs((value - want[i].y) - want[i].low);
      const double bound = posenc_impl_error_bound(impl, spec, positions[i / d], i % d);
      if ((is_exact(impl) && !same_number(value, nearest)) || !(error <= bound))
        fail_msg("%s, %s, scale %g, d_model %lld, position %a, column %lld: got %a, nearest is %a, error %g, bound %g", impl->name,
                 dtype_name(spec->dtype), spec->position_scale, (long long)d, positions[i / d], (long long)(i % d), value, nearest,
                 error, bound);
    }
    if (all_integers && is_exact(impl)) {
      assert_int_equal(posenc_fill_at(plan, integers, count, again, d), POSENC_OK);
      assert_memory_equal(again, got, bytes);
    }
    posenc_plan_destroy(plan);
  }
  judged += count * d;
  truth_destroy(t);
}

static double between(double low, double high)
{
  return low + (high - low) * ldexp((double)(next_random(&seed) >> 11), -53);
}

/* Positions of diffusion models and of time stamps: halves, tenths, between 0 and 1, of all sizes to 2^32. */
static void ladders(void **state)
{
  (void)state;
  const double given[] = {0.5, -0.5, 2.5, 0.1, 999.9, 1e-3, 1e-300, 0x1p-1074, -0x1.8p-1060, 4294967295.5, -4294967295.75,
                          4294967296.0, 0x1.fffffffffffffp31, 1.0, 7.0, -64.0, 1e9 + 0.125, 0.0, -0.0, 0x1.921fb54442d18p+0};
  enum { GIVEN = sizeof given / sizeof given[0], COUNT = GIVEN + 12 };
  const int64_t widths[] = {1, 7, 64};
  const double bases[] = {10000, 1e6, 1e30, 1e300};
  for (int64_t repeat = 0; repeat < repeats; repeat++)
    for (int32_t dtype = 0; dtype < FORMATS; dtype++)
      for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++)
        for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
          if (left_out(&seed))
            continue;
          posenc_spec spec = posenc_spec_default(widths[w]);
          spec.base = bases[b];
          spec.dtype = dtype;
          spec.layout = (int32_t)(w % 2);
          double positions[COUNT];
          memcpy(positions, given, sizeof given);
          for (int i = GIVEN; i < COUNT; i++)
            positions[i] = ldexp(between(-1, 1), (int)random_between(&seed, -20, 32));
          check(&spec, positions, COUNT);
        }
}

static void integers(void **state)
{
  (void)state;
  double positions[MOST] = {0, 1, -1, 31, 32, 33, 63, 64, 65, (double)POSENC_MAX_POSITION, -(double)POSENC_MAX_POSITION};
  for (int i = 11; i < MOST; i++)
    positions[i] = (double)(random_between(&seed, -1, 1) * random_between(&seed, 0, INT64_C(1) << random_between(&seed, 0, 32)));
  for (int32_t dtype = 0; dtype < FORMATS; dtype++) {
    posenc_spec spec = posenc_spec_default(dtype == POSENC_F64 ? 16 : 101);
    spec.dtype = dtype;
    check(&spec, positions, MOST);
  }
}

/* Between integers, whole turns of a frequency count too: up to 2^64 of them. And the smallest of both. */
/* Whoever asks, a row depends on its position alone: of every row and dtype, though one sequence of roundings is as good as another. */
static void integers_of_every_row(void **state)
{
  (void)state;
  enum { COLUMNS = 96, COUNT = 40 };
  static double ints[COUNT * COLUMNS], reals[COUNT * COLUMNS];
  int64_t at[COUNT];
  double as_real[COUNT];
  for (int i = 0; i < COUNT; i++)
    as_real[i] = (double)(at[i] = i < 20 ? 5000 + i : INT64_C(4294967000) - 97 * i);
  for (size_t m = 0; runnable(m); m++)
    for (int32_t dtype = POSENC_F32; dtype <= POSENC_F16; dtype++) {
      posenc_spec spec = posenc_spec_default(COLUMNS);
      spec.dtype = dtype;
      if (posenc_plan_check(&spec, runnable(m)->name, NULL, 0) != POSENC_OK)
        continue;
      posenc_plan *plan = plan_of(&spec, runnable(m)->name);
      assert_int_equal(posenc_fill_at(plan, at, COUNT, ints, COLUMNS), POSENC_OK);
      assert_int_equal(posenc_fill_at_real(plan, as_real, COUNT, reals, COLUMNS), POSENC_OK);
      if (memcmp(ints, reals, COUNT * COLUMNS * posenc_dtype_size((posenc_dtype)dtype)) != 0)
        fail_msg("%s, dtype %d: integers are not the same as reals", runnable(m)->name, (int)dtype);
      posenc_plan_destroy(plan);
    }
}

/* The sign of a sine at -0.0 is that of -0.0 * w: for all that promise it, in every dtype, whole turns or not. */
static void negative_zero(void **state)
{
  (void)state;
  static const double freqs[] = {1.0, -1.0, 3.5, -3.5, 1e15, -1e15, 0x1p64, -0x1p64, 1e-300, -1e-300, 5.0, 12.0, 0x1p-1022};
  enum { N = sizeof freqs / sizeof freqs[0] };
  const double positions[] = {-0.0, 0.0};
  posenc_spec spec = posenc_spec_default(2 * N);
  spec.freqs = freqs;
  spec.n_freqs = N;
  for (size_t m = 0; runnable(m); m++)
    for (int32_t i = 0; i < 8 && strstr(runnable(m)->dtypes, "float64"); i++) {
      double rows[2 * 2 * N]; /* of any dtype */
      spec.dtype = i / 2;
      spec.position_scale = i % 2 ? -2.0 : 1.0;
      posenc_plan *plan = plan_of(&spec, runnable(m)->name);
      assert_int_equal(posenc_fill_at_real(plan, positions, 2, rows, 2 * N), POSENC_OK);
      for (int64_t k = 0; k < 2 * N; k++) {
        const unsigned char *const sine = (unsigned char *)rows + (size_t)(2 * k) * format_of(spec.dtype)->size;
        const double want = k < N ? -0.0 * freqs[k] * spec.position_scale : 0.0;
        if (!same_number(element_value(spec.dtype, sine), want) ||
            element_value(spec.dtype, sine + format_of(spec.dtype)->size) != 1.0)
          fail_msg("%s, %s, scale %g, position %g, frequency %a: the sine is no %g", runnable(m)->name, dtype_name(spec.dtype),
                   spec.position_scale, positions[k / N], freqs[k % N], want);
      }
      posenc_plan_destroy(plan);
    }
}

/* A frequency of -0.0 turns -0.0 into 0. */
static void zeros_of_either_sign(void **state)
{
  (void)state;
  const double freqs[] = {-0.0, 0.0, -1.0, 1.0}, position = -0.0;
  for (size_t m = 0; runnable(m); m++) {
    posenc_spec spec = posenc_spec_default(8);
    float row[8];
    spec.freqs = freqs;
    spec.n_freqs = 4;
    posenc_plan *plan = plan_of(&spec, runnable(m)->name);
    assert_int_equal(posenc_fill_at_real(plan, &position, 1, row, 8), POSENC_OK);
    for (int k = 0; k < 4; k++)
      if (row[2 * k] != 0.0f || !signbit(row[2 * k]) != (k % 2 == 0))
        fail_msg("%s: sine of -0.0 * %g is %g", runnable(m)->name, freqs[k], (double)row[2 * k]);
    posenc_plan_destroy(plan);
  }
}

static void frequencies(void **state)
{
  (void)state;
  double freqs[] = {0x1p64, -0x1p64, 0x1.fffffffffffffp63, 1e18, -3.3e9, 6.283185307179586, 0x1.921fb54442d18p+1, 1.0, -0.25,
                    0.0, -0.0, 0x1.000003p-70, 0x1.01p-70, 0x1.8p-133, 0x1p-149, 0x1p-1022, -0x1p-1022, 0x1.8p-24, 1e-8,
                    0x1.0000000000001p-1022};
  enum { N = sizeof freqs / sizeof freqs[0] };
  const double positions[] = {0.5, 0.25, -0.75, 1.0 / 3, 3.0, -5.0, 0x1p-30, 0x1p-64, -0x1.8p-64, 0x1p-1022, 0x1p-1074, 1e-200,
                              4294967295.5, -12345.6789, 0.0, -0.0, 0x1p32, 0.1, 0x1.8p-52, 1024.0009765625};
  for (int64_t repeat = 0; repeat < repeats; repeat++)
    for (int32_t dtype = 0; dtype < FORMATS; dtype++) {
      posenc_spec spec = posenc_spec_default(2 * N);
      spec.freqs = freqs;
      spec.n_freqs = N;
      spec.dtype = dtype;
      for (int k = 3; k < 5; k++)
        freqs[k] = ldexp(between(1, 2), (int)random_between(&seed, 0, 63));
      check(&spec, positions, sizeof positions / sizeof positions[0]);
      spec.d_model = 2; /* one alone: beside others it might be looked at again for their sake */
      spec.n_freqs = 1;
      for (int k = 0; k < N; k++) {
        spec.freqs = &freqs[k];
        check(&spec, positions, sizeof positions / sizeof positions[0]);
      }
    }
}

/* A scale is multiplied exactly: 0.1 times 1000 is not 100. Integers are scaled too, in each of the ways to ask for them. */
static void scales(void **state)
{
  (void)state;
  const double all[] = {1000, 0.001, -1, -1000, 0x1p-32, 0x1p32, 0.1, 1.0 / 3, 0x1.fffffffffffffp0};
  for (int64_t repeat = 0; repeat < repeats; repeat++)
    for (int32_t dtype = 0; dtype < FORMATS; dtype++)
      for (size_t s = 0; s < sizeof all / sizeof all[0]; s++) {
        if (left_out(&seed))
          continue;
        posenc_spec spec = posenc_spec_default(s % 2 ? 33 : 12);
        spec.base = s % 4 == 3 ? 1e300 : 10000;
        spec.position_scale = all[s];
        spec.dtype = dtype;
        const double most = fmin(0x1p32, 0x1p32 / fabs(all[s]));
        double positions[24] = {0, 0.1, -0.1, 0.5, 1.0, -1.0, most, -most, -0.0};
        for (int i = 9; i < 24; i++)
          positions[i] = between(-most, most) * ldexp(1, -(int)random_between(&seed, 0, 40));
        check(&spec, positions, 24);
        for (int i = 0; i < 24; i++)
          positions[i] = trunc(positions[i]) + 0.0;
        check(&spec, positions, 24);
      }
}

/* A scale that brings float64 below its normal range. */
static void subnormal_doubles(void **state)
{
  (void)state;
  const double freqs[] = {0x1p-1022, 0x1.0000000000001p-1022, 0x1.8p-1010, -0x1.fffffffffffffp-1000, 0x1.8p-990};
  const double positions[] = {1, -1, 2, 3, 5, 7, 1023, -4097, 0.5, 0x1p-30, 0x1.8p-40, 0x1p-1074};
  posenc_spec spec = posenc_spec_default(10);
  spec.freqs = freqs;
  spec.n_freqs = 5;
  for (int32_t dtype = 0; dtype < FORMATS; dtype++)
    for (int bits = 0; bits <= 32; bits += 8) {
      spec.dtype = dtype;
      spec.position_scale = ldexp(1, -bits);
      check(&spec, positions, sizeof positions / sizeof positions[0]);
    }
}

int main(int argc, char **argv)
{
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 0);
  if (argc > 2)
    repeats = strtoll(argv[2], NULL, 0);
  printf("seed %llu, %lld times (arguments set them)\n", (unsigned long long)seed, (long long)repeats);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ladders), cmocka_unit_test(integers),          cmocka_unit_test(frequencies),
      cmocka_unit_test(scales),  cmocka_unit_test(subnormal_doubles), cmocka_unit_test(integers_of_every_row),
      cmocka_unit_test(zeros_of_either_sign), cmocka_unit_test(negative_zero),
  };
  const int failed = cmocka_run_group_tests_name("real", tests, NULL, NULL);
  printf("%lld outputs judged against MPFR\n", (long long)judged);
  return failed;
}
