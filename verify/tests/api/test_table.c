/* "The table starts at a multiple of 64 bytes" (posenc_table_create), and "A hint about speed; no bit depends on it"
 * (table_rows). Other tests of tables are in
 *   test_elements.c        a table holds the rows of posenc_fill(), and so do the rows of posenc_fill_once()
 *   test_memory.c          huge pages, and memory that runs out
 *   test_refused_calls.c   tables without rows
 */
#include "testing.h"

#include "angle_addition/stream.h"
#include "formats.h"

enum { HUGE_PAGE = 1 << 21 };

static float *table_of(const posenc_plan *plan, int64_t first, int64_t count, int64_t row_stride) {
  void *table = NULL;
  assert_int_equal(posenc_table_create(&table, plan, first, count, row_stride), POSENC_OK);
  assert_non_null(table);
  const int64_t stride = row_stride ? row_stride : posenc_plan_spec(plan)->d_model;
  const size_t bytes = (size_t)count * (size_t)stride * sizeof(float);
  assert_int_equal((uintptr_t)table % (bytes < HUGE_PAGE ? 64 : HUGE_PAGE), 0);
  return table;
}

/* All tables exist at the same time, so that they lie at different addresses. */
static void alignment(void **state) {
  (void)state;
  enum { TABLES = 64 };
  float *tables[TABLES];
  const posenc_spec spec = paper_spec(3);
  posenc_plan *plan = plan_of(&spec, NULL);
  for (int i = 0; i < TABLES; i++)
    tables[i] = table_of(plan, 0, i, 0); /* checks the alignment */
  for (int i = 0; i < TABLES; i++)
    posenc_table_destroy(tables[i]);
  const int64_t stride = HUGE_PAGE / sizeof(float) / 4;
  for (int64_t count = 3; count <= 5; count++) /* less than a huge page, exactly one, and more */
    posenc_table_destroy(table_of(plan, 0, count, stride));
  posenc_plan_destroy(plan);
}

/* A dense table, and one that is mostly zeros. */
static void large_tables(void **state) {
  (void)state;
  enum { FIRST = -7 };
  static const int64_t shapes[][3] = {{1024, 16385, 1024}, {10, 4099, 4096}}; /* d_model, rows, row_stride */
  for (size_t i = 0; i < 2; i++) {
    const int64_t d = shapes[i][0], last = shapes[i][1] - 1, stride = shapes[i][2];
    const posenc_spec spec = paper_spec(d);
    posenc_plan *plan = plan_of(&spec, NULL);
    float *table = table_of(plan, FIRST, last + 1, stride), want[1024];
    assert_int_equal(posenc_fill(plan, FIRST + last, 1, want, d), POSENC_OK);
    posenc_plan_destroy(plan); /* the table does not need the plan */
    assert_rows_equal("the last row", table + last * stride, want, 1, d, stride, d);
    for (int64_t c = d; c < stride; c++)
      assert_true(table[last * stride + c] == 0.0f);
    posenc_table_destroy(table);
  }
}

/* Whether `count` rows of a table of table_rows rows are written around the caches. */
static int is_streamed(int64_t table_rows, int64_t columns, int64_t count) {
  const posenc_problem problem = {.table_rows = table_rows, .dtype = POSENC_DTYPE_F32};
  return is_large(&problem, &(posenc_rows){.count = count, .pairs = columns / 2});
}

/* table_rows, the rows of the whole table, decides whether a part is written around the caches and whether a plan keeps
 * rotations. It does not change any bit. */
static void parts(void **state) {
  (void)state;
  enum { D = 512, ROWS = 1100, LARGE = 1 << 15 };
  static _Alignas(64) unsigned char got[ROWS * D * sizeof(float) + 64], want[sizeof got];
  const int64_t large = POSENC_STREAM_BYTES / D / 4; /* rows */
  assert_true(is_streamed(0, D, large) && !is_streamed(0, D, large - 1));
  assert_true(is_streamed(large, D, ROWS) && is_streamed(LARGE, D, 1 << 9));
  if (large > ROWS) /* not where POSENC_STREAM_BYTES is set for tests */
    assert_false(is_streamed(large - 1, D, ROWS) || is_streamed(LARGE, D, (1 << 9) - 1));
  for (size_t m = 0; runnable(m); m++)
    for (int32_t i = 0; i < FORMATS * 4; i++) {
      posenc_spec spec = paper_spec(D);
      const int64_t hints[] = {0, 1, LARGE};
      spec.dtype = i / 4;
      spec.layout = i % 2;
      const size_t size = format_of(spec.dtype)->size, at = i % 4 < 2 ? 0 : size;
      if (spec.dtype == POSENC_DTYPE_F64 || !is_offered(&spec, runnable(m)->name))
        continue;
      for (int j = 0; j < 3; j++) {
        unsigned char *const out = j ? got : want;
        spec.table_rows = hints[j];
        posenc_plan *plan = plan_of(&spec, runnable(m)->name);
        assert_int_equal(posenc_plan_spec(plan)->table_rows, hints[j]);
        memset(out, 0x5a, sizeof got);
        assert_int_equal(posenc_fill(plan, -37, ROWS, out + at, D), POSENC_OK);
        if (j && memcmp(got, want, sizeof got) != 0)
          fail_msg("%s: dtype %d, layout %d, table_rows %d", runnable(m)->name, spec.dtype, spec.layout, (int)hints[j]);
        posenc_plan_destroy(plan);
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(alignment),
      cmocka_unit_test(large_tables),
      cmocka_unit_test(parts),
  };
  return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
