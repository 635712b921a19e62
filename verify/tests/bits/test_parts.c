/* Rows so wide that they are made in parts, and rows on both sides of a position where kernels begin anew: every
 * element of every dtype, layout and order is the one that a call for one row of plain pairs writes; so are sums of it,
 * in every row of a batch.
 */
#include "testing.h"

#include "columns.h"
#include "formats.h"
#include "thinned.h"

enum { WIDEST = 1032, ROWS = 16, FIRST = 4064 - ROWS / 2, BATCH = 2 };

static uint64_t seed = 20170612;
static double plain[ROWS * WIDEST], table[ROWS * WIDEST], x[ROWS * WIDEST], sums[BATCH * ROWS * WIDEST]; /* any dtype */

static int is_member(const posenc_impl *impl)
{
  return strncmp(impl->name, "exact_", 6) == 0 || strncmp(impl->name, "anchored_", 9) == 0;
}

static const void *element(int32_t dtype, const void *array, int64_t i)
{
  return (const unsigned char *)array + (size_t)i * format_of(dtype)->size;
}

static void compare(const posenc_plan *plan, const char *what, int64_t row, int64_t column, const void *got, const void *want)
{
  const posenc_spec *spec = posenc_plan_spec(plan);
  if (memcmp(got, want, format_of(spec->dtype)->size) != 0)
    fail_msg("%s, %s, %s, %s, odd %s, d_model %lld, %s: row %lld, column %lld is %a, not %a", posenc_plan_impl(plan),
             dtype_name(spec->dtype), layout_name(spec->layout), order_name(spec->order), odd_name(spec->odd),
             (long long)spec->d_model, what, (long long)row, (long long)column, element_value(spec->dtype, got),
             element_value(spec->dtype, want));
}

/* Row by row, and so by no part of what is tested here. */
static void make_plain(const posenc_spec *spec, const char *impl)
{
  posenc_spec pairs = *spec;
  pairs.d_model = 2 * spec_count(spec);
  pairs.denominator = spec_denominator(spec);
  pairs.layout = pairs.order = pairs.odd = 0;
  posenc_plan *plan = plan_of(&pairs, impl);
  for (int64_t i = 0; i < ROWS; i++) {
    void *row = (unsigned char *)plain + (size_t)(i * pairs.d_model) * format_of(spec->dtype)->size;
    assert_int_equal(posenc_fill(plan, FIRST + i, 1, row, pairs.d_model), POSENC_OK);
  }
  posenc_plan_destroy(plan);
}

static void check_fill(const posenc_plan *plan)
{
  static const double zero = 0.0;
  const posenc_spec *spec = posenc_plan_spec(plan);
  const int64_t d = spec->d_model, n = spec_count(spec);
  assert_int_equal(posenc_fill(plan, FIRST, ROWS, table, d), POSENC_OK);
  for (int64_t c = 0; c < d; c++) {
    const place here = place_of(spec, c);
    for (int64_t i = 0; i < ROWS; i++)
      compare(plan, "posenc_fill", i, c, element(spec->dtype, table, i * d + c),
              here.k < 0 ? &zero : element(spec->dtype, plain, 2 * (i * n + here.k) + here.cosine));
  }
}

static void check_pair(const posenc_plan *plan)
{
  const int32_t dtype = posenc_plan_spec(plan)->dtype;
  const int64_t n = spec_count(posenc_plan_spec(plan));
  void *sines = sums, *cosines = sums + ROWS * WIDEST;
  assert_int_equal(posenc_fill_pair(plan, FIRST, ROWS, sines, cosines, n), POSENC_OK);
  for (int64_t i = 0; i < ROWS * n; i++) {
    compare(plan, "sines of posenc_fill_pair", i / n, i % n, element(dtype, sines, i), element(dtype, plain, 2 * i));
    compare(plan, "cosines of posenc_fill_pair", i / n, i % n, element(dtype, cosines, i), element(dtype, plain, 2 * i + 1));
  }
}

