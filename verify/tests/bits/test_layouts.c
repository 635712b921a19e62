/* Layouts, orders and odd widths are rearrangements: every element has the bits that the paper's arrangement, as wide as all
 * frequencies need, has for its frequency and function; by posenc_fill, fill_at and fill_pair, wherever rows go and however they
 * are cut, and nothing else is written.
 */
#include "testing.h"

#include <stdio.h>

#include "columns.h"
#include "guarded.h"
#include "thinned.h"

static uint64_t seed = 20170612;

enum { MOST_ROWS = 70, FIRST = -3, MOST_GAP = 9 };
static int64_t rows = MOST_ROWS; /* of a table: across the end of those that share an anchor */

static const int64_t widths[] = {1, 2, 3, 7, 16, 33, 64, 130, 513};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

/* The same ladder, interleaved and sine first, with all of its pairs whole. */
static posenc_spec plain_spec(const posenc_spec *spec)
{
  posenc_spec plain = *spec;
  plain.d_model = 2 * spec_count(spec);
  plain.denominator = spec_denominator(spec);
  plain.layout = POSENC_INTERLEAVED;
  plain.order = POSENC_SIN_FIRST;
  plain.odd = POSENC_ODD_HALF_PAIR;
  return plain;
}

/* The plain table's elements where the spec wants them. */
static array arranged(const posenc_spec *spec, const array *plain)
{
  array want = array_of(spec->dtype, plain->count, spec->d_model, 0, 0);
  for (int64_t c = 0; c < spec->d_model; c++) {
    const place here = place_of(spec, c);
    for (int64_t i = 0; i < want.count; i++)
      if (here.k < 0)
        memset(at(&want, i, c), 0, want.size);
      else
        memcpy(at(&want, i, c), at(plain, i, 2 * here.k + here.cosine), want.size);
  }
  return want;
}

static void check_row(const char *what, const posenc_spec *spec, const array *got, int64_t row, const array *want, int64_t want_row)
{
  if (memcmp(at(got, row, 0), at(want, want_row, 0), (size_t)got->width * got->size) == 0)
    return;
  for (int64_t c = 0; c < spec->d_model; c++)
    if (memcmp(at(got, row, c), at(want, want_row, c), got->size) != 0)
      fail_msg("%s: d_model %lld, %s, %s, odd %s, %s: row %lld, column %lld is %a, not %a", what, (long long)spec->d_model,
               layout_name(spec->layout), order_name(spec->order), odd_name(spec->odd), dtype_name(spec->dtype), (long long)row,
               (long long)c, element_value(spec->dtype, at(got, row, c)), element_value(spec->dtype, at(want, want_row, c)));
}

static void check_rows(const char *what, const posenc_spec *spec, array *got, const array *want)
{
  for (int64_t i = 0; i < got->count; i++)
    check_row(what, spec, got, i, want, i);
  check_canaries(what, got);
  memset(got->memory, CANARY, got->bytes);
}

