/* In an optimised build, a fill uses no more stack than the header says, on its deepest way too: an output that the integers
 * decide. */
#include "testing.h"

#include <pthread.h>
#include <stdio.h>

#include "call.h"

enum {
  ALLOWED = 112 << 10,
  D = 512,
  ROWS = 200,
  HARD = 142401 /* column 348 of this position is one of seven up to 2^20 (docs/exhaustive.md) */
};

static void *nothing(void *unused) { return unused; }
static void *call_it(void *data) {
  arguments *a = data;
  const posenc_status status = make_call(a);
  assert_true(status == POSENC_OK || (status == POSENC_ERROR_UNSUPPORTED && a->call >= ADD));
  return NULL;
}

/* Of a thread's painted stack, the bytes from the first that has changed. */
static size_t used(void *(*work)(void *), void *data) {
  enum { BYTES = 1 << 20, PAINT = 0xa5 };
  unsigned char *stack = aligned_alloc(4096, BYTES);
  memset(stack, PAINT, BYTES);
  pthread_attr_t attributes;
  pthread_t thread;
  assert_int_equal(pthread_attr_init(&attributes), 0);
  assert_int_equal(pthread_attr_setstack(&attributes, stack, BYTES), 0);
  assert_int_equal(pthread_create(&thread, &attributes, work, data), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&attributes);
  size_t clean = 0;
  while (clean < BYTES && stack[clean] == PAINT)
    clean++;
  free(stack);
  return BYTES - clean;
}

/* Rows that begin at a line, and rows that share one; of a batch, two halves of the rows; and a single row. */
static size_t most_used(const posenc_plan *plan, unsigned char *memory) {
  static int64_t positions[ROWS];
  static double reals[ROWS];
  size_t most = 0;
  for (int i = 0; i < ROWS; i++) {
    positions[i] = HARD;
    reals[i] = HARD + (i % 2) * 0.5;
  }
  for (int i = 0; i <= 2 * TABLE; i++) {
    unsigned char *const out = memory + i % 2 * 16;
    const call c = (call)(i / 2 % TABLE);
    const int64_t rows = i == 2 * TABLE ? 1 : c == ADD_BATCH ? ROWS / 2 : ROWS;
    arguments a = {c, plan, rows == 1 ? HARD : HARD - 100, rows, 2, positions, reals, out, 1.0, out,
        out + (size_t)ROWS * D * sizeof(float), {ROWS / 2 * D, D}, {ROWS / 2 * D, D}, NULL};
    const size_t bytes = used(call_it, &a);
    most = bytes > most ? bytes : most;
  }
  return most;
}

static void no_more_than_stated(void **state) {
  (void)state;
  used(nothing, NULL); /* a first thread may need more, to look up functions */
  const size_t nobody = used(nothing, NULL);
  static _Alignas(64) unsigned char memory[2 * (ROWS * D + 16) * sizeof(double)];
  const int32_t dtypes[] = {POSENC_DTYPE_F32, POSENC_DTYPE_BF16, POSENC_DTYPE_F16};
  for (size_t m = 0; runnable(m); m++) {
    size_t most = 0;
    for (size_t i = 0; i < 6; i++) {
      posenc_spec spec = paper_spec(D);
      spec.dtype = dtypes[i / 2];
      spec.layout = i % 2 ? POSENC_LAYOUT_SPLIT : POSENC_LAYOUT_INTERLEAVED;
      if (!is_offered(&spec, runnable(m)->name))
        continue;
      posenc_plan *plan = plan_of(&spec, runnable(m)->name);
      const size_t bytes = most_used(plan, memory);
      most = bytes > nobody + most ? bytes - nobody : most;
      posenc_plan_destroy(plan);
    }
    printf("%-18s %zu bytes of stack\n", runnable(m)->name, most);
    if (most >= ALLOWED)
      fail_msg("%s: %zu bytes of stack, stated are less than %d", runnable(m)->name, most, ALLOWED);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_more_than_stated)};
  return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
