/* Every request for memory that the library makes is refused once: the status says so, nothing is left behind, and what
 * the caller gave comes out as the header says. What fills and adds makes no request at all. Plans are no larger than
 * stated.
 */
#define _DEFAULT_SOURCE
#include "failing.h"
#include "testing.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "formats.h"

static double freqs[POSENC_MAX_D_MODEL / 2];

/* One of a family, for what takes long. */
static int is_first(const posenc_impl *impl) {
  static const char *const families[] = {"exact", "anchored", "recurrence", "float64", "naive"};
  for (size_t i = 0; i < 5; i++)
    if (posenc_impl_find(families[i]) == impl)
      return 1;
  return 0;
}

/* ---- refusals ---- */

typedef posenc_status make(const void *job, void **made);

/* job with its first request refused, then its second, ... until none is; how many there are. *made is then what came
 * of it. */
static int64_t refuse_each(const char *what, make *call, const void *job, int every_later, void **made) {
  for (int64_t n = 1;; n++) {
    *made = freqs; /* anything but NULL */
    failing_at(n, every_later);
    const int64_t before = failing_count().live;
    const posenc_status status = call(job, made);
    const memory_count count = failing_count();
    failing_at(0, 0);
    if (count.refused == 0) {
      assert_int_equal(status, POSENC_OK);
      assert_int_equal(count.asked, n - 1);
      assert_non_null(*made);
      return n - 1;
    }
    if (status != POSENC_ERROR_MEMORY || *made || count.live != before)
      fail_msg("%s, request %lld refused: status %d, %s, %lld blocks left", what, (long long)n, status,
          *made ? "not NULL" : "NULL", (long long)(count.live - before));
    assert_true(n < 1000);
  }
}

typedef struct plan_job {
  const posenc_spec *spec;
  const char *impl;
} plan_job;

static posenc_status make_plan(const void *job, void **made) {
  const plan_job *j = job;
  posenc_plan *plan = *made;
  const posenc_status status = posenc_plan_create(&plan, j->spec, j->impl);
  *made = plan;
  return status;
}

static void try_plan(const posenc_spec *spec, const char *impl) {
  for (int every_later = 0; every_later < 2; every_later++) {
    const plan_job job = {spec, impl};
    void *plan;
    const int64_t before = failing_count().live;
    assert_true(refuse_each(impl ? impl : "NULL", make_plan, &job, every_later, &plan) >= 1);
    posenc_plan_destroy(plan);
    assert_int_equal(failing_count().live, before);
  }
}

static void plans(void **state) {
  (void)state;
  const int64_t widths[] = {1, 2, 63, 512, 8194};
  for (size_t i = 0; i < 5; i++)
    for (int32_t given = 0; given < 2; given++)
      for (int32_t dtype = 0; dtype < FORMATS; dtype++) {
        posenc_spec spec = posenc_spec_default(widths[i]);
        spec.dtype = dtype;
        spec.freqs = given ? freqs : NULL;
        spec.n_freqs = given ? (widths[i] + 1) / 2 : 0;
        for (size_t m = 0; runnable(m); m++)
          if ((widths[i] <= 63 || (dtype == 0 && is_first(runnable(m)))) &&
              posenc_plan_check(&spec, runnable(m)->name, NULL, 0) == POSENC_OK)
            try_plan(&spec, runnable(m)->name);
      }
  for (size_t i = 0; i < posenc_preset_count(); i++) {
    posenc_spec spec;
    failing_at(1, 1);
    const posenc_status status = posenc_spec_preset(posenc_preset_at(i)->name, 64, &spec);
    assert_int_equal(failing_count().asked, 0);
    failing_at(0, 0);
    assert_int_equal(status, POSENC_OK);
    try_plan(&spec, NULL);
  }
}

typedef struct table_job {
  const posenc_plan *plan;
  int64_t count, stride;
} table_job;

static posenc_status make_table(const void *job, void **made) {
  const table_job *j = job;
  return posenc_table_create(made, j->plan, -5, j->count, j->stride);
}

