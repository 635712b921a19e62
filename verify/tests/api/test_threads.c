/* "Every function may be called from any thread; a plan is immutable and may be shared by all of them." All threads make
 * the first call into the library at the same time, so that ThreadSanitizer sees any state of first use. Later they fill
 * disjoint rows of one table with one plan, and a child process fills while they make plans.
 */
#include "testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/call.h"

enum { THREADS = 4, ROWS = 256, D = 48 };

static pthread_barrier_t start;

typedef struct job {
  const posenc_plan *plan; /* NULL: the thread makes its own */
  float *table;
  int64_t first, count;
  int ok;
} job;

static void *fill_share(void *data) {
  job *j = data;
  posenc_plan *own = NULL;
  pthread_barrier_wait(&start);
  if (!j->plan) {
    const posenc_spec spec = paper_spec(D);
    j->ok = posenc_plan_create(&own, &spec, NULL) == POSENC_OK;
  }
  const posenc_plan *plan = own ? own : j->plan;
  j->ok = j->ok && posenc_fill(plan, j->first, j->count, j->table + j->first * D, D) == POSENC_OK;
  posenc_plan_destroy(own);
  return NULL;
}

static void run_threads(job *jobs) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    jobs[i].ok = 1;
    if (pthread_create(&threads[i], NULL, fill_share, &jobs[i]) != 0)
      fail_msg("cannot start a thread");
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    assert_true(jobs[i].ok);
  }
}

/* The table begins 16 bytes after a line, as memory of malloc() does: parts share lines. Builds with sanitizers stream it. */
static float memory[4 + ROWS * D] __attribute__((aligned(64))), *const table = memory + 4, alone[ROWS * D];

/* Must run first: no function of the library has been called before. */
static void first_use(void **state) {
  (void)state;
  job jobs[THREADS];
  for (int i = 0; i < THREADS; i++)
    jobs[i] = (job){NULL, table, i * (ROWS / THREADS), ROWS / THREADS, 1};
  run_threads(jobs);
  const posenc_spec spec = paper_spec(D);
  posenc_plan *plan = plan_of(&spec, NULL);
  assert_int_equal(posenc_fill(plan, 0, ROWS, alone, D), POSENC_OK);
  assert_rows_equal("first use", table, alone, ROWS, D, D, D);
  posenc_plan_destroy(plan);
}

static void shared_plan(void **state) {
  (void)state;
  const posenc_spec spec = paper_spec(D);
  for (size_t m = 0; runnable(m); m++) {
    posenc_plan *plan = plan_of(&spec, runnable(m)->name);
    assert_int_equal(posenc_fill(plan, 0, ROWS, alone, D), POSENC_OK);
    memset(memory, 0, sizeof memory);
    job jobs[THREADS]; /* uneven parts; only the first begins at a multiple of 64 */
    const int64_t cuts[THREADS + 1] = {0, 37, 100, 101, ROWS};
    for (int i = 0; i < THREADS; i++)
      jobs[i] = (job){plan, table, cuts[i], cuts[i + 1] - cuts[i], 1};
    run_threads(jobs);
    assert_rows_equal(runnable(m)->name, table, alone, ROWS, D, D, D);
    posenc_plan_destroy(plan);
  }
}

/* ---- fork ---- */

static float out[CALL_TABLE][ROWS * D]; /* one for each call */

/* Returns whether all calls succeed. */
static int fill_all(const posenc_plan *plan) {
  static const int64_t at[ROWS] = {131071, -5, 7};
  static const double reals[ROWS] = {0.5, -1e-3, 131071.5};
  for (call_kind c = CALL_FILL; c < CALL_TABLE; c++) {
    arguments a = {c, plan, -50, ROWS, at, reals, out[c], out[c] + D / 2, D, NULL};
    if (make_call(&a) != POSENC_OK)
      return 0;
  }
  return 1;
}

static void fork_and_compare(const posenc_plan *plan) {
  static float parents[CALL_TABLE][ROWS * D];
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
    void *made = NULL;
    failures += posenc_plan_create(&own, &spec, NULL) != POSENC_OK ||
                posenc_table_create(&made, own, -50, ROWS, 0) != POSENC_OK;
    posenc_table_destroy(made);
    posenc_plan_destroy(own);
  }
  return unused;
}

/* "On systems with fork() the child may call them": with a plan of the parent, it gets the parent's bits. */
static void forked(void **state) {
  (void)state;
  const posenc_spec spec = paper_spec(D);
  const int n = THINNED ? 0 : THREADS; /* sanitizers and emulators may hang when a process with threads forks */
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
  pthread_barrier_init(&start, NULL, THREADS);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_use), cmocka_unit_test(shared_plan), cmocka_unit_test(forked)};
  return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
