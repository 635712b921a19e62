/* A row depends on its position alone: any cut of the table, any width, stride, alignment and order of positions gives
 * the same bits, and nothing outside the rows is written.
 */
#include "testing.h"

#include <stdio.h>

static uint64_t seed = 20170612;

enum { GUARD = 64, CANARY = 0x5a };

/* A buffer of bytes with guards around it. */
typedef struct buffer {
  unsigned char *memory;
  size_t bytes;
  float *start;
} buffer;

static buffer guarded(int64_t elements, size_t offset)
{
  buffer b = {NULL, (size_t)elements * sizeof(float) + offset + 2 * GUARD, NULL};
  b.memory = aligned_alloc(64, (b.bytes + 63) / 64 * 64);
  assert_non_null(b.memory);
  memset(b.memory, CANARY, b.bytes);
  b.start = (float *)(void *)(b.memory + GUARD + offset);
  return b;
}

/* Every byte outside the rows is still the canary. */
static void check_guards(const char *what, const buffer *b, int64_t count, int64_t d_model, int64_t stride)
{
  const size_t first = (size_t)((unsigned char *)b->start - b->memory);
  for (size_t i = 0; i < b->bytes; i++) {
    const int64_t element = ((int64_t)i - (int64_t)first) / (int64_t)sizeof(float);
    const int inside = i >= first && element < (count - 1) * stride + d_model && element % stride < d_model;
    if (!inside && b->memory[i] != CANARY)
      fail_msg("%s: d_model %lld, stride %lld: byte %lld relative to out was written", what, (long long)d_model,
               (long long)stride, (long long)i - (long long)first);
  }
}

static void widths_strides_alignments(void **state)
{
  (void)state;
  enum { FIRST = 90, ROWS = 9 }; /* across the end of the rows that share an anchor */
  for (size_t m = 0; runnable(m); m++) {
    const char *name = runnable(m)->name;
    for (int64_t d = 1; d <= 131; d++) {
      const posenc_spec spec = posenc_spec_default(d);
      posenc_plan *plan = plan_of(&spec, name);
      float *want = malloc((size_t)(ROWS * d) * sizeof *want);
      assert_int_equal(posenc_fill(plan, FIRST, ROWS, want, d), POSENC_OK);
      for (size_t offset = 0; offset < 64; offset += sizeof(float)) {
        const int64_t stride = offset % 8 ? d + 3 : d;
        buffer b = guarded(ROWS * stride, offset);
        assert_int_equal(posenc_fill(plan, FIRST, ROWS, b.start, stride), POSENC_OK);
        assert_rows_equal(name, b.start, want, ROWS, d, stride, d);
        check_guards(name, &b, ROWS, d, stride);
        free(b.memory);
      }
      free(want);
      posenc_plan_destroy(plan);
    }
  }
}

/* A narrower table with the same denominator is the wide one's left part: no column depends on the width. */
static void columns_stand_alone(void **state)
{
  (void)state;
  enum { WIDE = 200 };
  posenc_spec spec = posenc_spec_default(WIDE);
  spec.denominator = 100.0;
  for (size_t m = 0; runnable(m); m++) {
    float wide[2 * WIDE], narrow[2 * WIDE];
    posenc_plan *plan = plan_of(&spec, runnable(m)->name);
    assert_int_equal(posenc_fill(plan, 4095, 2, wide, WIDE), POSENC_OK);
    posenc_plan_destroy(plan);
    for (int64_t d = 1; d < WIDE; d += 3) {
      posenc_spec part = spec;
      part.d_model = d;
      plan = plan_of(&part, runnable(m)->name);
      assert_int_equal(posenc_fill(plan, 4095, 2, narrow, d), POSENC_OK);
      assert_rows_equal(runnable(m)->name, narrow, wide, 2, d, d, WIDE);
      posenc_plan_destroy(plan);
    }
  }
}

