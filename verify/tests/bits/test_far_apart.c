/* Tables larger than memory. Rows 8 GiB apart in a range of which only their own pages may be touched: a touch of
 * anything between them is a crash. And dense tables of more than 2^32 elements, and of more bytes than the machine
 * has, by the same pages mapped again and again behind each other; rows of their beginning, middle and end have pages
 * of their own, and are compared bit for bit.
 *
 *   test_far_apart                the first
 *   test_far_apart 1 large        the second: seconds
 */
#define _GNU_SOURCE
#include "testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats.h"

static int64_t page;

/* A file of so many bytes in memory, to be mapped more than once. */
static int pages_of(size_t bytes) {
  const int fd = memfd_create("posenc", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
    fail_msg("no memory to map");
  return fd;
}

static unsigned char *reserve(int64_t bytes) {
  unsigned char *map = mmap(NULL, (size_t)bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED)
    fail_msg("no range of %lld bytes", (long long)bytes);
  return map;
}

static void map_at(unsigned char *address, int64_t bytes, int fd, int64_t offset) {
  void *map = mmap(address, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)offset);
  if (map != address)
    fail_msg("a page could not be mapped");
}

/* ---- rows far apart ---- */

enum { ROWS = 70 };
#define APART (INT64_C(1) << 33)

typedef struct far_rows {
  unsigned char *first; /* page of row 0; the others are APART from each other */
  int fd;
} far_rows;

static far_rows far_rows_create(int64_t rows) {
  far_rows f = {reserve((rows + 1) * APART) + page, pages_of((size_t)(rows * page))};
  for (int64_t i = 0; i < rows; i++)
    map_at(f.first + i * APART, page, f.fd, i * page);
  return f;
}

typedef enum call { FILL, AT, AT_REAL, PAIR, ADD, ADD_BATCH, CALLS } call;

static posenc_status make(call c, const posenc_plan *p, int64_t count, unsigned char *out, int64_t stride) {
  static const int64_t at[ROWS] = {131071, 3, -64, 63, 1 << 30};
  static const double reals[ROWS] = {0.5, -3.25, 1e6, 1e-9};
  const int64_t d = posenc_plan_spec(p)->d_model, size = (int64_t)format_of(posenc_plan_spec(p)->dtype)->size;
  const posenc_strides strides = {stride, stride * 2}; /* a batch of two: every other row is of each */
  switch (c) {
  case FILL:
    return posenc_fill(p, 8150, count, out, stride);
  case AT:
    return posenc_fill_at(p, at, count, out, stride);
  case AT_REAL:
    return posenc_fill_at_real(p, reals, count, out, stride);
  case PAIR:
    return posenc_fill_pair(p, -9, count, out, out + d / 2 * size, stride);
  case ADD:
    return posenc_add(p, 8150, count, out, stride, 0.5, out, stride);
  default:
    return posenc_add_batch(p, 8150, count / 2, 2, out, strides, 0.5, out, strides);
  }
}

/* Rows that fill their page, with another on both sides that may not be touched; and rows that end where it ends. */
static void check_far(const far_rows *f, call c, const posenc_plan *p, int64_t count) {
  static unsigned char want[ROWS * 4096];
  const posenc_spec *s = posenc_plan_spec(p);
  const int64_t size = (int64_t)format_of(s->dtype)->size, bytes = s->d_model * size;
  unsigned char *const out = f->first + page - bytes;
  memset(want, 0x3c, sizeof want);
  for (int64_t i = 0; i < count; i++)
    memset(f->first + i * APART, 0x3c, (size_t)page);
  const posenc_status status = make(c, p, count, want, s->d_model);
  assert_true(status == POSENC_OK || (status == POSENC_ERROR_UNSUPPORTED && c >= ADD));
  assert_int_equal(make(c, p, count, out, APART / size), status);
  for (int64_t i = 0; i < count; i++) {
    if (memcmp(out + i * APART, want + i * bytes, (size_t)bytes) != 0)
      fail_msg("%s, %s, call %d: row %lld of %lld, d_model %lld, is another", posenc_plan_impl(p), dtype_name(s->dtype),
          c, (long long)i, (long long)count, (long long)s->d_model);
    for (const unsigned char *b = f->first + i * APART; b < out + i * APART; b++)
      assert_int_equal(*b, 0x3c);
  }
}

