/* posenc_table_create: the rows of posenc_fill, zeros where no row is, the alignment and the pages that are promised;
 * NULL where there is no memory.
 */
#define _DEFAULT_SOURCE
#include "testing.h"

#include <stdio.h>
#include <sys/mman.h>

/* The sanitizers' allocators end the process when they have no memory, unless told to return NULL as others do. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
const char *__tsan_default_options(void) { return "allocator_may_return_null=1"; }

enum { HUGE_PAGE = 1 << 21 };

static float *table_of(const posenc_plan *plan, int64_t first, int64_t count, int64_t row_stride) {
  void *table = NULL;
  char message[512] = "";
  if (posenc_table_check(plan, first, count, row_stride, message, sizeof message) != POSENC_OK)
    fail_msg("%s", message);
  assert_int_equal(posenc_table_create(&table, plan, first, count, row_stride), POSENC_OK);
  assert_non_null(table);
  const int64_t stride = row_stride ? row_stride : posenc_plan_spec(plan)->d_model;
  const size_t bytes = (size_t)count * (size_t)stride * sizeof(float);
  assert_int_equal((uintptr_t)table % (bytes < HUGE_PAGE ? 64 : HUGE_PAGE), 0);
  return table;
}

static void contents(void **state) {
  (void)state;
  const int64_t widths[] = {1, 7, 64, 129}, counts[] = {1, 2, 67}, firsts[] = {0, -5, 131071}, beyond[] = {0, 1, 37};
  for (size_t m = 0; runnable(m); m++)
    for (size_t i = 0; i < 4 * 3 * 3 * 3; i++) {
      const int64_t d = widths[i % 4], count = counts[i / 4 % 3], first = firsts[i / 12 % 3];
      const int64_t stride = d + beyond[i / 36];
      const posenc_spec spec = posenc_spec_default(d);
      posenc_plan *plan = plan_of(&spec, runnable(m)->name);
      float *want = calloc((size_t)(count * stride), sizeof *want);
      assert_non_null(want);
      assert_int_equal(posenc_fill(plan, first, count, want, stride), POSENC_OK);

      /* Memory that has been used before may come back, and holds no zeros then. */
      float *tables[2] = {NULL, table_of(plan, first, count, stride)};
      for (int64_t j = 0; j < count * stride; j++)
        tables[1][j] = 77.0f;
      posenc_table_destroy(tables[1]);
      for (size_t t = 0; t < 2; t++) {
        tables[t] = table_of(plan, first, count, stride);
        assert_rows_equal(runnable(m)->name, tables[t], want, count, stride, stride, stride);
      }
      if (stride == d) {
        float *packed = table_of(plan, first, count, 0);
        assert_rows_equal("row_stride 0", packed, want, count, d, d, d);
        posenc_table_destroy(packed);
      }
      posenc_plan_destroy(plan); /* the tables do not need it */
      assert_rows_equal("after the plan", tables[0], want, count, stride, stride, stride);
      posenc_table_destroy(tables[0]);
      posenc_table_destroy(tables[1]);
      free(want);
    }
}

