/* "Does not allocate" (the fills, posenc_plan_phases and posenc_rotary_freqs), and "On error it is NULL" (plans, tables):
 * each request for memory is refused once. The call must return POSENC_ERROR_MEMORY and leak nothing. Plans are no larger
 * than stated. dlopen() loads these tests and the library (loading.c).
 */
#include "failing.h"
#include "testing.h"

#include <pthread.h>

#include "tools/call.h"
#include "formats.h"

static double freqs[POSENC_MAX_D_MODEL / 2], freqs_low[POSENC_MAX_D_MODEL / 2];

/* Whether this is the member of its family that tests which take long use. */
static int is_first(const posenc_impl *impl) { return posenc_impl_find(impl->family) == impl; }

static posenc_spec spec_of(int64_t d_model, int32_t dtype, int given) {
  posenc_spec spec = paper_spec(d_model);
  spec.dtype = dtype;
  spec.freqs = given ? freqs : NULL;
  spec.freqs_low = given ? freqs_low : NULL;
  spec.n_freqs = given ? (d_model + 1) / 2 : 0;
  return spec;
}

/* ---- refusals ---- */

typedef struct job { /* with a plan: make a table; else with a count: posenc_fill_once(); else make a plan */
  const posenc_spec *spec;
  const char *impl;
  const posenc_plan *plan;
  int64_t count, stride;
} job;

static posenc_status make_job(const job *j, void **made) {
  if (j->plan)
    return posenc_table_create(made, j->plan, -5, j->count, j->stride);
  static double rows[70 * 8];
  if (j->count > 0) {
    const posenc_status status = posenc_fill_once(j->spec, j->impl, 0, j->count, rows, 8);
    *made = status == POSENC_OK ? rows : NULL;
    return status;
  }
  posenc_plan *plan = *made;
  const posenc_status status = posenc_plan_create(&plan, j->spec, j->impl);
  *made = plan;
  return status;
}

/* Does the job with its first request refused, then with its second, ... until no request is refused. Returns the
 * result. */
static void *refuse_each(const job *j) {
  for (int64_t n = 1;; n++) {
    void *made = freqs; /* anything but NULL */
    failing_at(n);
    const int64_t before = failing_count().live;
    const posenc_status status = make_job(j, &made);
    const memory_count count = failing_count();
    failing_at(0);
    if (count.refused == 0) {
      assert_int_equal(status, POSENC_OK);
      assert_non_null(made);
      assert_true(n > 1 && n < 1000);
      return made;
    }
    if (status != POSENC_ERROR_MEMORY || made || count.live != before)
      fail_msg("%s, request %lld refused: status %d, %s, %lld blocks left", j->impl ? j->impl : "NULL", (long long)n,
          status, made ? "not NULL" : "NULL", (long long)(count.live - before));
  }
}

static void try_plan(const posenc_spec *spec, const char *impl) {
  const int64_t before = failing_count().live;
  posenc_plan_destroy(refuse_each(&(job){.spec = spec, .impl = impl}));
  assert_int_equal(failing_count().live, before);
}

static void plans(void **state) {
  (void)state;
  const int64_t widths[] = {1, 2, 63, 512, 8194};
  for (size_t i = 0; i < 5; i++)
    for (int32_t j = 0; j < 2 * FORMATS; j++) {
      const posenc_spec spec = spec_of(widths[i], j / 2, j % 2);
      for (size_t m = 0; runnable(m); m++)
        if ((widths[i] <= 63 || (j < 2 && is_first(runnable(m)))) && is_offered(&spec, runnable(m)->name))
          try_plan(&spec, runnable(m)->name);
    }
  const posenc_spec spec = paper_spec(64), narrow = paper_spec(8);
  try_plan(&spec, NULL);
  for (int64_t rows = 5; rows <= 70; rows += 65) {
    const int64_t before = failing_count().live;
    refuse_each(&(job){.spec = &narrow, .count = rows});
    assert_int_equal(failing_count().live, before);
  }
}

static void tables(void **state) {
  (void)state;
  enum { D = 33 };
  const int64_t counts[] = {0, 1, 100, 20000}; /* tables of 20000 rows take more than a huge page */
  for (size_t m = 0; runnable(m); m++)
    for (int32_t i = 0; i < FORMATS * 4; i++) {
      const posenc_spec spec = spec_of(D, i % FORMATS, 0);
      const int64_t count = counts[i / FORMATS];
      if (!is_offered(&spec, runnable(m)->name) ||
          (count > 100 && (spec.dtype != POSENC_DTYPE_F32 || !is_first(runnable(m)))))
        continue;
      posenc_plan *plan = plan_of(&spec, runnable(m)->name);
      const job j = {&spec, runnable(m)->name, plan, count, D + i % 2 * 7};
      const int64_t before = failing_count().live;
      posenc_table_destroy(refuse_each(&j));
      assert_int_equal(failing_count().live, before);
      posenc_plan_destroy(plan);
    }
  const posenc_spec spec = paper_spec(1024); /* the library asks for huge pages */
  posenc_plan *plan = plan_of(&spec, NULL);
  void *made = NULL;
  failing_at(0);
  assert_int_equal(make_job(&(job){.plan = plan, .count = 4096}, &made), POSENC_OK);
  assert_true(failing_count().advised >= 4096 * 1024 * sizeof(float));
  posenc_table_destroy(made);
  posenc_plan_destroy(plan);
}

/* ---- calls that make no request ---- */