static void check_fills(const posenc_plan *plan, const array *want)
{
  const char *impl = posenc_plan_impl(plan);
  const posenc_spec *spec = posenc_plan_spec(plan);
  array a = array_of(spec->dtype, rows, spec->d_model, random_between(&seed, 0, 1) * random_between(&seed, 1, MOST_GAP),
                     random_between(&seed, 0, 31));
  assert_int_equal(posenc_fill(plan, FIRST, rows, a.start, a.stride), POSENC_OK);
  check_rows(impl, spec, &a, want);

  for (int64_t done = 0, n; done < rows; done += n) { /* in several calls */
    n = random_between(&seed, 1, rows - done);
    assert_int_equal(posenc_fill(plan, FIRST + done, n, at(&a, done, 0), a.stride), POSENC_OK);
  }
  check_rows(impl, spec, &a, want);

  int64_t positions[MOST_ROWS];
  double reals[MOST_ROWS];
  for (int64_t i = 0; i < rows; i++) /* any order, repeated */
    reals[i] = (double)(positions[i] = FIRST + random_between(&seed, 0, rows - 1));
  assert_int_equal(posenc_fill_at(plan, positions, rows, a.start, a.stride), POSENC_OK);
  for (int64_t i = 0; i < rows; i++)
    check_row(impl, spec, &a, i, want, positions[i] - FIRST);
  check_canaries(impl, &a);
  memset(a.memory, CANARY, a.bytes);
  if (strcmp(impl, "recurrence") != 0) { /* which gets at integers from their anchors */
    assert_int_equal(posenc_fill_at_real(plan, reals, rows, a.start, a.stride), POSENC_OK);
    const int exact = strncmp(impl, "exact", 5) == 0;
    for (int64_t i = 0; i < rows && (exact || strncmp(impl, "anchored", 8) != 0); i++)
      check_row(impl, spec, &a, i, want, positions[i] - FIRST);
    check_canaries(impl, &a);
  }
  free(a.memory);
}

/* Column c of a row against column p of the plain one. */
static void check_pair(const char *impl, const array *got, int64_t row, int64_t c, const array *plain, int64_t p)
{
  if (memcmp(at(got, row, c), at(plain, row, p), got->size) != 0)
    fail_msg("%s: posenc_fill_pair, %lld frequencies, row %lld: %s %lld", impl, (long long)(plain->width / 2), (long long)row,
             p % 2 ? "cosine" : "sine", (long long)(p / 2));
}

/* Two arrays of their own, and the halves of one. */
static void check_pairs(const posenc_plan *plan, const array *plain)
{
  const char *impl = posenc_plan_impl(plan);
  const int32_t dtype = posenc_plan_spec(plan)->dtype;
  const int64_t n = plain->width / 2, gap = random_between(&seed, 0, MOST_GAP);
  array sines = array_of(dtype, rows, n, gap, random_between(&seed, 0, 31)), cosines = array_of(dtype, rows, n, gap, 3);
  array halves = array_of(dtype, rows, 2 * n, gap, 1);
  assert_int_equal(posenc_fill_pair(plan, FIRST, rows, sines.start, cosines.start, sines.stride), POSENC_OK);
  assert_int_equal(posenc_fill_pair(plan, FIRST, rows, at(&halves, 0, n), halves.start, halves.stride), POSENC_OK);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < n; k++) {
      check_pair(impl, &sines, i, k, plain, 2 * k);
      check_pair(impl, &cosines, i, k, plain, 2 * k + 1);
      check_pair(impl, &halves, i, n + k, plain, 2 * k);
      check_pair(impl, &halves, i, k, plain, 2 * k + 1);
    }
  check_canaries(impl, &sines);
  check_canaries(impl, &cosines);
  check_canaries(impl, &halves);
  free(sines.memory);
  free(cosines.memory);
  free(halves.memory);
}

/* Every layout, order and rule for odd widths of this one. */
static void check_arrangements(const char *impl, int64_t d, int32_t dtype)
{
  for (int32_t i = 0; i < 8; i++) {
    if (left_out(&seed))
      continue;
    posenc_spec spec = posenc_spec_default(d);
    spec.layout = i & 1;
    spec.order = i >> 1 & 1;
    spec.odd = i >> 2;
    spec.dtype = dtype;
    array plain = array_of(dtype, rows, 2 * spec_count(&spec), 0, 0);
    if (plain.width > 0) {
      const posenc_spec its = plain_spec(&spec);
      posenc_plan *plan = plan_of(&its, impl);
      assert_int_equal(posenc_fill(plan, FIRST, rows, plain.start, plain.stride), POSENC_OK);
      posenc_plan_destroy(plan);
    }
    posenc_plan *plan = plan_of(&spec, impl);
    array want = arranged(&spec, &plain);
    check_fills(plan, &want);
    check_pairs(plan, &plain);
    free(want.memory);
    posenc_plan_destroy(plan);
    free(plain.memory);
  }
}