/* Memory that has been used before may come back, and holds no zeros then. */
static void tables_of_every_dtype(void **state) {
  (void)state;
  if (!posenc_impl_supported(posenc_impl_find("anchored")))
    skip();                                                     /* no FMA; float64 from exact would take minutes */
  const int64_t shapes[][2] = {{7, 9}, {300, 64}, {40000, 45}}; /* rows, row_stride; the last takes huge pages */
  for (int32_t dtype = POSENC_F32; dtype <= POSENC_F16; dtype++)
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
      const int64_t count = shapes[i][0], stride = shapes[i][1];
      const size_t bytes = (size_t)(count * stride) * posenc_dtype_size((posenc_dtype)dtype);
      posenc_spec spec = posenc_spec_default(i ? 38 : 5);
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

/* All at once, so that no two can owe their alignment to the same lucky place. */
static void alignment(void **state) {
  (void)state;
  enum { TABLES = 64 };
  float *tables[TABLES];
  const posenc_spec spec = posenc_spec_default(3);
  posenc_plan *plan = plan_of(&spec, NULL);
  for (int i = 0; i < TABLES; i++)
    tables[i] = table_of(plan, 0, i, 0); /* checks it */
  for (int i = 0; i < TABLES; i++)
    posenc_table_destroy(tables[i]);
  const int64_t stride = HUGE_PAGE / sizeof(float) / 4;
  for (int64_t count = 3; count <= 5; count++) /* on both sides of a huge page, and one exactly */
    posenc_table_destroy(table_of(plan, 0, count, stride));
  posenc_plan_destroy(plan);
}

static void no_rows(void **state) {
  (void)state;
  const posenc_spec spec = posenc_spec_default(8);
  posenc_plan *plan = plan_of(&spec, NULL);
  const int64_t strides[] = {0, 8, INT64_MAX};
  for (size_t i = 0; i < 3; i++)
    posenc_table_destroy(table_of(plan, INT64_MAX, 0, strides[i])); /* first is of no row, as in posenc_fill */
  posenc_plan_destroy(plan);
  posenc_table_destroy(NULL);
}

/* More than any machine maps, though not more than a pointer difference can say. */
static void no_memory(void **state) {
  (void)state;
  const posenc_spec spec = posenc_spec_default(8);
  posenc_plan *plan = plan_of(&spec, NULL);
  const int64_t far = POSENC_MAX_POSITION, stride = PTRDIFF_MAX / (int64_t)sizeof(float) / far;
  void *table = plan;
  assert_int_equal(posenc_table_check(plan, -far, far, stride, NULL, 0), POSENC_OK);
  assert_int_equal(posenc_table_create(&table, plan, -far, far, stride), POSENC_ERROR_MEMORY);
  assert_null(table);
  posenc_plan_destroy(plan);
}

/* ---- large tables ---- */

/* 1 if the page is in a mapping that huge pages were asked for, by what Linux says of this process; else 0. */
static int huge_pages_asked(const void *page) {
  FILE *smaps = fopen("/proc/self/smaps", "r");
  char line[512];
  int inside = 0, asked = 0;
  while (smaps && fgets(line, sizeof line, smaps)) {
    unsigned long start, end;
    /* NOLINTNEXTLINE(cert-err34-c): the kernel's own numbers fit */
    if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
      inside = start <= (uintptr_t)page && (uintptr_t)page < end;
    else if (inside && strncmp(line, "VmFlags:", 8) == 0)
      asked = strstr(line, " hg") != NULL;
  }
  if (smaps)
    fclose(smaps);
  return asked;
}

/* Where asking shows at all: not every system has huge pages, and an emulator may not pass the question on. */
static int asking_shows(void) {
  int shows = 0;
#ifdef MADV_HUGEPAGE
  char *map = mmap(NULL, HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(map != MAP_FAILED);
  shows = !huge_pages_asked(map) && madvise(map, HUGE_PAGE, MADV_HUGEPAGE) == 0 && huge_pages_asked(map);
  munmap(map, HUGE_PAGE);
#endif
  return shows;
}

static void large(const posenc_spec *spec, const char *impl, int64_t count, int64_t stride, int huge) {
  posenc_plan *plan = plan_of(spec, impl);
  const int64_t d = spec->d_model;
  float *table = table_of(plan, -7, count, stride), *want = calloc((size_t)stride, sizeof *want);
  assert_true((size_t)(count * stride) * sizeof *table >= (size_t)64 << 20);
  assert_non_null(want);
  if (huge) {
    assert_true(huge_pages_asked(table));
    assert_true(huge_pages_asked(table + count * stride - 1));
  }
  enum { SPOTS = 67 };
  for (int64_t i = 0; i < SPOTS; i++) {
    const int64_t row = i * (count - 1) / (SPOTS - 1); /* from the first to the last */
    assert_int_equal(posenc_fill(plan, row - 7, 1, want, stride), POSENC_OK);
    for (int64_t c = d; c < stride; c++)
      assert_true(want[c] == 0.0f);
    assert_rows_equal(posenc_plan_impl(plan), table + row * stride, want, 1, stride, stride, stride);
  }
  free(want);
  posenc_table_destroy(table);
  posenc_plan_destroy(plan);
}

static void large_tables(void **state) {
  (void)state;
  const int huge = asking_shows();
  if (!huge)
    print_message("skipped: whether huge pages are asked for, which this system does not show\n");
  const posenc_spec wide = posenc_spec_default(1024), narrow = posenc_spec_default(10);
  large(&wide, NULL, 16385, 1024, huge);
  large(&narrow, "naive", 4099, 4096, huge); /* mostly zeros */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contents),
      cmocka_unit_test(tables_of_every_dtype),
      cmocka_unit_test(alignment),
      cmocka_unit_test(no_rows),
      cmocka_unit_test(no_memory),
      cmocka_unit_test(large_tables),
  };
  return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
