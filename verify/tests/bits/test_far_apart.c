/* Rows 8 GiB apart. Only the pages of the rows are accessible, so an access between them is a crash. */
#define _GNU_SOURCE
#include "testing.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/call.h"
#include "formats.h"

static int64_t page;

enum { ROWS = 70 };
#define APART (INT64_C(1) << 33)

/* The page of row 0. The pages of the other rows follow, each APART from the one before. */
static unsigned char *far_rows;

static posenc_status call_with_stride(
    call_kind c, const posenc_plan *p, int64_t count, unsigned char *out, int64_t stride) {
  static const int64_t at[ROWS] = {131071, 3, -64, 63, 1 << 30};
  static const double reals[ROWS] = {0.5, -3.25, 1e6, 1e-9};
  const posenc_spec *s = posenc_plan_spec(p);
  unsigned char *const cosines = out + s->d_model / 2 * (int64_t)format_of(s->dtype)->size;
  arguments a = {c, p, 8150, count, at, reals, out, cosines, stride, NULL};
  return make_call(&a);
}

/* Checks rows that end where their page ends. The pages on both sides are inaccessible. Wide rows fill their page. */
static void check_far(call_kind c, const posenc_plan *p, int64_t count) {
  static unsigned char want[ROWS * 4096];
  const posenc_spec *s = posenc_plan_spec(p);
  const int64_t size = (int64_t)format_of(s->dtype)->size, bytes = s->d_model * size;
  unsigned char *const out = far_rows + page - bytes;
  memset(want, 0x3c, sizeof want);
  for (int64_t i = 0; i < count; i++)
    memset(far_rows + i * APART, 0x3c, (size_t)page);
  assert_int_equal(call_with_stride(c, p, count, want, s->d_model), POSENC_OK);
  assert_int_equal(call_with_stride(c, p, count, out, APART / size), POSENC_OK);
  for (int64_t i = 0; i < count; i++) {
    if (memcmp(out + i * APART, want + i * bytes, (size_t)bytes) != 0)
      fail_msg("%s, %s, call %d: row %lld of %lld, d_model %lld, is wrong", posenc_plan_impl(p), dtype_name(s->dtype),
          c, (long long)i, (long long)count, (long long)s->d_model);
    for (const unsigned char *b = far_rows + i * APART; b < out + i * APART; b++)
      assert_int_equal(*b, 0x3c);
  }
}

static void far_apart(void **state) {
  (void)state;
  assert_true(page >= 4096);
  unsigned char *const map =
      mmap(NULL, (ROWS + 1) * APART, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  assert_true(map != MAP_FAILED);
  far_rows = map + page;
  for (int64_t i = 0; i < ROWS; i++)
    assert_int_equal(mprotect(far_rows + i * APART, (size_t)page, PROT_READ | PROT_WRITE), 0);
  for (size_t m = 0; runnable(m); m++)
    for (int32_t i = 0; i < FORMATS * 4; i++) {
      /* rows of 4096 bytes, or about half of that */
      posenc_spec spec = paper_spec(4096 / (int64_t)format_of(i % FORMATS)->size);
      spec.dtype = i % FORMATS;
      spec.layout = i / FORMATS % 2;
      spec.d_model -= i / FORMATS / 2 ? 2040 / (int64_t)format_of(spec.dtype)->size + 3 : 0;
      if (!is_offered(&spec, runnable(m)->name))
        continue;
      posenc_plan *p = plan_of(&spec, runnable(m)->name);
      for (call_kind c = CALL_FILL; c < CALL_TABLE; c++)
        if (c != CALL_PAIR || spec.d_model % 2 == 0) /* its arrays are the halves of the rows here */
          check_far(c, p, i / FORMATS ? 4 : c == CALL_AT_REAL ? 6 : ROWS);
      posenc_plan_destroy(p);
    }
  munmap(map, (size_t)((ROWS + 1) * APART));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(far_apart)};
  page = (int64_t)sysconf(_SC_PAGESIZE);
  return cmocka_run_group_tests_name("far_apart", tests, NULL, NULL);
}
