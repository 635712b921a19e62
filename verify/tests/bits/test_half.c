/* exact_* in bfloat16, float16 and float64: every output is the number nearest to the real value, rounded once; anchored_* are
 * within their bound; members of a family agree. The truth is MPFR's, decided rigorously.
 */
#include "testing.h"
#include "truth.h"

#include <math.h>
#include <stdio.h>

#include "formats.h"
#include "thinned.h"

static uint64_t seed = 20170612;
static int64_t rows_per_ladder = 4, judged[FORMATS], subnormal[FORMATS];

enum { MOST_ROWS = 1000, MOST_COLUMNS = 512, MOST_BYTES = 8 };

static int is_member(const posenc_impl *impl, const char *family)
{
  const size_t length = strlen(family);
  return strncmp(impl->name, family, length) == 0 && impl->name[length] == '_';
}

/* Amid the rows of a table, at the ends of one and in its middle, the row at a position has the same bits. */
static void check_table(const posenc_plan *plan, int64_t position, const unsigned char *row)
{
  enum { ROWS = 41 };
  static unsigned char table[ROWS * MOST_COLUMNS * MOST_BYTES];
  const posenc_spec *spec = posenc_plan_spec(plan);
  const size_t bytes = (size_t)spec->d_model * format_of(spec->dtype)->size;
  const int64_t least = position - POSENC_MAX_POSITION + ROWS - 1, most = position + POSENC_MAX_POSITION;
  int64_t before = random_between(&seed, 0, ROWS - 1); /* rows of it */
  before = before < least ? least : before > most ? most : before;
  assert_int_equal(posenc_fill(plan, position - before, ROWS, table, spec->d_model), POSENC_OK);
  for (int64_t c = 0; c < spec->d_model; c++) {
    const size_t size = format_of(spec->dtype)->size, at = (size_t)before * bytes + (size_t)c * size;
    if (memcmp(table + at, row + (size_t)c * size, size) != 0)
      fail_msg("%s, %s: d_model %lld, base %g, position %lld, column %lld: %a in a table, %a alone", posenc_plan_impl(plan),
               dtype_name(spec->dtype), (long long)spec->d_model, spec->base, (long long)position, (long long)c,
               element_value(spec->dtype, table + at), element_value(spec->dtype, row + (size_t)c * size));
  }
}

/* Every member of `exact` against the truth, and every one of `anchored` against its bound. */
static void check(const posenc_spec *spec, const int64_t *positions, int64_t count)
{
  enum { TABLES = 4 };
  const int64_t d = spec->d_model;
  const format *f = format_of(spec->dtype);
  truth *t = truth_create(spec);
  truth_value *want = malloc((size_t)(count * d) * sizeof *want);
  unsigned char *got = malloc((size_t)(count * d) * MOST_BYTES);
  for (int64_t i = 0; i < count; i++)
    truth_row(t, positions[i], want + i * d);
  for (size_t m = 0; runnable(m); m++) {
    const posenc_impl *impl = runnable(m);
    const int exact = is_member(impl, "exact");
    if (!exact && !is_member(impl, "anchored"))
      continue;
    posenc_plan *plan = plan_of(spec, impl->name);
    assert_int_equal(posenc_fill_at(plan, positions, count, got, d), POSENC_OK);
    for (int64_t i = 0; i < count * d; i++) {
      const int64_t position = positions[i / d], c = i % d;
      const double value = element_value(spec->dtype, got + (size_t)i * f->size), nearest = truth_rounded(&want[i], spec->dtype);
      if (exact && !same_number(value, nearest))
        fail_msg("%s, %s: d_model %lld, base %g, position %lld, column %lld: got %a, nearest is %a", impl->name, f->name,
                 (long long)d, spec->base, (long long)position, (long long)c, value, nearest);
      const double error = fabs((value - want[i].y) - want[i].low), bound = posenc_impl_error_bound(impl, spec, (double)position, c);
      if (!(error <= bound && bound <= ldexp(1.001, -f->digits - 1) + 0x1p-48))
        fail_msg("%s, %s: d_model %lld, base %g, position %lld, column %lld: got %a, error %g, bound %g", impl->name, f->name,
                 (long long)d, spec->base, (long long)position, (long long)c, value, error, bound);
    }
    for (int64_t i = 0; i < count && i < TABLES && (spec->dtype != POSENC_F64 || d < 10); i++)
      check_table(plan, positions[i], got + (size_t)(i * d) * f->size);
    posenc_plan_destroy(plan);
  }
  for (int64_t i = 0; i < count * d; i++)
    subnormal[spec->dtype] += want[i].y != 0 && ilogb(want[i].y) < f->digits - 1 - f->lowest;
  judged[spec->dtype] += count * d;
  free(got);
  free(want);
  truth_destroy(t);
}

