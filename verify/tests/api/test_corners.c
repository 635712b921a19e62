/* What is left of the newer calls and fields: the caller's floating-point state, scales of 0 and below 1, tables and
 * bounds of every dtype, and fields that are reserved.
 */
#include "testing.h"

#include <fenv.h>
#include <math.h>

#include "formats.h"

enum { D = 38, ROWS = 70 };

/* All they write. */
typedef struct answers {
  float rows[ROWS * D], reals[3 * D], sines[ROWS * D / 2], cosines[ROWS * D / 2], sums[2 * ROWS * D], table[ROWS * D];
  double bound;
} answers;

static void ask(const posenc_plan *plan, const float *x, answers *a)
{
  const double reals[3] = {0.1, -1e-3, 131071.5};
  const posenc_strides strides = {ROWS * D, D};
  void *table = NULL;
  posenc_fill(plan, 40, ROWS, a->rows, D);
  posenc_fill_at_real(plan, reals, 3, a->reals, D);
  posenc_fill_pair(plan, 40, ROWS, a->sines, a->cosines, D / 2);
  posenc_add_batch(plan, 40, ROWS, 2, x, strides, 0.1, a->sums, strides);
  a->bound = posenc_impl_error_bound(posenc_impl_find(posenc_plan_impl(plan)), posenc_plan_spec(plan), 0.1, 3);
  posenc_table_create(&table, plan, 40, ROWS, D);
  memcpy(a->table, table, sizeof a->table);
  posenc_table_destroy(table);
}

/* As test_state.c asks of the older calls. Numbers that are rounded on their way to what is computed: a scale of sums, a
 * position's product with its scale.
 */
static void floating_point_state(void **state)
{
  (void)state;
  static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  static answers plain, got;
  static float x[2 * ROWS * D];
  for (int i = 0; i < 2 * ROWS * D; i++)
    x[i] = 1.0f / (float)(i + 3);
  for (size_t m = 0; runnable(m); m++)
    for (int32_t order = 0; order < 2; order++) {
      posenc_spec spec = posenc_spec_default(D);
      spec.order = order;
      spec.position_scale = order ? 0.3 : 1.0;
      posenc_plan *plan = plan_of(&spec, runnable(m)->name);
      ask(plan, x, &plain);
      for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        fesetround(modes[i]);
        feclearexcept(FE_ALL_EXCEPT);
        ask(plan, x, &got);
        const int after = fegetround(), raised = fetestexcept(FE_ALL_EXCEPT);
        fesetround(FE_TONEAREST);
        assert_int_equal(after, modes[i]);
        assert_int_equal(raised, 0);
        if (memcmp(&plain, &got, sizeof got) != 0)
          fail_msg("%s: rounding mode %zu changed the results", runnable(m)->name, i);
      }
      posenc_plan_destroy(plan);
    }
}

/* A comparison with NaN raises one, and so does a number that is too large. */
static void flags_of_refusals(void **state)
{
  (void)state;
  const double reals[] = {NAN};
  float out[D] = {0};
  const posenc_spec spec = posenc_spec_default(D);
  posenc_plan *plan = plan_of(&spec, NULL);
  feclearexcept(FE_ALL_EXCEPT);
  assert_int_equal(posenc_add(plan, 0, 1, out, D, reals[0], out, D), POSENC_ERROR_ARGUMENT);
  assert_int_equal(posenc_fill_at_real(plan, reals, 1, out, D), POSENC_ERROR_DOMAIN);
  assert_true(isnan(posenc_impl_error_bound(posenc_impl_find(NULL), &spec, reals[0], 0)));
  posenc_spec large = spec;
  large.denominator = 0x1p1023; /* twice as much is no double */
  assert_int_equal(posenc_plan_check(&large, "exact", NULL, 0), POSENC_ERROR_UNSUPPORTED);
  assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
  posenc_plan_destroy(plan);
}