/* The advice about pages, too: where it is refused, the table is the same. */
static void tables(void **state) {
  (void)state;
  enum { D = 33 };
  const int64_t counts[] = {0, 1, 100, 20000}, gaps[] = {0, 7}; /* the last take more than a huge page */
  for (size_t m = 0; runnable(m); m++)
    for (int32_t i = 0; i < FORMATS * 8; i++) {
      posenc_spec spec = posenc_spec_default(D);
      spec.dtype = i % FORMATS;
      spec.layout = i / FORMATS % 2;
      if (posenc_plan_check(&spec, runnable(m)->name, NULL, 0) != POSENC_OK)
        continue;
      const size_t n = (size_t)i / FORMATS / 2; /* of counts and gaps */
      const int large = spec.dtype == 0 && is_first(runnable(m)) && runnable(m) != posenc_impl_find("naive");
      posenc_plan *plan = plan_of(&spec, runnable(m)->name);
      const table_job job = {plan, counts[n == 3 && !large ? 2 : n], D + gaps[i / FORMATS % 2]};
      const int64_t before = failing_count().live;
      void *made[2];
      for (int fails = 0; fails < 2; fails++) {
        failing_advice(fails);
        assert_true(refuse_each(runnable(m)->name, make_table, &job, fails, &made[fails]) >= 1);
      }
      failing_advice(0);
      if (job.count > 0)
        assert_memory_equal(made[0], made[1], (size_t)(job.count * job.stride) * format_of(spec.dtype)->size);
      posenc_table_destroy(made[0]);
      posenc_table_destroy(made[1]);
      assert_int_equal(failing_count().live, before);
      posenc_plan_destroy(plan);
    }
  const posenc_spec spec = posenc_spec_default(1024); /* that it is asked for at all, or what failed was nothing */
  posenc_plan *plan = plan_of(&spec, NULL);
  const table_job job = {plan, 4096, 0};
  void *made = NULL;
  failing_at(0, 0);
  assert_int_equal(make_table(&job, &made), POSENC_OK);
  assert_true(failing_count().advice > 0);
  posenc_table_destroy(made);
  posenc_plan_destroy(plan);
}

/* ---- no request ---- */

static void use_all(const posenc_plan *plan, int64_t count) {
  enum { MOST = 70, COLUMNS = 80 };
  static double out[2 * MOST * COLUMNS]; /* of any dtype */
  int64_t at[MOST];
  double reals[MOST];
  for (int64_t i = 0; i < count; i++) {
    at[i] = i * 7919 - 3;
    reals[i] = (double)i * 0.37 - 3;
  }
  const int64_t d = posenc_plan_spec(plan)->d_model;
  const posenc_strides strides = {count * d, d};
  posenc_plan_spec(plan);
  posenc_plan_impl(plan);
  assert_int_equal(posenc_fill(plan, -5, count, out, d), POSENC_OK);
  assert_int_equal(posenc_fill(plan, 142401 - 5, count, out, d + 3), POSENC_OK);
  assert_int_equal(posenc_fill_at(plan, at, count, out, d), POSENC_OK);
  assert_int_equal(posenc_fill_at_real(plan, reals, count, out, d), POSENC_OK);
  assert_int_equal(posenc_fill_pair(plan, 3, count, out, out + MOST * COLUMNS, d), POSENC_OK);
  memset(out, 0, sizeof out);
  posenc_add(plan, 3, count, out, d, 1.0, out, d);
  posenc_add(plan, 3, count, out, d, 1.0, out + MOST * COLUMNS, d);
  posenc_add_batch(plan, 3, count, 2, out, strides, 1.0, out, strides);
  /* what is refused, and what is only asked */
  assert_int_equal(posenc_fill(plan, POSENC_MAX_POSITION, 2, out, d), POSENC_ERROR_DOMAIN);
  assert_int_equal(posenc_fill(plan, 0, 2, out, INT64_MAX), POSENC_ERROR_SIZE);
  at[0] = INT64_MAX;
  assert_int_equal(posenc_fill_at(plan, at, 1, out, d), POSENC_ERROR_DOMAIN);
  assert_int_equal(posenc_table_check(plan, 0, count, 0, NULL, 0), POSENC_OK);
}

static void filling(void **state) {
  (void)state;
  const int64_t widths[] = {1, 34, 77}, counts[] = {1, 3, 70};
  for (size_t m = 0; runnable(m); m++)
    for (int32_t i = 0; i < FORMATS * 8 * 3; i++) {
      posenc_spec spec = posenc_spec_default(widths[i / FORMATS / 8]);
      spec.dtype = i % FORMATS;
      spec.layout = i / FORMATS & 1;
      spec.order = i / FORMATS >> 1 & 1;
      spec.odd = i / FORMATS >> 2 & 1;
      if (posenc_plan_check(&spec, runnable(m)->name, NULL, 0) != POSENC_OK)
        continue;
      posenc_plan *plan = plan_of(&spec, runnable(m)->name);
      for (size_t n = 0; n < (is_first(runnable(m)) ? 3U : 2U); n++) {
        failing_at(1, 1);
        use_all(plan, counts[n]);
        const memory_count count = failing_count();
        failing_at(0, 0);
        if (count.asked != 0 || count.advice != 0)
          fail_msg("%s, dtype %d: %lld requests for memory", runnable(m)->name, spec.dtype, (long long)count.asked);
      }
      posenc_plan_destroy(plan);
    }
}

