/* posenc_add and posenc_add_batch have the bits of a table by posenc_fill and two steps of plain arithmetic, in place or not,
 * whatever the strides; nothing else is written, and nothing at all when they refuse.
 */
#include "testing.h"

#include <math.h>
#include <stdio.h>

#include "formats.h"
#include "thinned.h"

static uint64_t seed = 20170612;

enum { GAP_VALUE = 0x5a };

static float random_float(void)
{
  return (float)((double)(int64_t)next_random(&seed) * 0x1p-62);
}

/* Ordinary numbers, and now and then what is none: zeros of both signs, infinities, NaNs, the largest and the smallest. */
static float special_or_random(void)
{
  static const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 0x1.fffffep127f, 0x1p-149f, -0x1.8p-127f, 1.0f};
  return next_random(&seed) % 11 ? random_float() : special[next_random(&seed) % (sizeof special / sizeof special[0])];
}

static void put(int32_t dtype, void *array, int64_t i, float value)
{
  if (dtype == POSENC_F32) {
    ((float *)array)[i] = value;
    return;
  }
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint32_t payload = isnan(value) ? (uint32_t)random_between(&seed, 1, 0x7f) : 0; /* quiet ones and signalling ones */
  ((uint16_t *)array)[i] = (uint16_t)((bits >> 16 & (payload ? 0xff80 : 0xffff)) | payload); /* cut: any bfloat16 will do */
}

static double get(int32_t dtype, const void *array, int64_t i)
{
  return element_value(dtype, (const unsigned char *)array + (size_t)i * format_of(dtype)->size);
}

/* Each step in float32, and of bfloat16 rounded to that. volatile: as written, one operation at a time. */
static double expected(int32_t dtype, double x, double pe, float s)
{
  const volatile float product = s * (float)x;
  const format *f = format_of(dtype);
  const volatile float rounded = (float)format_nearest(f, (double)product);
  const volatile float sum = rounded + (float)pe;
  return (double)(float)format_nearest(f, (double)sum);
}

typedef struct job {
  const posenc_plan *plan;
  int32_t dtype;
  int64_t d, first, count, batch;
  posenc_strides x, out;
  int64_t offset; /* elements */
  double scale;
  int in_place;
} job;

static int64_t extent(const job *j, posenc_strides s)
{
  return (j->batch - 1) * s.batch + (j->count - 1) * s.row + j->d + 2 * j->offset + 8;
}

static void check_sums(const job *j, const unsigned char *x, const unsigned char *out, const unsigned char *pe)
{
  const size_t size = format_of(j->dtype)->size;
  for (int64_t b = 0; b < j->batch; b++)
    for (int64_t i = 0; i < j->count; i++)
      for (int64_t c = 0; c < j->d; c++) {
        const double from = get(j->dtype, x + (size_t)j->offset * size, b * j->x.batch + i * j->x.row + c);
        const double row = get(j->dtype, pe, i * j->d + c);
        const double got = get(j->dtype, out + (size_t)j->offset * size, b * j->out.batch + i * j->out.row + c);
        const double want = expected(j->dtype, from, row, (float)j->scale);
        if (!same_number(got, want))
          fail_msg("%s, %s, d_model %lld, scale %g, batch %lld, row %lld, column %lld: %a and %a give %a, not %a",
                   posenc_plan_impl(j->plan), dtype_name(j->dtype), (long long)j->d, j->scale, (long long)b, (long long)i,
                   (long long)c, from, row, got, want);
      }
}

/* What is not of a row has kept its value. */
static void check_gaps(const job *j, const unsigned char *before, const unsigned char *after)
{
  const size_t size = format_of(j->dtype)->size;
  const int64_t n = extent(j, j->out);
  unsigned char *inside = calloc((size_t)n, 1);
  assert_non_null(inside);
  for (int64_t b = 0; b < j->batch; b++)
    for (int64_t i = 0; i < j->count; i++)
      memset(inside + j->offset + b * j->out.batch + i * j->out.row, 1, (size_t)j->d);
  for (int64_t i = 0; i < n; i++)
    if (!inside[i] && memcmp(before + (size_t)i * size, after + (size_t)i * size, size) != 0)
      fail_msg("%s: element %lld, which is of no row, was written", posenc_plan_impl(j->plan), (long long)(i - j->offset));
  free(inside);
}

