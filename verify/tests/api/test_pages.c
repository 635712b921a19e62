/* Not one byte outside the rows is touched, nor read: tables that end where unreadable memory begins, and that begin
 * where it ends, for every remainder of every vector width. A touch is a crash.
 */
#define _DEFAULT_SOURCE
#include "testing.h"

#include <sys/mman.h>
#include <unistd.h>

enum { WIDEST = 70, ROWS = 3 };

static void pages(void **state) {
  (void)state;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *map = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(map != MAP_FAILED);
  assert_int_equal(mprotect(map, page, PROT_NONE), 0);
  assert_int_equal(mprotect(map + 2 * page, page, PROT_NONE), 0);
  assert_true(ROWS * WIDEST * sizeof(float) <= page);

  const int64_t positions[ROWS] = {131071, -64, 63};
  for (size_t m = 0; runnable(m); m++)
    for (int64_t d = 1; d <= WIDEST; d++) {
      const posenc_spec spec = posenc_spec_default(d);
      posenc_plan *plan = plan_of(&spec, runnable(m)->name);
      float want[ROWS * WIDEST];
      float *first = (float *)(void *)(map + page), *last = (float *)(void *)(map + 2 * page) - ROWS * d;
      float *places[] = {first, last};
      for (size_t i = 0; i < 2; i++) {
        assert_int_equal(posenc_fill(plan, 62, ROWS, want, d), POSENC_OK);
        assert_int_equal(posenc_fill(plan, 62, ROWS, places[i], d), POSENC_OK);
        assert_rows_equal(runnable(m)->name, places[i], want, ROWS, d, d, d);
        assert_int_equal(posenc_fill_at(plan, positions, ROWS, want, d), POSENC_OK);
        assert_int_equal(posenc_fill_at(plan, positions, ROWS, places[i], d), POSENC_OK);
        assert_rows_equal(runnable(m)->name, places[i], want, ROWS, d, d, d);
      }
      posenc_plan_destroy(plan);
    }
  munmap(map, 3 * page);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pages)};
  return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