static void check_ladders(int32_t dtype, int64_t rows)
{
  const double bases[] = {2, 10000, 500000, 1e6, 1e12, 1.0000001, 1e30, 1e80, 1e300};
  const int64_t widths[] = {1, 2, 7, 64, 101, 512};
  for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++)
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
      if (left_out(&seed))
        continue;
      posenc_spec spec = posenc_spec_default(widths[w]);
      spec.base = bases[b];
      spec.dtype = dtype;
      spec.layout = (int32_t)(b % 2);
      int64_t positions[MOST_ROWS] = {0, POSENC_MAX_POSITION, -1, -POSENC_MAX_POSITION, 1, 64};
      for (int64_t i = rows < 6 ? rows - 1 : 6; i < rows; i++) /* of every magnitude, on both sides */
        positions[i] = random_between(&seed, 0, INT64_C(1) << random_between(&seed, 0, 32)) * (i % 2 ? -1 : 1);
      check(&spec, positions, rows);
    }
}

static void bfloat16_ladders(void **state)
{
  (void)state;
  check_ladders(POSENC_BF16, rows_per_ladder);
}

static void float16_ladders(void **state)
{
  (void)state;
  check_ladders(POSENC_F16, rows_per_ladder);
}

/* Without a speed to speak of: some thousand outputs. */
static void float64_ladders(void **state)
{
  (void)state;
  check_ladders(POSENC_F64, rows_per_ladder < 10 ? 1 : 10);
}

/* One frequency at a time, so that none is looked at again for another's sake. */
static void check_alone(int32_t dtype, const double *freqs, int64_t n, const int64_t *positions, int64_t count)
{
  posenc_spec spec = posenc_spec_default(2);
  spec.n_freqs = 1;
  spec.dtype = dtype;
  for (int64_t k = 0; k < n; k++) {
    spec.freqs = &freqs[k];
    check(&spec, positions, count);
  }
}

/* Angles that are numbers of a dtype, or halfway between two: the sine is a little less, seen in float64 or not at all. Normal,
 * subnormal, and too small for anything but 0. */
static void exact_midpoints(void **state)
{
  (void)state;
  const int64_t positions[] = {1, -1, 2, 3, -5, 64, 4097};
  for (int32_t dtype = 0; dtype < FORMATS; dtype++) {
    const format *f = format_of(dtype);
    const int least = f->digits - 1 - f->lowest, top = dtype == POSENC_F16 ? -10 : dtype == POSENC_F64 ? least + 60 : -20;
    double freqs[40];
    int n = 0;
    for (int i = 0; i < 40; i++) { /* numbers, midpoints, and what is next to them, by exponents from the least up */
      const int exponent = i < 28 && dtype != POSENC_F64 ? -f->lowest - 2 + i : (int)random_between(&seed, least, top);
      const int unit = format_unit(f, exponent) - 1; /* half a unit */
      const double significand = ldexp((double)random_between(&seed, INT64_C(1) << 9, (INT64_C(1) << 10) - 1), exponent - 9 - unit);
      const double halves = fmax(1, floor(significand)) + (double)(i % 4 == 3) * 0x1p-20;
      const double wide = (double)(random_between(&seed, INT64_C(1) << 52, (INT64_C(1) << 53) - 1) | 1); /* 3 of it: 54 bits */
      const double w = dtype == POSENC_F64 ? ldexp(wide, exponent - 52) : ldexp(halves, unit);
      if (w >= 0x1p-1022)
        freqs[n++] = i % 3 ? w : -w;
    }
    assert_true(n > 20);
    check_alone(dtype, freqs, n, positions, sizeof positions / sizeof positions[0]);
  }
}