static void check(const job *j)
{
  const size_t size = format_of(j->dtype)->size;
  const size_t x_bytes = (size_t)extent(j, j->x) * size, out_bytes = (size_t)extent(j, j->out) * size;
  unsigned char *x = aligned_alloc(64, (x_bytes + 63) / 64 * 64), *before = malloc(x_bytes);
  unsigned char *out = j->in_place ? x : aligned_alloc(64, (out_bytes + 63) / 64 * 64), *gaps = malloc(out_bytes);
  unsigned char *pe = malloc((size_t)(j->count * j->d) * size);
  for (int64_t i = 0; i < extent(j, j->x); i++)
    put(j->dtype, x, i, special_or_random());
  if (!j->in_place)
    memset(out, GAP_VALUE, out_bytes);
  memcpy(before, x, x_bytes);
  memcpy(gaps, out, out_bytes);
  assert_int_equal(posenc_fill(j->plan, j->first, j->count, pe, j->d), POSENC_OK);
  unsigned char *const x_at = x + (size_t)j->offset * size, *const out_at = out + (size_t)j->offset * size;
  if (j->batch == 1 && j->x.batch == j->d)
    assert_int_equal(posenc_add(j->plan, j->first, j->count, x_at, j->x.row, j->scale, out_at, j->out.row), POSENC_OK);
  else
    assert_int_equal(posenc_add_batch(j->plan, j->first, j->count, j->batch, x_at, j->x, j->scale, out_at, j->out), POSENC_OK);
  check_sums(j, before, out, pe);
  check_gaps(j, gaps, out);
  if (!j->in_place) {
    assert_memory_equal(x, before, x_bytes);
    free(out);
  }
  free(x);
  free(before);
  free(gaps);
  free(pe);
}

/* Batches as (B, L, D) and as (L, B, D), with gaps or without, and one alone. */
static void check_strides(job j)
{
  const int64_t d = j.d, gap = random_between(&seed, 0, 5), b = j.batch, n = j.count;
  const posenc_strides strides[] = {{n * d, d}, {d, b * d}, {n * (d + gap) + 3, d + gap}, {d + gap, b * (d + gap)}};
  for (int i = 0; i < 4; i++)
    for (int in_place = 0; in_place < 2; in_place++) {
      j.x = strides[i];
      j.out = strides[in_place ? i : (int)random_between(&seed, 0, 3)];
      j.in_place = in_place;
      j.offset = random_between(&seed, 0, 17);
      check(&j);
    }
  j.batch = 1;
  for (j.in_place = 0; j.in_place < 2; j.in_place++) {
    j.x = j.out = (posenc_strides){d, d + gap};
    check(&j);
  }
}

static void same_bits(void **state)
{
  (void)state;
  const int64_t widths[] = {1, 2, 7, 16, 33, 64, 130, 513};
  for (size_t m = 0; runnable(m); m++)
    for (int32_t dtype = 0; dtype < FORMATS; dtype++)
      for (size_t w = 0; w < sizeof widths / sizeof widths[0] && (dtype == POSENC_F32 || dtype == POSENC_BF16); w++) {
        if (!strstr(runnable(m)->dtypes, format_of(dtype)->long_name) || left_out(&seed))
          continue;
        posenc_spec spec = posenc_spec_default(widths[w]);
        spec.dtype = dtype;
        const uint64_t kind = next_random(&seed) % 3; /* two of three are no rows as kernels write them */
        spec.layout = kind == 1;
        spec.order = kind == 2;
        spec.odd = (int32_t)(next_random(&seed) % 2);
        const double scales[] = {0, 1, sqrt((double)widths[w]), -1.7, 0x1.fffffefffffffp127, 0.1};
        posenc_plan *plan = plan_of(&spec, runnable(m)->name);
        check_strides((job){.plan = plan, .dtype = dtype, .d = widths[w], .first = random_between(&seed, -100, 5000),
                            .count = random_between(&seed, 1, 40), .batch = 3, .scale = scales[(m + w) % 6]});
        posenc_plan_destroy(plan);
      }
}

