/* Counts the cache lines that the AVX2 kernels have begun with non-temporal stores and not completed. Processors buffer
 * few such lines, and on some a loop that begins more of them is several times slower (impl/README.md).
 *
 * The kernels' headers are compiled here with a recorder around these stores. After each store it counts the lines of
 * which some but not all of the 64 bytes were stored. It keeps the stored values, so that a later store of another
 * value to a streamed element is seen; a store of the same value is not. Each value is compared with the
 * library's, in a table whose pairs are interleaved.
 *
 * This file is compiled twice, as exact_avx2 and as anchored_avx2.
 */
#include <immintrin.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* testing.h declares names that the kernels have, too */

#include "posenc.h"

typedef struct begun_line {
  uintptr_t at;
  uint64_t bytes; /* a bit for each byte that was stored */
} begun_line;

enum { LINES = 4096, TABLE = 6 << 20, UNWRITTEN = 0x5a };
static begun_line begun[LINES];
static int n_begun, most_begun, stored_twice;
static unsigned char elements_out[TABLE] __attribute__((aligned(4096))), kept[TABLE], is_kept[TABLE];
static double expected[TABLE / sizeof(double)]; /* aligned for every dtype */

static void record(void *to, const void *from, size_t size) {
  const uintptr_t at = (uintptr_t)to & ~(uintptr_t)63, in_table = (uintptr_t)to - (uintptr_t)elements_out;
  int i = 0;
  memcpy(to, from, size);
  for (begun[n_begun] = (begun_line){at, 0}; begun[i].at != at; i++)
    ;
  n_begun += i == n_begun;
  assert_true(n_begun < LINES);
  begun[i].bytes |= ((UINT64_C(1) << size) - 1) << ((uintptr_t)to & 63); /* vectors have 16 or 32 bytes */
  if (begun[i].bytes == UINT64_MAX)
    begun[i] = begun[--n_begun];
  most_begun = n_begun > most_begun ? n_begun : most_begun;
  for (size_t j = 0; in_table < TABLE && j < size; j++) {
    stored_twice += is_kept[in_table + j];
    is_kept[in_table + j] = 1;
    kept[in_table + j] = elements_out[in_table + j];
  }
}

#define RECORDED(name, element, vector)                                                                                \
  static void recorded_##name(element *to, vector a) { record(to, &a, sizeof a); }
RECORDED(ps, float, __m256)
RECORDED(pd, double, __m256d)
RECORDED(si128, __m128i, __m128i)
#define _mm256_stream_ps recorded_ps
#define _mm256_stream_pd recorded_pd
#define _mm_stream_si128 recorded_si128

#undef POSENC_STREAM_BYTES
#define POSENC_STREAM_BYTES 16384 /* small tables are streamed too */
#include "angle_addition/rows.h"
#include "api/internal.h"

typedef struct shape {
  posenc_dtype dtype;
  int64_t d_model, first, rows, offset;
  int split;
  int64_t gap; /* columns between rows */
  int two;     /* with split: 1: two arrays, the second in the other half of the memory */
} shape;

/* The number of elements that were streamed and then stored again with another value. */
static int64_t stored_again(size_t size) {
  int64_t n = 0;
  for (size_t i = 0; i < TABLE; i += size)
    n += is_kept[i] && memcmp(elements_out + i, kept + i, size) != 0;
  return n;
}

/* Compares each element with that of an interleaved table. Column c of a split row of n columns is column 2c there, or
 * column 2c - n + 1 in the second half. All other bytes are as they were. */
static void check_values(const posenc_spec *spec, shape s) {
  const size_t size = posenc_dtype_size(s.dtype);
  const int64_t n = s.d_model;
  assert_int_equal(posenc_fill_once(spec, POSENC_STR(POSENC_NAME), s.first, s.rows, expected, n), POSENC_OK);
  for (int64_t i = 0; i < s.rows; i++)
    for (int64_t c = 0; c < n; c++) {
      const int64_t from = !s.split ? c : 2 * c < n ? 2 * c : 2 * c - n + 1;
      const int64_t at = s.two ? i * n / 2 + c % (n / 2) : i * (n + s.gap) + c;
      unsigned char *const got = elements_out + s.offset + (size_t)at * size + (s.two && 2 * c >= n ? TABLE / 2 : 0);
      if (memcmp(got, (unsigned char *)expected + (size_t)(i * n + from) * size, size) != 0)
        fail_msg("row %lld, column %lld: another value than the library's", (long long)i, (long long)c);
      memset(got, UNWRITTEN, size);
    }
  for (size_t i = 0; i < TABLE; i++)
    if (elements_out[i] != UNWRITTEN)
      fail_msg("byte %zd is written", (ptrdiff_t)i - (ptrdiff_t)s.offset);
}

