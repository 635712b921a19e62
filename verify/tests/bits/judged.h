/* For tests of exact: compares outputs at any positions of a spec with MPFR, in single rows, in calls of few rows and
 * within a table. Outputs of exact must be the numbers of the dtype nearest to the real values. Outputs of other
 * implementations must be within their bounds, and at position 0 exactly 0 and 1.
 */
#ifndef POSENC_TESTS_JUDGED_H
#define POSENC_TESTS_JUDGED_H

#include "testing.h"
#include "judge.h"

#include <math.h>
#include <stdio.h>

#include "columns.h"

static uint64_t seed = 20170612;
static int64_t repeats = 1; /* of random cases */

enum { MOST = 1000 };
static const double turn = 0x1.921fb54442d18p+2;

typedef enum members { EXACT, PROVED, EVERYONE } members; /* PROVED: anchored and exact */

static inline int is_member(const posenc_impl *impl, const char *family) { return strcmp(impl->family, family) == 0; }

static inline double between(double low, double high) { return real_between(&seed, low, high); }

/* A random midpoint between two neighbouring numbers of a dtype, from 1/2 to 1. */
static inline double midpoint(int32_t dtype) {
  const int digits = format_of(dtype)->digits;
  return ldexp((double)random_between(&seed, INT64_C(1) << (digits - 1), (INT64_C(1) << digits) - 1) + 0.5, -digits);
}

/* Judges one element of a call of `rows` rows. The sines of position -0.0 must have the right sign. */
static inline void judge_one(const posenc_plan *plan, double position, int64_t column, const unsigned char *element,
    const reference_value *want, int64_t rows) {
  const posenc_spec *spec = posenc_plan_spec(plan);
  const posenc_impl *impl = posenc_impl_find(posenc_plan_impl(plan));
  const int exact = impl->correctly_rounded, minus_zero = position == 0 && signbit(position);
  const judgement j = judge_element(spec->dtype, element, want);
  const double bound = exact ? INFINITY : posenc_impl_error_bound(impl, spec, position, column);
  if (((exact || minus_zero) && !j.is_nearest) || (position == 0 && j.got != j.nearest) || !(j.error <= bound))
    fail_msg(
        "%s, %s: d_model %lld, base %g, first frequency %a, scale %g, position %a, column %lld, %lld rows: got %a, nearest is %a, "
        "error %g, bound %g",
        impl->name, dtype_name(spec->dtype), (long long)spec->d_model, spec->base, spec->freqs ? spec->freqs[0] : 1.0,
        spec->position_scale, position, (long long)column, (long long)rows, j.got, j.nearest, j.error, bound);
}

static inline void judge_rows(const posenc_plan *plan, const double *positions, int64_t count,
    const unsigned char *rows, const reference_value *want) {
  const posenc_spec *spec = posenc_plan_spec(plan);
  for (int64_t i = 0; i < count; i++)
    for (int64_t c = 0; c < spec->d_model; c++, rows += format_of(spec->dtype)->size)
      judge_one(plan, positions[i], c, rows, want++, count);
}

/* Judges rows in calls of so few rows that each is computed as a single row, and in a call of more rows. */
static inline void few_and_more(
    const posenc_plan *plan, const double *positions, int64_t count, unsigned char *got, const reference_value *want) {
  enum { FEW = 8, MORE = 16 };
  const posenc_spec *spec = posenc_plan_spec(plan);
  const int64_t d = spec->d_model, bytes = d * (int64_t)format_of(spec->dtype)->size;
  int64_t at[MORE];
  for (int64_t i = 0, rows; i < count; i += rows) {
    rows = count - i < 1 + i % (FEW - 1) ? count - i : 1 + i % (FEW - 1);
    for (int64_t j = 0; j < rows; j++)
      at[j] = (int64_t)positions[i + j];
    assert_int_equal(posenc_fill_at(plan, at, rows, got, d), POSENC_OK);
    judge_rows(plan, positions + i, rows, got, want + i * d);
  }
  for (int64_t i = 0; i < MORE; i++)
    at[i] = (int64_t)positions[i % count];
  assert_int_equal(posenc_fill_at(plan, at, MORE, got, d), POSENC_OK);
  for (int64_t i = 0; i < MORE; i++)
    judge_rows(plan, &positions[i % count], 1, got + i * bytes, want + i % count * d);
}

