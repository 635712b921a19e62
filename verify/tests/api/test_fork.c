/* fork: a plan made before it is the same plan in the child; a child of a process whose threads fill and make plans can
 * do all that its parent can, for nothing in the library is locked while it is forked.
 */
#define _DEFAULT_SOURCE
#include "testing.h"
#include "thinned.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 100, D = 70, THREADS = 3 };

static float want[ROWS * D], got[ROWS * D];
static int64_t first = -50;

/* The child's: nothing of the test framework, which is the parent's. 0: fine. */
static int fill_and_compare(const posenc_plan *plan) {
  float rows[3 * D];
  const int64_t at[3] = {first + 7, first + 99, first};
  if (posenc_fill(plan, first, ROWS, got, D) != POSENC_OK || memcmp(got, want, sizeof want) != 0)
    return 10;
  if (posenc_fill_at(plan, at, 3, rows, D) != POSENC_OK || memcmp(rows + D, want + 99 * D, D * sizeof *rows) != 0)
    return 11;
  return 0;
}

static int make_and_compare(const char *impl) {
  const posenc_spec spec = paper_spec(D);
  posenc_plan *plan;
  void *table;
  if (posenc_plan_create(&plan, &spec, impl) != POSENC_OK)
    return 20;
  const int failed = fill_and_compare(plan);
  if (posenc_table_create(&table, plan, first, ROWS, 0) != POSENC_OK || memcmp(table, want, sizeof want) != 0)
    return 21;
  posenc_table_destroy(table);
  posenc_plan_destroy(plan);
  return failed;
}

/* Its work in a child; the parent works meanwhile. */
static void in_a_child(const posenc_plan *plan) {
  const char *const impl = posenc_plan_impl(plan);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    memset(got, 0, sizeof got);
    const int failed = fill_and_compare(plan);
    _exit(failed ? failed : make_and_compare(impl));
  }
  int status;
  const int failed = fill_and_compare(plan);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(failed, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail_msg("%s: the child ended with %d, signal %d", impl, WEXITSTATUS(status),
        WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static atomic_int stop, failures;

/* Makes and uses plans, as a child does while its parent goes on. */
static void *busy(void *unused) {
  const posenc_spec spec = paper_spec(D);
  while (!stop) {
    posenc_plan *own = NULL;
    void *table = NULL;
    failures += posenc_plan_create(&own, &spec, NULL) != POSENC_OK ||
                posenc_table_create(&table, own, first, ROWS, 0) != POSENC_OK;
    posenc_table_destroy(table);
    posenc_plan_destroy(own);
  }
  return unused;
}

static void among_threads(void **state) {
  (void)state;
  const posenc_spec spec = paper_spec(D);
  const int n = THINNED ? 0 : THREADS; /* an emulator may hang when it forks with threads about */
  pthread_t threads[THREADS];
  for (int i = 0; i < n; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, busy, NULL), 0);
  for (size_t m = 0; runnable(m); m++) {
    posenc_plan *plan = plan_of(&spec, runnable(m)->name);
    assert_int_equal(posenc_fill(plan, first, ROWS, want, D), POSENC_OK);
    in_a_child(plan);
    posenc_plan_destroy(plan);
  }
  stop = 1;
  for (int i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
  assert_int_equal(failures, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(among_threads)};
  return cmocka_run_group_tests_name("fork", tests, NULL, NULL);
}