/* Memory that has been used before may come back, and holds no zeros then. */
static void tables_of_every_dtype(void **state)
{
  (void)state;
  if (!posenc_impl_supported(posenc_impl_find("anchored")))
    skip(); /* no FMA; float64 from exact would take minutes */
  const int64_t shapes[][2] = {{7, 9}, {300, 64}, {40000, 45}}; /* rows, row_stride; the last takes huge pages */
  for (int32_t dtype = POSENC_F32; dtype <= POSENC_F16; dtype++)
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
      const int64_t count = shapes[i][0], stride = shapes[i][1];
      const size_t bytes = (size_t)(count * stride) * posenc_dtype_size((posenc_dtype)dtype);
      posenc_spec spec = posenc_spec_default(i ? D : 5);
      spec.dtype = dtype;
      posenc_plan *plan = plan_of(&spec, "anchored");
      void *want = calloc(bytes, 1), *table = NULL;
      assert_non_null(want);
      assert_int_equal(posenc_fill(plan, -5, count, want, stride), POSENC_OK);
      for (int again = 0; again < 2; again++) {
        assert_int_equal(posenc_table_create(&table, plan, -5, count, stride), POSENC_OK);
        if (memcmp(table, want, bytes) != 0)
          fail_msg("dtype %d, %lld rows, stride %lld: a table that posenc_fill does not make", dtype, (long long)count,
                   (long long)stride);
        memset(table, 0x5a, bytes);
        posenc_table_destroy(table);
      }
      free(want);
      posenc_plan_destroy(plan);
    }
}

