/* "A library built with optimisation uses less than 112 KiB of stack." The deepest path, an output that the
 * integers decide, is among them. Prints the most that is used. */
#include "testing.h"

#include <pthread.h>
#include <stdio.h>

#include "tools/call.h"
#include "formats.h"

enum {
  STATED = 112 << 10,
  PAINT = 0xa5,
  D = 512,
  ROWS = 200,
  HARD = 142401 /* at column 348, float64 does not decide: the fallback is called */
};

/* Makes every call with rows that begin at a cache line, and with rows that share one; and with a single row. */
static void *call_on_this_stack(void *plan) {
  static _Alignas(64) unsigned char memory[2 * (ROWS * D + 16) * sizeof(double)];
  static int64_t positions[ROWS];
  static double reals[ROWS];
  for (int i = 0; i < ROWS; i++) {
    positions[i] = HARD;
    reals[i] = HARD + (i % 2) * 0.5;
  }
  for (int i = 0; i <= 2 * CALL_TABLE; i++) {
    unsigned char *const out = memory + i % 2 * 16;
    const call_kind c = (call_kind)(i / 2 % CALL_TABLE);
    const int64_t rows = i == 2 * CALL_TABLE ? 1 : ROWS;
    arguments a = {c, plan, rows == 1 ? HARD : HARD - 100, rows, positions, reals, out,
        out + (size_t)ROWS * D * sizeof(double), D, NULL};
    if (make_call(&a) != POSENC_OK)
      return plan;
  }
  return NULL;
}

static void stack_as_stated(void **state) {
  (void)state;
  static _Alignas(4096) unsigned char stack[1 << 20]; /* the stack of all threads, one after the other */
  size_t clean = 0;                                   /* bytes that no thread has written */
  memset(stack, PAINT, sizeof stack);
  for (size_t m = 0; runnable(m); m++)
    for (int32_t i = 0; i < 2 * FORMATS; i++) {
      posenc_spec spec = paper_spec(D);
      spec.dtype = i / 2;
      spec.layout = i % 2;
      if (!is_offered(&spec, runnable(m)->name))
        continue;
      posenc_plan *plan = plan_of(&spec, runnable(m)->name);
      pthread_attr_t attributes;
      pthread_t thread;
      void *failed;
      assert_int_equal(pthread_attr_init(&attributes), 0);
      assert_int_equal(pthread_attr_setstack(&attributes, stack, sizeof stack), 0);
      assert_int_equal(pthread_create(&thread, &attributes, call_on_this_stack, plan), 0);
      assert_int_equal(pthread_join(thread, &failed), 0);
      assert_null(failed);
      pthread_attr_destroy(&attributes);
      posenc_plan_destroy(plan);
      for (clean = 0; stack[clean] == PAINT;)
        clean++;
      if (sizeof stack - clean > STATED)
        fail_msg("%s, dtype %d: %zu bytes of stack", runnable(m)->name, (int)spec.dtype, sizeof stack - clean);
    }
  printf("at most %zu bytes of stack; the header states %d\n", sizeof stack - clean, STATED);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stack_as_stated)};
  return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