/* Judges one row of a table, at a random place in the table. */
static inline void amid_table(
    const posenc_plan *plan, double position, unsigned char *got, const reference_value *want) {
  enum { TABLE_ROWS = 41 };
  const posenc_spec *spec = posenc_plan_spec(plan);
  const int64_t d = spec->d_model, bytes = d * (int64_t)format_of(spec->dtype)->size, row = (int64_t)position;
  const int64_t lowest = row - POSENC_MAX_POSITION + TABLE_ROWS - 1, most = row + POSENC_MAX_POSITION;
  int64_t before = random_between(&seed, 0, TABLE_ROWS - 1); /* rows of the table before this one */
  before = before < lowest ? lowest : before > most ? most : before;
  assert_int_equal(posenc_fill(plan, row - before, TABLE_ROWS, got, d), POSENC_OK);
  judge_rows(plan, &position, 1, got + before * bytes, want);
}

static inline void judge_all(const posenc_spec *spec, const double *positions, int64_t count, members who) {
  enum { ROOM = 41, TABLES = 4 };
  posenc_spec given = *spec;
  double low[MOST];
  given.freqs_low = spec->freqs_low ? low : NULL;
  const int64_t d = spec->d_model, bytes = d * (int64_t)format_of(spec->dtype)->size;
  mpfr_reference *t = reference_create(spec);
  reference_value *want = malloc((size_t)(count * d) * sizeof *want);
  unsigned char *got = malloc((size_t)((count < ROOM ? ROOM : count) * bytes + 1));
  int64_t *at = malloc((size_t)count * sizeof *at);
  int integers = 1;
  for (int64_t i = 0; i < count; i++) {
    at[i] = (int64_t)positions[i];
    integers = integers && (double)at[i] == positions[i] && !(positions[i] == 0 && signbit(positions[i]));
    reference_row(t, positions[i], want + i * d);
  }
  for (size_t m = 0; runnable(m); m++) {
    const int exact = runnable(m)->correctly_rounded;
    posenc_plan *plan;
    if (!exact && (who == EXACT || (who == PROVED && !is_member(runnable(m), "anchored"))))
      continue;
    if (spec->freqs_low)
      memcpy(low, spec->freqs_low, (size_t)spec->n_freqs * sizeof *low);
    if (posenc_plan_create(&plan, &given, runnable(m)->name) != POSENC_OK) {
      assert_false(is_member(runnable(m), "exact")); /* exact offers every spec of these tests */
      continue;
    }
    memset(low, 0xff, sizeof low); /* the plan has a copy */
    if (who == EVERYONE || !integers) {
      memset(got, 0xff, (size_t)(count * bytes + 1));
      assert_int_equal(posenc_fill_at_real(plan, positions, count, got, d), POSENC_OK);
      assert_int_equal(got[count * bytes], 0xff); /* nothing is written behind the last row */
      judge_rows(plan, positions, count, got, want);
    }
    if (integers) {
      assert_int_equal(posenc_fill_at(plan, at, count, got, d), POSENC_OK);
      judge_rows(plan, positions, count, got, want);
    }
    for (int64_t i = 0; i < count && i < TABLES && integers && exact && spec->position_scale == 1; i++)
      amid_table(plan, positions[i], got, want + i * d);
    if (integers && exact)
      few_and_more(plan, positions, count, got, want);
    posenc_plan_destroy(plan);
  }
  free(at);
  free(got);
  free(want);
  reference_destroy(t);
}

/* Judges one frequency at a time. Beside a frequency that needs the recheck or the fallback, others get it too. */
static inline void judge_alone(int32_t dtype, const double *freqs, int64_t n, const double *positions, int64_t count) {
  for (int64_t k = 0; k < n; k++) {
    const posenc_spec spec = frequency_spec(&freqs[k], NULL, 1, dtype);
    judge_all(&spec, positions, count, PROVED);
  }
}

/* Judges the frequency w + w_low among others, which are 0 and pass the rounding test. The test must find the one. */
static inline void judge_among(int32_t dtype, double w, double w_low, const double *positions, int64_t count) {
  double freqs[32] = {0}, low[32] = {0};
  const int64_t k = random_between(&seed, 0, 31);
  freqs[k] = w;
  low[k] = w_low;
  const posenc_spec spec = frequency_spec(freqs, low, 32, dtype);
  judge_all(&spec, positions, count, EXACT);
}

/* Takes the program's arguments: seed, repeats, pattern of test names. Returns whether they are allowed. */
static inline int take_arguments(int argc, char **argv) {
  take_seed(argc, argv, &seed);
  if (argc > 2)
    repeats = strtoll(argv[2], NULL, 0);
  if (repeats < 1) {
    fprintf(stderr, "repeats: %s; allowed: 1 or more\n", argv[2]);
    return 0;
  }
  if (argc > 3)
    cmocka_set_test_filter(argv[3]);
  printf("%lld repeats (the second argument; a third is a pattern of the tests to run)\n", (long long)repeats);
  return 1;
}

#endif