/* Rows in which every frequency has an output that only the last look at it decides, beside the midpoint of two floats: packed, with
 * gaps, and sharing lines with their neighbours.
 */
static void undecided_outputs(void **state)
{
  (void)state;
  enum { MOST_PAIRS = 150 };
  const int64_t widths[] = {64, 192, 300}, offsets[] = {0, 4, 6, 14, 1};
  for (size_t m = 0; runnable(m); m++)
    for (size_t i = 0; i < 15 && strstr(runnable(m)->dtypes, "bfloat16"); i++) {
      if (left_out(&seed))
        continue;
      const int64_t d = widths[i % 3], count = i % 2 ? 210 : 30, first = random_between(&seed, 1, 70000);
      double freqs[MOST_PAIRS];
      for (int64_t k = 0; k < d / 2; k++) {
        const double middle = ((double)random_between(&seed, 1 << 22, (1 << 24) - 1) + 0.5) * 0x1p-24;
        freqs[k] = (k % 2 ? asin(middle) : acos(middle)) / (double)(first + random_between(&seed, 0, count - 1));
      }
      posenc_spec spec = posenc_spec_default(d);
      spec.freqs = freqs;
      spec.n_freqs = d / 2;
      posenc_plan *plan = plan_of(&spec, runnable(m)->name);
      const int64_t gap = i % 4 == 3 ? 16 : 0;
      job j = {.plan = plan, .d = d, .first = first, .count = count, .batch = 1, .scale = 22.6, .offset = offsets[i % 5]};
      j.x = j.out = (posenc_strides){d, d + gap};
      for (j.in_place = 0; j.in_place < 2; j.in_place++)
        check(&j);
      posenc_plan_destroy(plan);
    }
}

/* Beyond the caches, rows at lines and not, by one call and by many. */
static void large_ones(void **state)
{
  (void)state;
  enum { D = 512, ROWS = 20480 }; /* 40 MiB of each */
  for (int64_t offset = 0; offset <= 4; offset += 4)
    for (int odd = 0; odd < 2; odd++) {
      const int64_t d = D - odd;
      const posenc_spec spec = posenc_spec_default(d);
      posenc_plan *plan = plan_of(&spec, NULL);
      float *x = aligned_alloc(64, (ROWS * D + 16) * sizeof *x), *out = aligned_alloc(64, (ROWS * D + 16) * sizeof *out);
      for (int64_t i = 0; i < ROWS * D + 16; i++)
        x[i] = random_float();
      assert_int_equal(posenc_add(plan, 0, ROWS, x + offset, D, sqrt((double)d), out + offset, D), POSENC_OK);
      const float s = (float)sqrt((double)d);
      float row[D];
      for (int64_t i = 0; i < ROWS; i++) {
        assert_int_equal(posenc_fill(plan, i, 1, row, D), POSENC_OK);
        for (int64_t c = 0; c < d; c++)
          row[c] = (float)expected(POSENC_F32, (double)x[offset + i * D + c], (double)row[c], s);
        assert_rows_equal("40 MiB", out + offset + i * D, row, 1, d, D, D);
      }
      assert_int_equal(posenc_add(plan, 0, ROWS, x + offset, D, sqrt((double)d), x + offset, D), POSENC_OK);
      assert_rows_equal("40 MiB in place", x + offset, out + offset, ROWS, d, D, D);
      free(x);
      free(out);
      posenc_plan_destroy(plan);
    }
}

int main(int argc, char **argv)
{
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 0);
  printf("seed %llu (an argument sets it; with a second one: large tables)\n", (unsigned long long)seed);
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(undecided_outputs)};
  const struct CMUnitTest large[] = {cmocka_unit_test(large_ones)};
  return argc > 2 ? cmocka_run_group_tests_name("add, large", large, NULL, NULL)
                  : cmocka_run_group_tests_name("add", tests, NULL, NULL);
}
