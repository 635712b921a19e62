/* A fill uses no more stack than the header says, on its deepest way too: an output that the integers decide. */
#include "testing.h"

#include <pthread.h>
#include <stdio.h>

#ifdef __OPTIMIZE__
enum { ALLOWED = 72 << 10 };
#else
enum { ALLOWED = 128 << 10 };
#endif

enum { D = 512, ROWS = 200, HARD = 142401 /* column 348 of this position is one of seven up to 2^20 (docs/exhaustive.md) */ };

static const posenc_plan *plan;
static float *out;
static int64_t positions[ROWS];

static void *nothing(void *unused) { return unused; }
static void *fill(void *unused)
{
  assert_int_equal(posenc_fill(plan, HARD - 100, ROWS, out, D), POSENC_OK);
  return unused;
}
static void *fill_at(void *unused)
{
  assert_int_equal(posenc_fill_at(plan, positions, ROWS, out, D), POSENC_OK);
  return unused;
}
static void *single(void *unused)
{
  assert_int_equal(posenc_fill(plan, HARD, 1, out, D), POSENC_OK);
  return unused;
}

/* Of a thread's painted stack, the bytes from the first that has changed. */
static size_t used(void *(*work)(void *))
{
  enum { BYTES = 1 << 20, PAINT = 0xa5 };
  unsigned char *stack = aligned_alloc(4096, BYTES);
  memset(stack, PAINT, BYTES);
  pthread_attr_t attributes;
  pthread_t thread;
  assert_int_equal(pthread_attr_init(&attributes), 0);
  assert_int_equal(pthread_attr_setstack(&attributes, stack, BYTES), 0);
  assert_int_equal(pthread_create(&thread, &attributes, work, NULL), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&attributes);
  size_t clean = 0;
  while (clean < BYTES && stack[clean] == PAINT)
    clean++;
  free(stack);
  return BYTES - clean;
}

static void no_more_than_stated(void **state)
{
  (void)state;
  used(nothing); /* a first thread may need more, to look up functions */
  const size_t nobody = used(nothing);
  out = aligned_alloc(64, (ROWS * D + 16) * sizeof *out);
  for (int i = 0; i < ROWS; i++)
    positions[i] = HARD;
  for (size_t m = 0; runnable(m); m++) {
    const posenc_spec spec = posenc_spec_default(D);
    posenc_plan *p = plan_of(&spec, runnable(m)->name);
    plan = p;
    void *(*const works[])(void *) = {fill, fill_at, single};
    size_t most = 0;
    for (int offset = 0; offset <= 4; offset += 4) { /* floats; rows that begin at a line, and rows that share one */
      out += offset;
      for (size_t w = 0; w < sizeof works / sizeof works[0]; w++) {
        const size_t bytes = used(works[w]);
        most = bytes > nobody + most ? bytes - nobody : most;
      }
      out -= offset;
    }
    printf("%-18s %zu bytes of stack\n", runnable(m)->name, most);
    if (most >= ALLOWED)
      fail_msg("%s: %zu bytes of stack, stated are less than %d", runnable(m)->name, most, ALLOWED);
    posenc_plan_destroy(p);
  }
  free(out);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_more_than_stated)};
  return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
