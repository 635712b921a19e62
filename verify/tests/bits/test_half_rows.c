/* bfloat16 and float16, exact_* and anchored_*: tables of consecutive rows have the bits of rows asked for one by one, whatever
 * their width, place and number; also where only the last look decides a rounding, which MPFR then confirms.
 */
#include "testing.h"
#include "truth.h"

#include <math.h>
#include <stdio.h>

#include "guarded.h"
#include "thinned.h"

static uint64_t seed = 20170612;

static int family(const posenc_impl *impl)
{
  return strncmp(impl->name, "exact_", 6) == 0 ? 1 : strncmp(impl->name, "anchored_", 9) == 0 ? 2 : 0;
}

/* One table of each member; *last keeps that of the last exact one. */
static void check(const posenc_spec *spec, int64_t first, int64_t rows, int64_t gap, int64_t offset, array *last)
{
  const int64_t d = spec->d_model;
  array got = array_of(spec->dtype, rows, d, gap, offset), want = array_of(spec->dtype, rows, d, 0, 0);
  int64_t *positions = malloc((size_t)rows * sizeof *positions);
  for (int64_t i = 0; i < rows; i++)
    positions[i] = first + i;
  for (size_t m = 0; runnable(m); m++) {
    if (!family(runnable(m)))
      continue;
    posenc_plan *plan = plan_of(spec, runnable(m)->name);
    assert_int_equal(posenc_fill(plan, first, rows, got.start, got.stride), POSENC_OK);
    assert_int_equal(posenc_fill_at(plan, positions, rows, want.start, want.stride), POSENC_OK);
    for (int64_t i = 0; i < rows; i++)
      for (int64_t c = 0; c < d && memcmp(at(&got, i, 0), at(&want, i, 0), (size_t)d * got.size) != 0; c++)
        if (memcmp(at(&got, i, c), at(&want, i, c), got.size) != 0)
          fail_msg("%s, %s: d_model %lld, %lld rows from %lld, stride %lld, offset %lld: row %lld, column %lld: %a, alone %a",
                   runnable(m)->name, dtype_name(spec->dtype), (long long)d, (long long)rows, (long long)first,
                   (long long)got.stride, (long long)offset, (long long)i, (long long)c,
                   element_value(spec->dtype, at(&got, i, c)), element_value(spec->dtype, at(&want, i, c)));
    check_canaries(runnable(m)->name, &got);
    if (last && family(runnable(m)) == 1)
      memcpy(last->start, want.start, (size_t)(rows * d) * got.size);
    memset(got.memory, CANARY, got.bytes);
    posenc_plan_destroy(plan);
  }
  free(positions);
  free(got.memory);
  free(want.memory);
}

static const int32_t dtypes[] = {POSENC_BF16, POSENC_F16};

/* Widths that fill lines, strips and neither, from every place in a line, across the ends of runs. */
static void widths_and_places(void **state)
{
  (void)state;
  const int64_t widths[] = {1, 2, 31, 32, 33, 64, 128, 130, 192, 255, 256, 258, 1024, 1056};
  const int64_t starts[] = {0, -40, 4070, 131000, 1000003, -POSENC_MAX_POSITION, POSENC_MAX_POSITION - 99};
  for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
    for (int i = 0; i < 8; i++) {
      if (left_out(&seed))
        continue;
      posenc_spec spec = posenc_spec_default(widths[w]);
      spec.dtype = dtypes[i % 4 == 3];
      spec.base = i < 5 ? 10000 : i < 7 ? 1e30 : 1e300;
      const int64_t gap = i % 2 ? 0 : random_between(&seed, 0, 33), rows = random_between(&seed, 1, i % 3 ? 100 : 12);
      check(&spec, starts[random_between(&seed, 0, 6)], rows, gap, random_between(&seed, 0, 31), NULL);
    }
}

/* Frequencies of every size and sign, of whole turns, none at all. */
static void any_frequencies(void **state)
{
  (void)state;
  for (int i = 0; i < 12; i++) {
    if (left_out(&seed))
      continue;
    double freqs[150];
    for (int k = 0; k < 150; k++) {
      const double w = ldexp((double)(next_random(&seed) >> 11), -53 - (int)random_between(&seed, -3, k % 3 ? 40 : 160));
      freqs[k] = (k % 7 ? w : k % 2 ? 0 : 0x1.921fb54442d18p+2 / (k + 1)) * (k % 5 ? 1 : -1);
    }
    posenc_spec spec = posenc_spec_default(2 * random_between(&seed, 20, 150));
    spec.freqs = freqs;
    spec.n_freqs = spec.d_model / 2;
    spec.dtype = dtypes[i % 4 == 3];
    check(&spec, random_between(&seed, -5000, 5000), random_between(&seed, 20, 200), i % 3, random_between(&seed, 0, 31), NULL);
  }
}

