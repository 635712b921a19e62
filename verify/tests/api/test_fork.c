/* "On systems with fork(), the child may call these four": after fork(), fills give the child the same bits as the parent, with a plan that was made before. This holds
 * while other threads of the parent fill and make plans.
 */
#define _DEFAULT_SOURCE
#include "testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call.h"

enum { ROWS = 100, D = 70, THREADS = 3 };

static float out[TABLE][ROWS * D]; /* one for each call */

/* Returns whether all calls succeed. */
static int fill_all(const posenc_plan *plan) {
  static const int64_t at[ROWS] = {131071, -5, 7};
  static const double reals[ROWS] = {0.5, -1e-3, 131071.5};
  for (call c = FILL; c < TABLE; c++) {
    arguments a = {c, plan, -50, ROWS, at, reals, out[c], out[c] + D / 2, D, NULL};
    if (make_call(&a) != POSENC_OK)
      return 0;
  }
  return 1;
}

static void fork_and_compare(const posenc_plan *plan) {
  static float parents[TABLE][ROWS * D];
  int status;
  assert_true(fill_all(plan));
  memcpy(parents, out, sizeof out);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) { /* the child may not use the test framework, which is the parent's */
    memset(out, 0, sizeof out);
    _exit(!fill_all(plan) || memcmp(out, parents, sizeof out) != 0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail_msg("%s: the child ended with %d, signal %d", posenc_plan_impl(plan), WEXITSTATUS(status),
        WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static atomic_int stop, failures;

static void *make_plans(void *unused) {
  const posenc_spec spec = paper_spec(D);
  while (!stop) {
    posenc_plan *own = NULL;
    void *table = NULL;
    failures += posenc_plan_create(&own, &spec, NULL) != POSENC_OK ||
                posenc_table_create(&table, own, -50, ROWS, 0) != POSENC_OK;
    posenc_table_destroy(table);
    posenc_plan_destroy(own);
  }
  return unused;
}

static void among_threads(void **state) {
  (void)state;
  const posenc_spec spec = paper_spec(D);
  const int n = THINNED ? 0 : THREADS; /* an emulator may hang when a process with threads forks */
  pthread_t threads[THREADS];
  for (int i = 0; i < n; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, make_plans, NULL), 0);
  for (size_t m = 0; runnable(m); m++) {
    posenc_plan *plan = plan_of(&spec, runnable(m)->name);
    fork_and_compare(plan);
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
