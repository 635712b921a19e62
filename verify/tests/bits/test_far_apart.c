/* Tables larger than memory.
 *
 *   test_far_apart            rows 8 GiB apart. Only the pages of the rows are accessible, so an access between them
 *                             is a crash.
 *   test_far_apart 1 large    dense tables of more than 2^32 elements and of more bytes than the machine has. The same
 *                             pages are mapped many times. Rows at the beginning, in the middle and at the end have
 *                             pages of their own, and all their bits are compared. Takes seconds.
 */
#define _GNU_SOURCE
#include "testing.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "call.h"
#include "formats.h"

static int64_t page;

static unsigned char *reserve(int64_t bytes) {
  unsigned char *map = mmap(NULL, (size_t)bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED)
    fail_msg("cannot reserve %lld bytes of addresses", (long long)bytes);
  return map;
}

/* ---- rows far apart ---- */

enum { ROWS = 70 };
#define APART (INT64_C(1) << 33)

/* The page of row 0. The pages of the other rows follow, each APART from the one before. */
static unsigned char *far_rows;

static posenc_status call_with_stride(call c, const posenc_plan *p, int64_t count, unsigned char *out, int64_t stride) {
  static const int64_t at[ROWS] = {131071, 3, -64, 63, 1 << 30};
  static const double reals[ROWS] = {0.5, -3.25, 1e6, 1e-9};
  const posenc_spec *s = posenc_plan_spec(p);
  unsigned char *const cosines = out + s->d_model / 2 * (int64_t)format_of(s->dtype)->size;
  arguments a = {c, p, 8150, count, at, reals, out, cosines, stride, NULL};
  return make_call(&a);
}

/* Checks rows that end where their page ends. The pages on both sides are inaccessible. Wide rows fill their page. */
static void check_far(call c, const posenc_plan *p, int64_t count) {
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
  unsigned char *const map = reserve((ROWS + 1) * APART);
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
      for (call c = FILL; c < TABLE; c++)
        if (c != PAIR || spec.d_model % 2 == 0) /* its arrays are the halves of the rows here */
          check_far(c, p, i / FORMATS ? 4 : c == AT_REAL ? 6 : ROWS);
      posenc_plan_destroy(p);
    }
  munmap(map, (size_t)((ROWS + 1) * APART));
}

/* ---- more than the machine's memory ---- */

/* Chunks of CHUNK bytes. The first, the middle and the last (OWN of them) have their own memory. All others share one
 * chunk. */
enum { CHUNK = 1 << 25, OWN = 3 };

static void check_dense(int32_t dtype, int64_t d_model, int64_t least) {
  posenc_spec spec = paper_spec(d_model);
  spec.dtype = dtype;
  posenc_plan *p = plan_of(&spec, NULL);
  const int64_t row = d_model * (int64_t)format_of(dtype)->size, chunks = least / CHUNK + 1,
                count = chunks * (CHUNK / row);
  const int64_t own[OWN] = {0, chunks / 2, chunks - 1};
  assert_int_equal(CHUNK % row, 0);
  assert_true(count * d_model > INT64_C(1) << 32 && count * row > least);
  unsigned char *map = reserve(chunks * CHUNK), *want = malloc((size_t)row);
  const int fd = memfd_create("posenc", MFD_CLOEXEC);
  assert_true(fd >= 0 && ftruncate(fd, (OWN + 1) * (off_t)CHUNK) == 0);
  for (int64_t i = 0; i < chunks; i++) {
    const off_t offset = CHUNK * (i == own[0] ? 0 : i == own[1] ? 1 : i == own[2] ? 2 : (off_t)OWN);
    void *const at = map + i * CHUNK;
    assert_ptr_equal(mmap(at, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, offset), at);
  }
  assert_int_equal(posenc_fill(p, -7, count, map, d_model), POSENC_OK);
  for (int j = 0; j < OWN; j++)
    for (int64_t i = own[j] * (CHUNK / row); i < (own[j] + 1) * (CHUNK / row); i++) {
      assert_int_equal(posenc_fill(p, i - 7, 1, want, d_model), POSENC_OK);
      if (memcmp(want, map + i * row, (size_t)row) != 0)
        fail_msg("%s: row %lld of %lld is wrong", dtype_name(dtype), (long long)i, (long long)count);
    }
  printf("%s: %lld rows of %lld, %.1f GiB\n", dtype_name(dtype), (long long)count, (long long)d_model,
      (double)(count * row) * 0x1p-30);
  munmap(map, (size_t)(chunks * CHUNK));
  close(fd);
  free(want);
  posenc_plan_destroy(p);
}

static void dense(void **state) {
  (void)state;
  const int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * page;
  check_dense(POSENC_DTYPE_BF16, 1024, (INT64_C(1) << 33) + 1);
  check_dense(POSENC_DTYPE_F32, 512, memory > INT64_C(1) << 34 ? memory : INT64_C(1) << 34);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(far_apart)}, large[] = {cmocka_unit_test(dense)};
  page = (int64_t)sysconf(_SC_PAGESIZE);
  if (argc > 2 && strcmp(argv[2], "large") == 0)
    return cmocka_run_group_tests_name("far_apart_large", large, NULL, NULL);
  return cmocka_run_group_tests_name("far_apart", tests, NULL, NULL);
}
