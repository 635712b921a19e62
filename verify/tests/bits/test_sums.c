/* posenc_add where kernels add on their way: rows by runs and joined ones, at lines and not, in place or not, with
 * undecided outputs among them; against a row of posenc_fill at a time and two plain operations. And nothing beyond x is
 * read.
 */
#define _DEFAULT_SOURCE
#include "testing.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "thinned.h"

static uint64_t seed = 20170612;

enum { ROWS = 300, MOST_D = 193, MOST_STRIDE = 224, BEFORE = 16, FLOATS = ROWS * MOST_STRIDE + 64 };

static int is_member(const posenc_impl *impl)
{
  return strncmp(impl->name, "exact_", 6) == 0 || strncmp(impl->name, "anchored_", 9) == 0;
}

/* Two thirds of them zeros, so that the row itself is seen. */
static float some_x(void)
{
  return next_random(&seed) % 3 ? 0.0f : (float)((double)(int64_t)next_random(&seed) * 0x1p-63);
}

typedef struct job {
  const posenc_plan *plan;
  int64_t first, count, offset, x_stride, out_stride; /* offset: floats from a line */
  int in_place;
} job;

static void check(const job *j)
{
  static float x[FLOATS] __attribute__((aligned(64))), out[FLOATS] __attribute__((aligned(64))), before[FLOATS];
  const int64_t d = posenc_plan_spec(j->plan)->d_model;
  const float canary = 77.0f, scale = 1.7f;
  for (int64_t i = 0; i < FLOATS; i++) {
    before[i] = x[i] = some_x();
    out[i] = canary;
  }
  const float *from = x + BEFORE + j->offset;
  float *to = (j->in_place ? x : out) + BEFORE + j->offset, row[MOST_D];
  assert_int_equal(posenc_add(j->plan, j->first, j->count, from, j->x_stride, (double)scale, to, j->out_stride), POSENC_OK);
  for (int64_t i = 0; i < j->count; i++) {
    const float *was = before + BEFORE + j->offset + i * j->x_stride;
    assert_int_equal(posenc_fill(j->plan, j->first + i, 1, row, d), POSENC_OK);
    for (int64_t c = 0; c < d; c++)
      row[c] = scale * was[c] + row[c];
    assert_rows_equal(posenc_plan_impl(j->plan), to + i * j->out_stride, row, 1, d, j->out_stride, d);
    for (int64_t c = d; c < j->out_stride; c++)
      assert_true(to[i * j->out_stride + c] == (j->in_place ? was[c] : canary));
  }
  for (int64_t i = 0; i < BEFORE + j->offset; i++)
    assert_true((j->in_place ? x[i] : out[i]) == (j->in_place ? before[i] : canary));
  for (int64_t i = BEFORE + j->offset + j->count * j->out_stride; i < FLOATS; i++)
    assert_true((j->in_place ? x[i] : out[i]) == (j->in_place ? before[i] : canary));
  if (!j->in_place)
    assert_memory_equal(x, before, sizeof x);
}

/* Multiples of the first frequencies are midpoints of floats, or nearly so; the others come near to whole turns. */
static posenc_spec hard_spec(int64_t d, double *freqs)
{
  posenc_spec spec = posenc_spec_default(d);
  spec.n_freqs = (d + 1) / 2;
  spec.freqs = freqs;
  for (int k = 0; k < spec.n_freqs; k++)
    freqs[k] = k % 3 ? ldexp(0x1.0001p0, -70 - k % 32) : 0x1.921fb54442d18p+2 / (k + 5);
  return spec;
}

static void by_runs_and_joined(void **state)
{
  (void)state;
  static const int64_t widths[] = {192, 66, 130, 7, MOST_D}, starts[] = {-4200, 230, 3900}, offsets[] = {0, 4, 14, 5};
  double freqs[MOST_D];
  for (size_t m = 0; runnable(m); m++)
    for (size_t w = 0; w < sizeof widths / sizeof widths[0] && is_member(runnable(m)); w++) {
      const int64_t d = widths[w];
      const posenc_spec spec = hard_spec(d, freqs);
      posenc_plan *plan = plan_of(&spec, runnable(m)->name);
      for (size_t o = 0; o < sizeof offsets / sizeof offsets[0]; o++)
        for (int i = 0; i < 3; i++) {
          const int64_t wide = (d + 15) / 16 * 16; /* rows at lines, if the first is; without a gap for 192 */
          const int64_t first = starts[(o + (size_t)i) % 3], x_stride = i == 2 ? wide + 16 : wide;
          if (left_out(&seed))
            continue;
          check(&(job){plan, first, i == 1 ? 9 : ROWS, offsets[o], x_stride, wide, i == 0});
        }
      posenc_plan_destroy(plan);
    }
}

/* x and out end where unreadable memory begins, or begin where it ends. */
static void pages(void **state)
{
  (void)state;
  enum { COUNT = 3, WIDEST = 70 };
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *maps[2];
  for (int i = 0; i < 2; i++) {
    maps[i] = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(maps[i] != MAP_FAILED);
    assert_int_equal(mprotect(maps[i], page, PROT_NONE), 0);
    assert_int_equal(mprotect(maps[i] + 2 * page, page, PROT_NONE), 0);
  }
  for (size_t m = 0; runnable(m); m++)
    for (int32_t dtype = POSENC_F32; dtype <= POSENC_BF16; dtype += POSENC_BF16)
      for (int64_t d = 1; d <= WIDEST; d++) {
        posenc_spec spec = posenc_spec_default(d);
        spec.dtype = dtype;
        posenc_plan *plan;
        if (posenc_plan_create(&plan, &spec, runnable(m)->name) != POSENC_OK)
          continue; /* a recipe */
        const size_t bytes = (size_t)(COUNT * d) * posenc_dtype_size((posenc_dtype)dtype);
        for (int end = 0; end < 2; end++) {
          const size_t at = end ? 2 * page - bytes : page;
          void *const x = maps[0] + at, *const out = maps[1] + at;
          double want[COUNT * WIDEST]; /* of either dtype */
          memset(x, 0, bytes);
          assert_int_equal(posenc_fill(plan, 62, COUNT, want, d), POSENC_OK);
          assert_int_equal(posenc_add(plan, 62, COUNT, x, d, 1.0, out, d), POSENC_OK);
          if (memcmp(out, want, bytes) != 0) /* nothing in these rows is -0 */
            fail_msg("%s: rows of d_model %lld and zeros do not add up to them", runnable(m)->name, (long long)d);
        }
        posenc_plan_destroy(plan);
      }
  munmap(maps[0], 3 * page);
  munmap(maps[1], 3 * page);
}

int main(int argc, char **argv)
{
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(by_runs_and_joined), cmocka_unit_test(pages)};
  return cmocka_run_group_tests_name("sums", tests, NULL, NULL);
}