/* Each frequency has an output, in a row of its own, beside the midpoint of two numbers: by 2^-20, of which float32 knows nothing, to
 * 2^-50, of which float64 hardly does; ordinary and small ones. */
static void midpoints_in_tables(void **state)
{
  (void)state;
  enum { PAIRS = 150, ROWS = 130 };
  for (int i = 0; i < 24; i++) {
    if (left_out(&seed))
      continue;
    posenc_spec spec = posenc_spec_default(2 * PAIRS);
    double freqs[PAIRS];
    int64_t rows[PAIRS];
    const int64_t first = i % 4 == 0 ? -60 : random_between(&seed, 1, INT64_C(1) << (i % 4 * 8));
    spec.freqs = freqs;
    spec.n_freqs = PAIRS;
    spec.dtype = dtypes[i % 3 == 2];
    const int digits = format_of(spec.dtype)->digits;
    for (int k = 0; k < PAIRS; k++) {
      rows[k] = random_between(&seed, 0, ROWS - 1);
      rows[k] += first + rows[k] == 0;
      const double size = (double)random_between(&seed, INT64_C(1) << (digits - 1), (INT64_C(1) << digits) - 1) + 0.5;
      const int exponent = -(int)random_between(&seed, 1, k % 3 ? 3 : spec.dtype == POSENC_F16 ? 14 : 90);
      const double beside = ldexp((double)random_between(&seed, -1, 1), -(int)random_between(&seed, 20, 50));
      const double y = ldexp(size, exponent - digits) * (1 + beside);
      const double angle = k % 2 ? acos(y) : asin(y);
      freqs[k] = (angle + (k % 5 == 1 ? 0x1.921fb54442d18p+2 : 0)) / (double)(first + rows[k]);
    }
    array got = array_of(spec.dtype, ROWS, spec.d_model, 0, 0);
    check(&spec, first, ROWS, i % 2 * 20, random_between(&seed, 0, 31), &got);
    posenc_spec one = spec;
    one.d_model = 2;
    one.n_freqs = 1;
    for (int k = 0; k < PAIRS; k++) {
      truth_value want[2];
      one.freqs = &freqs[k];
      truth *t = truth_create(&one);
      truth_row(t, first + rows[k], want);
      for (int c = 0; c < 2; c++) {
        const double value = element_value(spec.dtype, at(&got, rows[k], 2 * k + c));
        if (!same_number(value, (double)want[c].rounded))
          fail_msg("%s: frequency %a, position %lld, %s: got %a, nearest is %a", dtype_name(spec.dtype), freqs[k],
                   (long long)(first + rows[k]), c ? "cosine" : "sine", value, (double)want[c].rounded);
      }
      truth_destroy(t);
    }
    free(got.memory);
  }
}

/* Written around the caches, with rows at lines, rows that share lines, and rows that never meet one. */
static void large_ones(void **state)
{
  (void)state;
  const int64_t shapes[][4] = {{1024, 14000, 0, 0},  {1024, 14000, 0, 6},   {512, 27000, 0, 14}, {512, 27000, 0, 1},
                               {480, 27000, 32, 10}, {2048, 7000, 0, 30}, {130, 100000, 30, 2}, {96, 140000, 0, 4}};
  for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
    for (int i = 0; i < 1 + (s == 1); i++) {
      posenc_spec spec = posenc_spec_default(shapes[s][0]);
      spec.dtype = dtypes[i];
      check(&spec, -700, shapes[s][1], shapes[s][2], shapes[s][3], NULL);
    }
}

int main(int argc, char **argv)
{
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 0);
  printf("seed %llu (an argument sets it; with a second one: large tables)\n", (unsigned long long)seed);
  const struct CMUnitTest tests[] = {cmocka_unit_test(widths_and_places), cmocka_unit_test(any_frequencies),
                                     cmocka_unit_test(midpoints_in_tables)};
  const struct CMUnitTest large[] = {cmocka_unit_test(large_ones)};
  return argc > 2 ? cmocka_run_group_tests_name("half_rows, large", large, NULL, NULL)
                  : cmocka_run_group_tests_name("half_rows", tests, NULL, NULL);
}