/* Of exact: half a unit in the last place of 1, and 0 where a column holds zeros. */
static void bounds_of_every_dtype(void **state)
{
  (void)state;
  static const double halves[] = {
      [POSENC_F32] = 0x1p-25, [POSENC_F64] = 0x1p-54, [POSENC_BF16] = 0x1p-9, [POSENC_F16] = 0x1p-12};
  const posenc_impl *exact = posenc_impl_find("exact"), *anchored = posenc_impl_find("anchored");
  for (int32_t i = 0; i < 16; i++) {
    posenc_spec spec = posenc_spec_default(D - 1);
    spec.dtype = i / 4;
    spec.layout = i & 1;
    spec.odd = i >> 1 & 1;
    for (int64_t c = 0; c < D - 1; c++) {
      const double half = spec.odd == POSENC_ODD_ZERO && c == D - 2 ? 0 : halves[spec.dtype];
      assert_true(posenc_impl_error_bound(exact, &spec, -1e6, c) == half);
      const double more = posenc_impl_error_bound(anchored, &spec, 1e6, c) - half;
      assert_true(more >= 0 && more < 0x1p-49 && (more > 0) == (half > 0));
    }
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

static void scale_0_is_1(void **state)
{
  (void)state;
  float want[ROWS * D], got[ROWS * D];
  posenc_spec spec = posenc_spec_default(D), zero = spec;
  zero.position_scale = 0;
  for (size_t m = 0; runnable(m); m++) {
    posenc_plan *plan = plan_of(&spec, runnable(m)->name), *zeros = plan_of(&zero, runnable(m)->name);
    assert_int_equal(posenc_fill(plan, 1000, ROWS, want, D), POSENC_OK);
    assert_int_equal(posenc_fill(zeros, 1000, ROWS, got, D), POSENC_OK);
    assert_rows_equal(runnable(m)->name, got, want, ROWS, D, D, D);
    const double bound = posenc_impl_error_bound(runnable(m), &spec, 1000, 3);
    assert_true(posenc_impl_error_bound(runnable(m), &zero, 1000, 3) == bound);
    posenc_plan_destroy(plan);
    posenc_plan_destroy(zeros);
  }
}

/* A small scale does not make the domain larger; of rows that begin outside of it, the last may be inside. */
static void the_domain(void **state)
{
  (void)state;
  const int64_t far = POSENC_MAX_POSITION;
  float out[2 * D];
  for (size_t i = 0; i < 2 * D; i++)
    out[i] = 77.0f;
  posenc_spec spec = posenc_spec_default(D);
  for (int i = 0; i < 2; i++, spec.position_scale = 0.5) {
    posenc_plan *plan = plan_of(&spec, NULL);
    const int64_t positions[] = {far + 1}, negative[] = {-far - 1};
    const double reals[] = {(double)far + 0.5};
    assert_int_equal(posenc_fill(plan, far + 1, 1, out, D), POSENC_ERROR_DOMAIN);
    assert_int_equal(posenc_fill(plan, far, 2, out, D), POSENC_ERROR_DOMAIN);
    assert_int_equal(posenc_fill(plan, -far - 1, 2, out, D), POSENC_ERROR_DOMAIN);
    assert_int_equal(posenc_fill_at(plan, positions, 1, out, D), POSENC_ERROR_DOMAIN);
    assert_int_equal(posenc_fill_at(plan, negative, 1, out, D), POSENC_ERROR_DOMAIN);
    assert_int_equal(posenc_fill_at_real(plan, reals, 1, out, D), POSENC_ERROR_DOMAIN);
    assert_true(isnan(posenc_impl_error_bound(posenc_impl_find(NULL), &spec, (double)far + 1, 0)));
    for (size_t c = 0; c < 2 * D; c++)
      assert_true(out[c] == 77.0f);
    assert_int_equal(posenc_fill(plan, far, 1, out, D), POSENC_OK);
    assert_int_equal(posenc_fill(plan, -far, 2, out, D), POSENC_OK);
    for (size_t c = 0; c < 2 * D; c++)
      out[c] = 77.0f;
    posenc_plan_destroy(plan);
  }
}

/* A product that is 2^32 to the nearest double and more than that upwards. */
static void the_domain_in_other_modes(void **state)
{
  (void)state;
  posenc_spec spec = posenc_spec_default(D);
  float out[D];
  int found = 0;
  for (double scale = 1.1; scale < 2 && found < 3; scale += 0.01) {
    const double position = 0x1p32 / scale;
    if (position * scale != 0x1p32 || !(fma(position, scale, -0x1p32) > 0))
      continue;
    spec.position_scale = scale;
    posenc_plan *plan = plan_of(&spec, NULL);
    fesetround(FE_UPWARD);
    const posenc_status status = posenc_fill_at_real(plan, &position, 1, out, D);
    const double bound = posenc_impl_error_bound(posenc_impl_find(NULL), &spec, position, 0);
    fesetround(FE_TONEAREST);
    assert_int_equal(status, POSENC_OK);
    assert_true(bound > 0.0);
    posenc_plan_destroy(plan);
    found++;
  }
  assert_int_equal(found, 3);
}

static void reserved_fields(void **state)
{
  (void)state;
  posenc_spec spec = posenc_spec_default(D);
  for (size_t i = 0; i < sizeof spec.reserved / sizeof spec.reserved[0]; i++)
    for (int bit = 0; bit < 64; bit += 21) {
      char message[256] = "";
      spec.reserved[i] = UINT64_C(1) << bit;
      assert_int_equal(posenc_spec_check(&spec, message, sizeof message), POSENC_ERROR_SPEC);
      assert_non_null(strstr(message, "reserved"));
      spec.reserved[i] = 0;
    }
  assert_int_equal(posenc_spec_check(&spec, NULL, 0), POSENC_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(floating_point_state),
      cmocka_unit_test(flags_of_refusals),
      cmocka_unit_test(tables_of_every_dtype),
      cmocka_unit_test(bounds_of_every_dtype),
      cmocka_unit_test(negative_zero),
      cmocka_unit_test(scale_0_is_1),
      cmocka_unit_test(the_domain),
      cmocka_unit_test(the_domain_in_other_modes),
      cmocka_unit_test(reserved_fields),
  };
  return cmocka_run_group_tests_name("corners", tests, NULL, NULL);
}