static void use_all(const posenc_plan *plan, int64_t count) {
  enum { MOST = 70, COLUMNS = 80 };
  static double out[2 * MOST * COLUMNS]; /* large enough for any dtype */
  int64_t at[MOST];
  double reals[MOST];
  for (int64_t i = 0; i < count; i++) {
    at[i] = i * 7919 - 3;
    reals[i] = (double)i * 0.37 - 3;
  }
  const int64_t d = posenc_plan_spec(plan)->d_model;
  memset(out, 0, sizeof out);
  for (call_kind c = CALL_FILL; c < CALL_TABLE; c++) {
    arguments a = {c, plan, 142401 - 5, count, at, reals, out, out + MOST * COLUMNS, d, NULL};
    assert_int_equal(make_call(&a), POSENC_OK);
    a.first = POSENC_MAX_POSITION + 1;
    at[0] = POSENC_MAX_POSITION + 1;
    reals[0] = 0x1p33;
    assert_int_equal(make_call(&a), POSENC_ERROR_DOMAIN);
    at[0] = 0;
    reals[0] = 0;
  }
  const posenc_status status = posenc_plan_phases(plan, out, (uint64_t *)(void *)(out + COLUMNS), out + 2 * COLUMNS);
  assert_true(status == POSENC_OK || status == POSENC_ERROR_UNSUPPORTED);
}

static void use_rotary(void) {
  posenc_rotary rotary;
  double out[2][32], factor;
  assert_int_equal(posenc_rotary_init(&rotary, 64, POSENC_ROTARY_LLAMA3), POSENC_OK);
  rotary.factor = rotary.high_freq_factor = 4;
  rotary.low_freq_factor = 1;
  rotary.original_max_position_embeddings = 4096;
  assert_int_equal(posenc_rotary_freqs(&rotary, out[0], out[1], &factor), POSENC_OK);
}

static void no_requests(void **state) {
  (void)state;
  const int64_t widths[] = {1, 34, 77}, counts[] = {1, 3, 70};
  for (size_t m = 0; runnable(m); m++)
    for (int32_t i = 0; i < FORMATS * 8 * 3; i++) {
      posenc_spec spec = spec_of(widths[i / FORMATS / 8], i % FORMATS, 0);
      spec.layout = i / FORMATS & 1;
      spec.order = i / FORMATS >> 1 & 1;
      spec.odd = i / FORMATS >> 2 & 1;
      if (!is_offered(&spec, runnable(m)->name))
        continue;
      posenc_plan *plan = plan_of(&spec, runnable(m)->name);
      failing_at(0);
      for (size_t n = 0; n < (is_first(runnable(m)) ? 3U : 2U); n++)
        use_all(plan, counts[n]);
      use_rotary();
      const memory_count count = failing_count();
      if (count.asked != 0 || count.advised != 0)
        fail_msg("%s, dtype %d: %lld requests for memory", runnable(m)->name, spec.dtype, (long long)count.asked);
      posenc_plan_destroy(plan);
    }
}

static int64_t requests[3]; /* of a thread's first call, of its first refused call, and of its second one */

static void *make_three_calls(void *plan) {
  float row[8];
  void *const out[] = {row, NULL, NULL};
  for (int i = 0; i < 3; i++) {
    failing_at(0);
    const posenc_status status = posenc_fill(plan, 5, 1, out[i], 8);
    requests[i] = status == (out[i] ? POSENC_OK : POSENC_ERROR_ARGUMENT) ? failing_count().asked : -1;
  }
  return NULL;
}

/* "A thread's first refused call [...] may make the C library allocate that error." */
static void a_new_thread(void **state) {
  (void)state;
  const posenc_spec spec = paper_spec(8);
  posenc_plan *plan = plan_of(&spec, NULL);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, make_three_calls, plan), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  printf("requests for memory in a new thread's first refused call: %lld\n", (long long)requests[1]);
  assert_int_equal(requests[0], 0);
  assert_true(requests[1] >= 0);
  assert_int_equal(requests[2], 0);
  posenc_plan_destroy(plan);
}

/* ---- sizes ---- */

static void plan_sizes(void **state) {
  (void)state;
  const int64_t widths[] = {1, 2, 64, 65, 8191, 8192, 8193, POSENC_MAX_D_MODEL};
  for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
    for (int32_t j = 0; j < 2 * FORMATS; j++) {
      const posenc_spec spec = spec_of(widths[i], j / 2, j % 2);
      const int64_t n = (widths[i] + 1) / 2, padded = (n + 31) / 32 * 32;
      for (size_t m = 0; runnable(m); m++) {
        const char *name = runnable(m)->name;
        const int exact = strstr(name, "exact") != NULL, rotates = exact || strstr(name, "anchored");
        const int keeps = n <= 4096 && rotates && !(exact && spec.dtype == POSENC_DTYPE_F64);
        if (!is_offered(&spec, name) || (widths[i] > 65 && (j != 1 || !is_first(runnable(m)))))
          continue;
        failing_at(0);
        posenc_plan *plan = plan_of(&spec, name);
        const memory_count count = failing_count();
        posenc_plan_destroy(plan);
        assert_int_equal(count.asked, 1);
        if (count.largest > (uint64_t)(padded * (40 + (keeps ? 768 : 0)) + 1024) || count.largest >= 21000000)
          fail_msg(
              "%s, d_model %lld: a plan of %llu bytes", name, (long long)widths[i], (unsigned long long)count.largest);
      }
    }
}

int module_main(void);
int module_main(void) {
  posenc_last_error(NULL, 0); /* it may make the C library allocate this thread's last error */
  for (size_t k = 0; k < sizeof freqs / sizeof freqs[0]; k++)
    freqs[k] = 1.0 / (double)(k + 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans),
      cmocka_unit_test(tables),
      cmocka_unit_test(no_requests),
      cmocka_unit_test(a_new_thread),
      cmocka_unit_test(plan_sizes),
  };
  return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