static void cuts_and_orders(void **state)
{
  (void)state;
  enum { ROWS = 300 };
  const int64_t widths[] = {1, 6, 7, 64, 97}, starts[] = {0, -150, 131000, -POSENC_MAX_POSITION, POSENC_MAX_POSITION - ROWS + 1};
  for (size_t m = 0; runnable(m); m++)
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
      for (size_t f = 0; f < sizeof starts / sizeof starts[0]; f++) {
        const int64_t d = widths[w], first = starts[f];
        const posenc_spec spec = posenc_spec_default(d);
        posenc_plan *plan = plan_of(&spec, runnable(m)->name);
        float *whole = malloc((size_t)(ROWS * d) * sizeof *whole), *parts = malloc((size_t)(ROWS * d) * sizeof *parts);
        assert_int_equal(posenc_fill(plan, first, ROWS, whole, d), POSENC_OK);

        for (int64_t done = 0, n; done < ROWS; done += n) {
          n = random_between(&seed, 1, 40);
          n = n < ROWS - done ? n : ROWS - done;
          assert_int_equal(posenc_fill(plan, first + done, n, parts + done * d, d), POSENC_OK);
        }
        assert_rows_equal(runnable(m)->name, parts, whole, ROWS, d, d, d);

        int64_t positions[ROWS];
        for (int64_t i = 0; i < ROWS; i++) /* runs, jumps, repetitions */
          positions[i] = i % 3 && positions[i - 1] < first + ROWS - 1 ? positions[i - 1] + 1
                                                                       : first + random_between(&seed, 0, ROWS - 1);
        assert_int_equal(posenc_fill_at(plan, positions, ROWS, parts, d), POSENC_OK);
        for (int64_t i = 0; i < ROWS; i++)
          assert_rows_equal(runnable(m)->name, parts + i * d, whole + (positions[i] - first) * d, 1, d, d, d);
        free(whole);
        free(parts);
        posenc_plan_destroy(plan);
      }
}

/* So many positions that a kernel takes them in parts, so far apart that it takes fewer at a time, and both in one call. */
static void many_positions(void **state)
{
  (void)state;
  enum { ROWS = 9000, FAR_FROM = 5000, FAR_TO = 6000, D = 7 };
  static int64_t positions[ROWS];
  static float got[ROWS * D];
  for (int64_t i = 0; i < ROWS; i++) {
    const int64_t most = i >= FAR_FROM && i < FAR_TO ? POSENC_MAX_POSITION : 50000;
    positions[i] = random_between(&seed, -most, most);
  }
  const posenc_spec spec = posenc_spec_default(D);
  for (size_t m = 0; runnable(m); m++) {
    posenc_plan *plan = plan_of(&spec, runnable(m)->name);
    float want[D];
    memset(got, CANARY, sizeof got);
    assert_int_equal(posenc_fill_at(plan, positions, ROWS, got, D), POSENC_OK);
    for (int64_t i = 0; i < ROWS; i++) {
      assert_int_equal(posenc_fill(plan, positions[i], 1, want, D), POSENC_OK);
      assert_rows_equal(runnable(m)->name, got + i * D, want, 1, D, D, D);
    }
    posenc_plan_destroy(plan);
  }
}

/* The plan keeps its own copy of explicit frequencies. */
static void freqs_are_copied(void **state)
{
  (void)state;
  for (size_t m = 0; runnable(m); m++) {
    double freqs[3] = {1.0, 0.25, -3.0};
    posenc_spec spec = posenc_spec_default(5);
    spec.freqs = freqs;
    spec.n_freqs = 3;
    posenc_plan *plan = plan_of(&spec, runnable(m)->name);
    float before[20], after[20];
    assert_int_equal(posenc_fill(plan, 1, 4, before, 5), POSENC_OK);
    freqs[0] = freqs[1] = freqs[2] = 0.0;
    assert_int_equal(posenc_fill(plan, 1, 4, after, 5), POSENC_OK);
    assert_rows_equal(runnable(m)->name, after, before, 4, 5, 5, 5);
    assert_ptr_not_equal(posenc_plan_spec(plan)->freqs, freqs);
    assert_true(posenc_plan_spec(plan)->freqs[2] == -3.0);
    posenc_plan_destroy(plan);
  }
}

int main(int argc, char **argv)
{
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 0);
  printf("seed %llu (an argument sets it)\n", (unsigned long long)seed);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(widths_strides_alignments),
      cmocka_unit_test(columns_stand_alone),
      cmocka_unit_test(cuts_and_orders),
      cmocka_unit_test(many_positions),
      cmocka_unit_test(freqs_are_copied),
  };
  return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}