static void check_shape(shape s) {
  posenc_spec spec;
  assert_int_equal(posenc_spec_init(&spec, s.d_model, NULL), POSENC_OK);
  spec.dtype = (int32_t)s.dtype;
  const posenc_problem problem = posenc_problem_of(&spec);
  const size_t size = posenc_dtype_size(s.dtype);
  const int64_t n = s.d_model / 2;
  const posenc_rows r = {.first = s.first, .count = s.rows, .pairs = n};
  unsigned char *const out = elements_out + s.offset;
  const int64_t row_bytes = (s.two ? n : s.d_model + s.gap) * (int64_t)size;
  const posenc_place to = {out, out + (s.two ? TABLE / 2 : (s.split ? n : 1) * (int64_t)size), row_bytes, s.split, 0};
  assert_true(s.rows * row_bytes + s.offset <= (s.two ? TABLE / 2 : TABLE));
  void *const state = aligned_alloc(64, (extra_bytes(&problem) + 63) / 64 * 64);
  assert_non_null(state);
  memset(is_kept, 0, sizeof is_kept);
  memset(elements_out, UNWRITTEN, sizeof elements_out);
  n_begun = most_begun = stored_twice = 0;
  prepare(&problem, state);
  if (s.split)
    assert_int_equal(table(&problem, state, &r, &to), 1);
  else
    write_rows(&problem, state, &r, &to);

  int64_t bytes = 0;
  for (size_t i = 0; i < TABLE; i++)
    bytes += is_kept[i];
  const int64_t again = stored_again(size), all = s.rows * s.d_model;
  printf(
      "%-8s %4lld columns, from %2lld, at %2lld%s: %5.1f %% streamed, at most %d lines begun, %lld elements stored again\n",
      (const char *[]){"float32", "float64", "bfloat16", "float16"}[s.dtype], (long long)s.d_model, (long long)s.first,
      (long long)s.offset, s.split ? ", split" : "", 100.0 * (double)bytes / (double)((size_t)all * size), most_begun,
      (long long)again);
  const int is_streamed = s.d_model * (int64_t)size % 64 == 0 && !(EXACT && s.dtype == POSENC_DTYPE_F64) &&
                          !(s.split && size == 2); /* table.h */
  /* Without a gap all but both ends of the rows that a strip has in one go: a line, of float64 two, in each array. A row of
   * float64 may end with half of two lines. */
  const int is_whole = s.gap == 0 && !(size == sizeof(double) && n % 8 != 0);
  const int64_t ends = (1 + s.two) * (1 + (size == sizeof(double))) * 64 * (1 + s.rows / 2048);
  const int64_t least = is_whole ? all * (int64_t)size - ends : all * (int64_t)size / 2;
  assert_true(is_streamed ? bytes >= least : bytes == 0);
  assert_int_equal(n_begun, 0);
  assert_true(most_begun <= (s.split ? 4 : 2));
  assert_int_equal(stored_twice, 0);
  if (!EXACT && (s.dtype == POSENC_DTYPE_F32 || s.dtype == POSENC_DTYPE_F64))
    assert_int_equal(again, 0);
  assert_true(again * 1000 <= all); /* only the recheck stores again */
  check_values(&spec, s);
  free(state);
}

static void lines_begun(void **unused) {
  (void)unused;
  if (!posenc_impl_supported(posenc_impl_find("exact_avx2"))) {
    puts("skipped: this CPU has no AVX2");
    skip();
  }
  static const posenc_dtype dtypes[] = {POSENC_DTYPE_F32, POSENC_DTYPE_F64, POSENC_DTYPE_BF16, POSENC_DTYPE_F16};
  static const int64_t widths[] = {512, 1088, 160, 96, 1000};
  for (int offset = 0; offset <= 16; offset += 16)
    for (int w = 0; w < 5; w++)
      for (int first = 0; first <= 37; first += 37) {
        const int64_t d_model = widths[w], rows = 300;
        for (int t = 0; t < 4; t++) {
          check_shape((shape){dtypes[t], d_model, first, rows, offset, 0, 0, 0});
          if (dtypes[t] != POSENC_DTYPE_F64 && d_model % 32 == 0) /* half rows of float32 are whole lines */
            check_shape((shape){dtypes[t], d_model, first, rows, offset, 1, 0, 0});
        }
      }
  for (int split = 0; split < 2; split++) {
    check_shape((shape){POSENC_DTYPE_F32, 512, 37, 300, 16, split, 64 /* whole lines */, 0});
    check_shape((shape){POSENC_DTYPE_F32, 128, -37, 5000, 16, split, 0, 0}); /* more rows than a strip has in one go */
    check_shape((shape){POSENC_DTYPE_F32, 128, -37, 5000, 16 * split, 1, 0, 1});
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lines_begun)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
