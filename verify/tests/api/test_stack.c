/* A fill uses no more stack than the header says, on its deepest way too: an output that the integers decide. */
#include "testing.h"

#include <pthread.h>
#include <stdio.h>

#ifdef __OPTIMIZE__
enum { ALLOWED = 112 << 10 };
#elif defined(__clang__)
enum { ALLOWED = 448 << 10 };
#else
enum { ALLOWED = 192 << 10 };
#endif

enum {
  D = 512,
  ROWS = 200,
  HARD = 142401 /* column 348 of this position is one of seven up to 2^20 (docs/exhaustive.md) */
};

static const posenc_plan *plan;
static unsigned char *out;
static int64_t positions[ROWS];
static double reals[ROWS];

static void *nothing(void *unused) { return unused; }
static void *fill(void *unused) {
  assert_int_equal(posenc_fill(plan, HARD - 100, ROWS, out, D), POSENC_OK);
  return unused;
}
static void *fill_at(void *unused) {
  assert_int_equal(posenc_fill_at(plan, positions, ROWS, out, D), POSENC_OK);
  return unused;
}
static void *single(void *unused) {
  assert_int_equal(posenc_fill(plan, HARD, 1, out, D), POSENC_OK);
  return unused;
}

static void *at_real(void *unused) {
  assert_int_equal(posenc_fill_at_real(plan, reals, ROWS, out, D), POSENC_OK);
  return unused;
}
static void *pair(void *unused) {
  assert_int_equal(
      posenc_fill_pair(plan, HARD - 100, ROWS, out, out + (size_t)ROWS * D * sizeof(float), D / 2), POSENC_OK);
  return unused;
}
static void *add(void *unused) {
  const posenc_status status = posenc_add(plan, HARD - 100, ROWS, out, D, 1.0, out, D);
  assert_true(status == POSENC_OK || status == POSENC_ERROR_UNSUPPORTED);
  return unused;
}
static void *add_two(void *unused) {
  const posenc_strides strides = {ROWS / 2 * D, D}; /* two halves of the rows */
  const posenc_status status = posenc_add_batch(plan, HARD - 100, ROWS / 2, 2, out, strides, 1.0, out, strides);
  assert_true(status == POSENC_OK || status == POSENC_ERROR_UNSUPPORTED);
  return unused;
}

/* Of a thread's painted stack, the bytes from the first that has changed. */
static size_t used(void *(*work)(void *)) {
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

static void measure(const posenc_impl *impl, const posenc_spec *spec, size_t nobody, size_t *most) {
  if (posenc_plan_check(spec, impl->name, NULL, 0) != POSENC_OK)
    return;
  posenc_plan *p = plan_of(spec, impl->name);
  plan = p;
  void *(*const works[])(void *) = {fill, fill_at, single, at_real, pair, add, add_two};
  for (int offset = 0; offset <= 16; offset += 16) { /* rows that begin at a line, and rows that share one */
    out += offset;
    for (size_t w = 0; w < sizeof works / sizeof works[0]; w++) {
      const size_t bytes = used(works[w]);
      *most = bytes > nobody + *most ? bytes - nobody : *most;
    }
    out -= offset;
  }
  posenc_plan_destroy(p);
}

static void no_more_than_stated(void **state) {
  (void)state;
  used(nothing); /* a first thread may need more, to look up functions */
  const size_t nobody = used(nothing);
  out = aligned_alloc(64, 2 * (ROWS * D + 16) * sizeof(double));
  memset(out, 0, 2 * (ROWS * D + 16) * sizeof(double));
  for (int i = 0; i < ROWS; i++) {
    positions[i] = HARD;
    reals[i] = HARD + (i % 2) * 0.5;
  }
  const int32_t dtypes[] = {POSENC_F32, POSENC_BF16, POSENC_F16};
  for (size_t m = 0; runnable(m); m++) {
    size_t most = 0;
    for (size_t i = 0; i < 6; i++) {
      posenc_spec spec = posenc_spec_default(D);
      spec.dtype = dtypes[i / 2];
      spec.layout = i % 2 ? POSENC_SPLIT : POSENC_INTERLEAVED;
      measure(runnable(m), &spec, nobody, &most);
    }
    printf("%-18s %zu bytes of stack\n", runnable(m)->name, most);
    if (most >= ALLOWED)
      fail_msg("%s: %zu bytes of stack, stated are less than %d", runnable(m)->name, most, ALLOWED);
  }
  free(out);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_more_than_stated)};
  return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