static void of_float32(void **state)
{
  (void)state;
  rows = MOST_ROWS;
  for (size_t m = 0; runnable(m); m++)
    for (size_t w = 0; w < WIDTHS; w++)
      check_arrangements(runnable(m)->name, widths[w], POSENC_F32);
}

/* Who says that it offers a dtype does, and nobody else. */
static void of_other_dtypes(void **state)
{
  (void)state;
  for (size_t m = 0; runnable(m); m++)
    for (int32_t dtype = 0; dtype < FORMATS; dtype++) {
      const posenc_impl *impl = runnable(m);
      const size_t few = 5; /* of float64, exact asks the integers for every element, which takes long */
      rows = dtype == POSENC_F64 ? 4 : MOST_ROWS;
      if (strstr(impl->dtypes, format_of(dtype)->long_name)) {
        for (size_t w = 0; w < (dtype == POSENC_F64 ? few : WIDTHS) && dtype != POSENC_F32; w++)
          check_arrangements(impl->name, widths[w], dtype);
        continue;
      }
      posenc_spec spec = posenc_spec_default(8);
      spec.dtype = dtype;
      posenc_plan *plan = NULL;
      char message[512] = "";
      assert_int_equal(posenc_plan_create(&plan, &spec, impl->name), POSENC_ERROR_UNSUPPORTED);
      assert_null(plan);
      assert_int_equal(posenc_plan_check(&spec, impl->name, message, sizeof message), POSENC_ERROR_UNSUPPORTED);
      assert_non_null(strstr(message, "dtype"));
      assert_true(strncmp(impl->name, "exact", 5) != 0 && strncmp(impl->name, "anchored", 8) != 0);
    }
}

/* Wide enough to be made in parts, and rows enough that they are written around the caches. */
static void large_ones(void **state)
{
  (void)state;
  const struct {
    int64_t d, rows, gap, offset;
  } shapes[] = {{2051, 20, 0, 0}, {1026, 20, 6, 5}, {512, 13000, 0, 0}};
  for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
    for (int32_t dtype = 0; dtype < FORMATS; dtype++) {
      if (dtype == POSENC_F64 && s == 2) /* no speed is promised, and seconds would go by */
        continue;
      posenc_spec spec = posenc_spec_default(shapes[s].d);
      spec.dtype = dtype;
      const posenc_spec its = plain_spec(&spec);
      array plain = array_of(dtype, shapes[s].rows, its.d_model, 0, 0);
      posenc_plan *plan = plan_of(&its, "exact");
      assert_int_equal(posenc_fill(plan, 1000, shapes[s].rows, plain.start, plain.stride), POSENC_OK);
      posenc_plan_destroy(plan);
      spec.layout = POSENC_SPLIT;
      spec.order = POSENC_COS_FIRST;
      array a = array_of(dtype, shapes[s].rows, spec.d_model, shapes[s].gap, shapes[s].offset);
      plan = plan_of(&spec, "exact");
      assert_int_equal(posenc_fill(plan, 1000, shapes[s].rows, a.start, a.stride), POSENC_OK);
      array want = arranged(&spec, &plain);
      check_rows("exact", &spec, &a, &want);
      free(want.memory);
      posenc_plan_destroy(plan);
      free(a.memory);
      free(plain.memory);
    }
}

int main(int argc, char **argv)
{
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 0);
  printf("seed %llu (an argument sets it; with a second one: large tables)\n", (unsigned long long)seed);
  const struct CMUnitTest tests[] = {cmocka_unit_test(of_float32), cmocka_unit_test(of_other_dtypes)};
  const struct CMUnitTest large[] = {cmocka_unit_test(large_ones)};
  return argc > 2 ? cmocka_run_group_tests_name("layouts, large", large, NULL, NULL)
                  : cmocka_run_group_tests_name("layouts", tests, NULL, NULL);
}