static void looking_up(void **state) {
  (void)state;
  const posenc_spec spec = posenc_spec_default(64);
  failing_at(1, 1);
  double sum = 0;
  for (size_t i = 0; i < posenc_impl_count(); i++) {
    sum += posenc_impl_error_bound(posenc_impl_at(i), &spec, 5, 3) + posenc_impl_supported(posenc_impl_at(i));
    posenc_impl_find(posenc_impl_at(i)->name);
    posenc_plan_check(&spec, posenc_impl_at(i)->name, NULL, 0);
  }
  posenc_plan_check(&spec, "no such", NULL, 0);
  posenc_spec_check(&spec, NULL, 0);
  posenc_status_string(POSENC_ERROR_MEMORY);
  const memory_count count = failing_count();
  failing_at(0, 0);
  assert_true(sum > 0);
  assert_int_equal(count.asked, 0);
}

/* ---- sizes ---- */

static void as_stated(void **state) {
  (void)state;
  const int64_t widths[] = {1, 2, 64, 65, 8191, 8192, 8193, POSENC_MAX_D_MODEL};
  uint64_t most = 0;
  for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
    for (int32_t j = 0; j < 2 * FORMATS; j++) {
      posenc_spec spec = posenc_spec_default(widths[i]);
      const int64_t n = (widths[i] + 1) / 2, padded = (n + 31) / 32 * 32;
      spec.dtype = j / 2;
      spec.freqs = j % 2 ? freqs : NULL;
      spec.n_freqs = j % 2 ? n : 0;
      for (size_t m = 0; runnable(m); m++) {
        const char *name = runnable(m)->name;
        const int keeps = n <= 4096 && (strstr(name, "exact") || strstr(name, "anchored"));
        if (posenc_plan_check(&spec, name, NULL, 0) != POSENC_OK ||
            (widths[i] > 65 && (j != 1 || !is_first(runnable(m)))))
          continue;
        failing_at(0, 0);
        posenc_plan *plan = plan_of(&spec, name);
        const memory_count count = failing_count();
        posenc_plan_destroy(plan);
        assert_int_equal(count.asked, 1);
        if (count.largest > (uint64_t)(padded * (32 + (keeps ? 2304 : 0)) + 1024) || count.largest >= 17000000)
          fail_msg(
              "%s, d_model %lld: a plan of %llu bytes", name, (long long)widths[i], (unsigned long long)count.largest);
        most = count.largest > most ? count.largest : most;
      }
    }
  printf("the largest plan: %llu bytes\n", (unsigned long long)most);
}

/* ---- a machine that has no more ---- */

static int64_t pages_mapped(void) {
  long long pages = -1;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file) {
    if (fscanf(file, "%lld", &pages) != 1)
      pages = -1;
    fclose(file);
  }
  return pages;
}

static void no_room(void **state) {
  (void)state;
  const int64_t giga = INT64_C(1) << 30, memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  struct rlimit before, limit;
  assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
  limit = before;
  limit.rlim_cur = (rlim_t)(pages_mapped() * sysconf(_SC_PAGESIZE) + giga / 4);
  assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
  void *probe = mmap(NULL, (size_t)giga, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe != MAP_FAILED) { /* emulated */
    munmap(probe, (size_t)giga);
    setrlimit(RLIMIT_AS, &before);
    print_message("skipped: a limit of the address space, which this system does not keep\n");
    return;
  }
  const posenc_spec spec = posenc_spec_default(1024);
  posenc_plan *plan = plan_of(&spec, NULL);
  const int64_t counts[] = {
      giga / 4096, memory / 4096 * 2}; /* four times what there is room for; twice the machine's memory */
  int64_t pages = 0;
  for (int i = 0; i < 64; i++) {
    void *table = freqs;
    assert_int_equal(posenc_table_create(&table, plan, 0, counts[i % 2], 0), POSENC_ERROR_MEMORY);
    assert_null(table);
    if (i == 1) /* the allocator may have looked for room in its own way, once */
      pages = pages_mapped();
  }
  assert_int_equal(pages_mapped(), pages);
  void *table = NULL;
  float want[1024];
  assert_int_equal(posenc_table_create(&table, plan, 131071, 1000, 0), POSENC_OK);
  assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
  assert_int_equal(posenc_fill(plan, 131071 + 999, 1, want, 1024), POSENC_OK);
  assert_memory_equal((float *)table + 999 * 1024, want, sizeof want);
  posenc_table_destroy(table);
  posenc_plan_destroy(plan);
}

int main(void) {
  for (size_t k = 0; k < sizeof freqs / sizeof freqs[0]; k++)
    freqs[k] = 1.0 / (double)(k + 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans),
      cmocka_unit_test(tables),
      cmocka_unit_test(filling),
      cmocka_unit_test(looking_up),
      cmocka_unit_test(as_stated),
      cmocka_unit_test(no_room),
  };
  return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