static void far_apart(void **state) {
  (void)state;
  const far_rows f = far_rows_create(ROWS);
  assert_true(page >= 4096);
  for (size_t m = 0; runnable(m); m++)
    for (int32_t i = 0; i < FORMATS * 4; i++) {
      posenc_spec spec = posenc_spec_default(
          4096 / (int64_t)format_of(i % FORMATS)->size); /* of its page, where pages are no larger */
      spec.dtype = i % FORMATS;
      spec.layout = i / FORMATS % 2;
      spec.d_model -= i / FORMATS / 2 ? 2040 / (int64_t)format_of(spec.dtype)->size + 3 : 0;
      if (posenc_plan_check(&spec, runnable(m)->name, NULL, 0) != POSENC_OK)
        continue;
      posenc_plan *p = plan_of(&spec, runnable(m)->name);
      for (call c = FILL; c < CALLS; c++)
        if (c != PAIR || spec.d_model % 2 == 0) /* whose arrays are the halves of the rows here */
          check_far(&f, c, p, i / FORMATS ? 4 : c == AT_REAL ? 6 : ROWS);
      posenc_plan_destroy(p);
    }
  munmap(f.first - page, (size_t)((ROWS + 1) * APART));
  close(f.fd);
}

/* ---- more than there is ---- */

enum {
  CHUNK = 1 << 25,
  OWN = 3
}; /* bytes; the first, the middle and the last have pages of their own, all others one's */

static void check_dense(int32_t dtype, int64_t d_model, int64_t least) {
  posenc_spec spec = posenc_spec_default(d_model);
  spec.dtype = dtype;
  posenc_plan *p = plan_of(&spec, NULL);
  const int64_t row = d_model * (int64_t)format_of(dtype)->size, chunks = least / CHUNK + 1,
                count = chunks * (CHUNK / row);
  const int64_t own[OWN] = {0, chunks / 2, chunks - 1};
  assert_int_equal(CHUNK % row, 0);
  assert_true(count * d_model > INT64_C(1) << 32 && count * row > least);
  unsigned char *map = reserve(chunks * CHUNK), *want = malloc((size_t)row);
  const int fd = pages_of((OWN + 1) * (size_t)CHUNK);
  for (int64_t i = 0; i < chunks; i++)
    map_at(map + i * CHUNK, CHUNK, fd, CHUNK * (i == own[0] ? 0 : i == own[1] ? 1 : i == own[2] ? 2 : INT64_C(3)));
  assert_int_equal(posenc_fill(p, -7, count, map, d_model), POSENC_OK);
  for (int j = 0; j < OWN; j++)
    for (int64_t i = own[j] * (CHUNK / row); i < (own[j] + 1) * (CHUNK / row); i++) {
      assert_int_equal(posenc_fill(p, i - 7, 1, want, d_model), POSENC_OK);
      if (memcmp(want, map + i * row, (size_t)row) != 0)
        fail_msg("%s: row %lld of %lld is another", dtype_name(dtype), (long long)i, (long long)count);
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
  check_dense(POSENC_BF16, 1024, (INT64_C(1) << 33) + 1);
  check_dense(POSENC_F32, 512, memory > INT64_C(1) << 34 ? memory : INT64_C(1) << 34);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(far_apart)}, large[] = {cmocka_unit_test(dense)};
  page = (int64_t)sysconf(_SC_PAGESIZE);
  if (argc > 2 && strcmp(argv[2], "large") == 0)
    return cmocka_run_group_tests_name("far_apart_large", large, NULL, NULL);
  return cmocka_run_group_tests_name("far_apart", tests, NULL, NULL);
}
