/* d_model up to 2^20: every implementation, dtype and layout at 2^20 and at 2^20 - 1 columns. Of those that promise
 * most every column is held against the float64 reference, and those of every so many frequencies against MPFR: the
 * ladder of every s-th frequency is itself a ladder, of the denominator divided by s. The recipes are held to their
 * bounds there. The test of memory (test_memory.c) has the plans' sizes.
 */
#include "testing.h"
#include "mpfr_reference.h"

#include <math.h>
#include <stdio.h>

#include "columns.h"
#include "float64_reference.h"
#include "formats.h"
#include "thinned.h"

enum { ROWS = 2, FIRST = 131071, MOST = 1 << 20 };

static double values[ROWS + 1][MOST]; /* of any dtype: rows by fill, and one by fill_at */
static reference_value reference[MOST], sampled[2 * 2048];

static double value_at(const posenc_spec *spec, int row, int64_t c) {
  const size_t size = format_of(spec->dtype)->size;
  return element_value(spec->dtype, (const unsigned char *)values + ((size_t)row * MOST + (size_t)c) * size);
}

static int has_name(const posenc_impl *impl, const char *family) {
  return strncmp(impl->name, family, strlen(family)) == 0;
}

/* Half a unit of the dtype where y is. */
static double rounding(int32_t dtype, double y) {
  const format *f = format_of(dtype);
  return ldexp(0.5, format_unit(f, y == 0 ? -f->lowest : ilogb(y)));
}

static double allowed[MOST]; /* distance from the reference, for a value that is rounded once */

static void set_allowed(const posenc_spec *spec, const double *w) {
  for (int64_t c = 0; c < spec->d_model; c++) {
    const place p = place_of(spec, c);
    const double off = p.k < 0 ? 0 : float64_reference_bound(spec, FIRST, w[p.k]) + 0x1p-49;
    allowed[c] = p.k < 0 ? 0 : off + rounding(spec->dtype, fabs(reference[c].y) + off);
    reference[c].y = p.k < 0 ? 0 : reference[c].y;
  }
}

/* All columns of a row, of those that round the real value or nearly that. */
static void check_reference(const posenc_plan *plan, int row) {
  const posenc_spec *spec = posenc_plan_spec(plan);
  for (int64_t c = 0; c < spec->d_model; c++) {
    const double got = value_at(spec, row, c);
    if (!(fabs(got - reference[c].y) <= allowed[c]))
      fail_msg("%s, %s, d_model %lld, row %d, column %lld: %a is not near %a", posenc_plan_impl(plan),
          dtype_name(spec->dtype), (long long)spec->d_model, row, (long long)c, got, reference[c].y);
  }
}

/* Every s-th frequency; small is the ladder of those. */
static void check_sampled(const posenc_plan *plan, int64_t s, int row) {
  const posenc_spec *spec = posenc_plan_spec(plan);
  const posenc_impl *impl = posenc_impl_find(posenc_plan_impl(plan));
  const int exact = has_name(impl, "exact");
  for (int64_t c = 0; c < spec->d_model; c++) {
    const place p = place_of(spec, c);
    if (p.k < 0 || p.k % s != 0)
      continue;
    const reference_value *want = &sampled[2 * (p.k / s) + p.cosine];
    const double got = value_at(spec, row, c);
    const double bound = posenc_impl_error_bound(impl, spec, FIRST, c);
    if (exact ? !same_number(got, reference_rounded(want, spec->dtype)) : !(fabs(got - want->y) <= bound))
      fail_msg("%s, %s, d_model %lld, row %d, column %lld: %a, and truly %a", impl->name, dtype_name(spec->dtype),
          (long long)spec->d_model, row, (long long)c, got, want->y);
  }
}

/* Of float64 most outputs are made in integers, some microseconds each; so most frequencies are 0 there. */
static void set_freqs(posenc_spec *spec, posenc_spec *small, int64_t s) {
  static double freqs[MOST / 2], of_small[2048];
  for (int64_t k = 0; k < spec_count(spec); k++)
    freqs[k] = k % s ? 0 : (of_small[k / s] = pow(10000, -(double)k / spec_denominator(spec)));
  spec->freqs = freqs;
  spec->n_freqs = spec_count(spec);
  small->freqs = of_small;
  small->n_freqs = spec_count(small);
}

/* By every implementation, or only by the best members of exact and anchored. */
static void check(posenc_spec spec, int64_t s, int all) {
  const int64_t d = spec.d_model, at[] = {FIRST};
  posenc_spec small = posenc_spec_default(2 * ((spec_count(&spec) - 1) / s + 1));
  small.denominator = (double)d / 2 / (double)s;
  small.dtype = spec.dtype;
  assert_true(small.denominator * (double)s == (double)d / 2 && small.d_model <= 4096);
  if (spec.dtype == POSENC_F64)
    set_freqs(&spec, &small, s);
  mpfr_reference *t = reference_create(&small);
  reference_row(t, FIRST, sampled);
  reference_destroy(t);
  double *w = float64_reference_frequencies(&spec);
  float64_reference_row(&spec, w, FIRST, reference);
  set_allowed(&spec, w);
  free(w);
  for (size_t m = 0; runnable(m); m++) {
    const posenc_impl *impl = runnable(m);
    const int best = impl == posenc_impl_find("exact") || impl == posenc_impl_find("anchored");
    if (!(all || best) || posenc_plan_check(&spec, impl->name, NULL, 0) != POSENC_OK)
      continue;
    posenc_plan *plan = plan_of(&spec, impl->name);
    const size_t row = (size_t)MOST * format_of(spec.dtype)->size;
    memset(values, 0x5a, sizeof values);
    assert_int_equal(posenc_fill(plan, FIRST - ROWS + 1, ROWS, values, MOST), POSENC_OK);
    assert_int_equal(posenc_fill_at(plan, at, 1, (unsigned char *)values + ROWS * row, MOST), POSENC_OK);
    assert_memory_equal(
        (unsigned char *)values + (ROWS - 1) * row, (unsigned char *)values + ROWS * row, row); /* and what is behind */
    check_sampled(plan, s, ROWS - 1);
    if (has_name(impl, "exact") || has_name(impl, "anchored") || strstr(impl->name, "f64") ||
        strcmp(impl->name, "float64") == 0)
      check_reference(plan, ROWS - 1);
    posenc_plan_destroy(plan);
  }
}

static void widest(void **state) {
  (void)state;
  for (int32_t i = 0; i < 2 * FORMATS; i++) {
    const int odd = i >= FORMATS;
    posenc_spec spec = posenc_spec_default(odd ? MOST - 1 : MOST);
    spec.dtype = i % FORMATS;
    spec.layout = (spec.dtype + odd) % 2;
    spec.order = spec.dtype / 2;
    spec.odd = spec.dtype % 2;
    if (!THINNED || spec.dtype == POSENC_F32)
      check(spec, odd ? 825 : 1 << 12, !THINNED && (!odd || spec.dtype == POSENC_F32)); /* 2^20 - 1 = 825 * 1271 */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(widest)};
  return cmocka_run_group_tests_name("widest", tests, NULL, NULL);
}