/* Outputs beside a midpoint by what float64 just tells or does not, or by so little that a rounding to float32 would lead onto it. */
static void near_midpoints(void **state)
{
  (void)state;
  const int64_t places[] = {1, 63, 100, 4000, -4000, 131071};
  for (int32_t dtype = POSENC_BF16; dtype <= POSENC_F16; dtype++) {
    const format *f = format_of(dtype);
    for (int64_t i = 0; i < 60 * rows_per_ladder; i++) {
      if (left_out(&seed))
        continue;
      const int exponent = -(int)random_between(&seed, 1, i % 4 ? 6 : 14);
      const double size = (double)random_between(&seed, INT64_C(1) << (f->digits - 1), (INT64_C(1) << f->digits) - 1) + 0.5;
      const double middle = ldexp(size, exponent - f->digits);
      const double beside = ldexp((double)random_between(&seed, -1, 1), -(int)random_between(&seed, 26, 44));
      const double y = middle * (1 + beside), turn = 0x1.921fb54442d18p+2;
      const double angle = (i % 2 ? asin(y) : acos(y)) + turn * (double)random_between(&seed, 0, i % 3);
      const int64_t p = places[i % 6];
      const double w = angle / (double)p;
      check_alone(dtype, &w, 1, &p, 1);
    }
  }
}

/* Whole tables, of rows at lines and not, at widths that fill vectors and do not. */
static void families_agree(void **state)
{
  (void)state;
  const char *families[] = {"anchored", "exact"};
  const int64_t tables[][3] = {{-70, 150, 205}, {1000003, 150, 64}, {POSENC_MAX_POSITION - 20, 20, 205}, {62, 3, 16390}};
  static unsigned char want[150 * 205 * 2 * MOST_BYTES], got[sizeof want];
  for (int32_t dtype = POSENC_F64; dtype < FORMATS; dtype++)
    for (size_t f = 0; f < 2; f++)
      for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (left_out(&seed))
          continue;
        posenc_spec spec = posenc_spec_default(tables[i][2]);
        spec.dtype = dtype;
        const int64_t rows = dtype == POSENC_F64 && f == 1 ? 2 : tables[i][1]; /* exact float64 takes long */
        const size_t bytes = (size_t)(rows * spec.d_model) * format_of(dtype)->size;
        assert_true(bytes <= sizeof want);
        const posenc_impl *first = NULL;
        for (size_t m = 0; runnable(m); m++) {
          if (!is_member(runnable(m), families[f]))
            continue;
          posenc_plan *plan = plan_of(&spec, runnable(m)->name);
          assert_int_equal(posenc_fill(plan, tables[i][0], rows, first ? got : want, spec.d_model), POSENC_OK);
          if (first && memcmp(got, want, bytes) != 0)
            fail_msg("%s and %s differ in %s, d_model %lld, from position %lld on", first->name, runnable(m)->name,
                     dtype_name(dtype), (long long)spec.d_model, (long long)tables[i][0]);
          first = first ? first : runnable(m);
          posenc_plan_destroy(plan);
        }
      }
}

static void enough_of_each(void **state)
{
  (void)state;
  for (int32_t dtype = 0; dtype < FORMATS; dtype++)
    printf("%s: %lld outputs judged against MPFR, %lld of them below the normal range\n", dtype_name(dtype),
           (long long)judged[dtype], (long long)subnormal[dtype]);
  assert_true(THINNED || (subnormal[POSENC_BF16] > 100 && subnormal[POSENC_F16] > 100));
}

int main(int argc, char **argv)
{
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 0);
  if (argc > 2)
    rows_per_ladder = strtoll(argv[2], NULL, 0);
  if (rows_per_ladder < 2 || rows_per_ladder > MOST_ROWS) {
    fprintf(stderr, "rows per ladder: %s; allowed: 2 to %d\n", argv[2], MOST_ROWS);
    return 2;
  }
  printf("seed %llu, %lld rows per ladder (arguments set them)\n", (unsigned long long)seed, (long long)rows_per_ladder);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bfloat16_ladders), cmocka_unit_test(float16_ladders), cmocka_unit_test(float64_ladders),
      cmocka_unit_test(exact_midpoints),  cmocka_unit_test(near_midpoints),  cmocka_unit_test(families_agree),
      cmocka_unit_test(enough_of_each),
  };
  return cmocka_run_group_tests_name("half", tests, NULL, NULL);
}