/* Sums are rounded twice; bfloat16 by way of doubles, which hold their numbers. */
static void check_sums(const posenc_plan *plan)
{
  const posenc_spec *spec = posenc_plan_spec(plan);
  const format *f = format_of(spec->dtype);
  const int64_t d = spec->d_model;
  const float scale = 22.7f;
  const posenc_strides shared = {d, d}, packed = {ROWS * d, d}; /* rows of x overlap: those of the second begin at row 1 */
  assert_int_equal(posenc_add_batch(plan, FIRST, ROWS, BATCH, x, shared, (double)scale, sums, packed), POSENC_OK);
  for (int64_t b = 0; b < BATCH; b++)
    for (int64_t i = 0; i < ROWS; i++)
      for (int64_t c = 0; c < d; c++) {
        const float pe = (float)element_value(spec->dtype, element(spec->dtype, table, i * d + c));
        const float product = scale * (float)element_value(spec->dtype, element(spec->dtype, x, (b + i) * d + c));
        const float sum = (float)format_nearest(f, (double)product) + pe;
        const double got = element_value(spec->dtype, element(spec->dtype, sums, (b * ROWS + i) * d + c));
        if (!same_number(got, (double)(float)format_nearest(f, (double)sum)))
          fail_msg("%s, %s, %s, %s, d_model %lld: batch %lld, row %lld, column %lld of a sum is %a", posenc_plan_impl(plan),
                   f->name, layout_name(spec->layout), order_name(spec->order), (long long)d, (long long)b, (long long)i,
                   (long long)c, got);
      }
}

static void in_parts(void **state)
{
  (void)state;
  for (int64_t i = 0; i < ROWS * WIDEST; i++) { /* numbers from 1/4 to 1/2 of both signs, as float32 and as bfloat16 */
    const uint64_t bits = UINT64_C(0x3e803e803e803e80) | (next_random(&seed) & UINT64_C(0x807f807f807f807f));
    memcpy(&x[i], &bits, sizeof bits);
  }
  for (size_t m = 0; runnable(m); m++)
    for (int32_t dtype = 0; dtype < FORMATS && is_member(runnable(m)); dtype++) {
      if (dtype == POSENC_F64 && runnable(m)->name[0] == 'e')
        continue; /* integers for every output take seconds */
      for (int32_t i = 0; i < 12; i++) {
        posenc_spec spec = posenc_spec_default(i < 8 ? WIDEST - 1 : WIDEST - 2);
        spec.layout = i & 1;
        spec.order = i >> 1 & 1;
        spec.odd = i >> 2 & 1;
        spec.dtype = dtype;
        if (i % 4 == 0)
          make_plain(&spec, runnable(m)->name);
        if (left_out(&seed))
          continue;
        posenc_plan *plan = plan_of(&spec, runnable(m)->name);
        check_fill(plan);
        check_pair(plan);
        if (dtype == POSENC_F32 || dtype == POSENC_BF16)
          check_sums(plan);
        posenc_plan_destroy(plan);
      }
    }
}

/* 400 rows on both sides of the position where the coarse part of an angle changes. */
static void coarse_parts(void **state)
{
  (void)state;
  enum { D = 64, COUNT = 400 };
  static double all[COUNT * D], one[D]; /* any dtype */
  for (size_t m = 0; runnable(m); m++)
    for (int32_t dtype = 0; dtype < FORMATS && is_member(runnable(m)); dtype++)
      for (int64_t first = 4064 - COUNT / 2; first > -8192; first -= 8192) {
        posenc_spec spec = posenc_spec_default(D);
        spec.dtype = dtype;
        if (left_out(&seed) || (dtype == POSENC_F64 && runnable(m)->name[0] == 'e'))
          continue;
        posenc_plan *plan = plan_of(&spec, runnable(m)->name);
        assert_int_equal(posenc_fill(plan, first, COUNT, all, D), POSENC_OK);
        for (int64_t i = 0; i < COUNT; i++) {
          assert_int_equal(posenc_fill(plan, first + i, 1, one, D), POSENC_OK);
          for (int64_t c = 0; c < D; c++)
            compare(plan, "400 rows", i, c, element(dtype, all, i * D + c), element(dtype, one, c));
        }
        posenc_plan_destroy(plan);
      }
}

/* Beyond what a plan keeps steps for. */
static void without_tables(void **state)
{
  (void)state;
  enum { D = 8200, COUNT = 9 };
  static uint16_t all[COUNT * D], one[D];
  for (size_t m = 0; runnable(m); m++)
    for (int32_t dtype = POSENC_BF16; dtype <= POSENC_F16 && is_member(runnable(m)); dtype++) {
      posenc_spec spec = posenc_spec_default(D);
      spec.dtype = dtype;
      posenc_plan *plan = plan_of(&spec, runnable(m)->name);
      assert_int_equal(posenc_fill(plan, FIRST, COUNT, all, D), POSENC_OK);
      for (int64_t i = 0; i < COUNT; i++) {
        assert_int_equal(posenc_fill(plan, FIRST + i, 1, one, D), POSENC_OK);
        for (int64_t c = 0; c < D; c++)
          compare(plan, "nine rows", i, c, &all[i * D + c], &one[c]);
      }
      posenc_plan_destroy(plan);
    }
}

int main(int argc, char **argv)
{
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(in_parts), cmocka_unit_test(coarse_parts),
                                     cmocka_unit_test(without_tables)};
  return cmocka_run_group_tests_name("parts", tests, NULL, NULL);
}
