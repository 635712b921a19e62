/* exact_* at real positions where nothing but the last look decides: outputs as near to the midpoint of two numbers as
 * doubles can bring them, before a whole turn per position and beyond, and sines that nearly vanish after 2^31 turns.
 */
#include "testing.h"
#include "truth.h"

#include <math.h>
#include <stdio.h>

#include "formats.h"
#include "thinned.h"

static uint64_t seed = 20170612;
static int64_t judged;

/* One frequency alone: beside others it might be looked at again for their sake. */
static void check(double w, int32_t dtype, const double *positions, int64_t count)
{
  posenc_spec spec = posenc_spec_default(2);
  spec.freqs = &w;
  spec.n_freqs = 1;
  spec.dtype = dtype;
  truth *t = truth_create(&spec);
  for (size_t m = 0; runnable(m); m++) {
    if (strncmp(runnable(m)->name, "exact_", 6) != 0)
      continue;
    posenc_plan *plan = plan_of(&spec, runnable(m)->name);
    for (int64_t i = 0; i < count; i++) {
      truth_value want[2];
      float pair[2]; /* of any dtype but float64 */
      truth_row_real(t, positions[i], want);
      assert_int_equal(posenc_fill_at_real(plan, &positions[i], 1, pair, 2), POSENC_OK);
      for (int64_t c = 0; c < 2; c++) {
        const double nearest = truth_rounded(&want[c], dtype);
        const double got = element_value(dtype, (unsigned char *)pair + (size_t)c * format_of(dtype)->size);
        if (!same_number(got, nearest))
          fail_msg("%s, %s, frequency %a, position %a, %s: got %a, nearest is %a", runnable(m)->name, dtype_name(dtype), w,
                   positions[i], c ? "cosine" : "sine", got, nearest);
      }
    }
    posenc_plan_destroy(plan);
  }
  judged += 2 * count;
  truth_destroy(t);
}

static double between(double low, double high)
{
  return low + (high - low) * ldexp((double)(next_random(&seed) >> 11), -53);
}

/* turns: whole turns of the frequency per position, at least. */
static void near_midpoints(double turns)
{
  static const int32_t dtypes[] = {POSENC_F32, POSENC_BF16, POSENC_F16};
  const double turn = 0x1.921fb54442d18p+2;
  for (int i = 0; i < 900; i++) {
    if (left_out(&seed))
      continue;
    const int32_t dtype = dtypes[i % 3];
    const int digits = format_of(dtype)->digits;
    const double middle =
        ldexp((double)random_between(&seed, INT64_C(1) << (digits - 1), (INT64_C(1) << digits) - 1) + 0.5, -digits);
    const double arc = i % 2 ? asin(middle) : acos(middle), angle = i % 4 < 2 ? arc : arc + turn;
    const double position = turns > 0 ? angle / (turn * (turns + between(0, 1))) : angle / between(0.1, 3);
    check(angle / position, dtype, &position, 1);
  }
}

static void of_slow_frequencies(void **state)
{
  (void)state;
  near_midpoints(0);
}

static void of_fast_frequencies(void **state)
{
  (void)state;
  near_midpoints(1);
  near_midpoints(1000);
}

/* As in test_exact.c, a frequency so near to a fraction of a turn that what reducing the angle leaves decides; here between
 * integers, which are asked for otherwise.
 */
static void whole_turns(void **state)
{
  (void)state;
  enum { Q = 5691 /* positions of half this frequency are nearly whole turns */, TRIES = 1200 };
  static double positions[TRIES];
  for (int i = 0; i < TRIES; i++) {
    const int64_t most = POSENC_MAX_POSITION / Q, odd = random_between(&seed, most / 2, most) | 1;
    positions[i] = (double)(Q * odd) / 2 * (i % 2 ? 1 : -1);
  }
  check(0x1.7a73f08ba285fp+1, POSENC_F32, positions, TRIES);
}

/* Sines so near to 0 that float64 does not know their sign, which float16 keeps although nothing else of them is left. */
static void signs_of_nothing(void **state)
{
  (void)state;
  enum { Q = 5691, TRIES = 200 };
  double positions[TRIES];
  for (int i = 0; i < TRIES; i++) {
    const int position = Q * (i / 2 + 1);
    positions[i] = i % 2 ? position : -position;
  }
  check(0x1.7a73f08ba285fp+0, POSENC_F16, positions, TRIES);
}

int main(int argc, char **argv)
{
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 0);
  printf("seed %llu (an argument sets it)\n", (unsigned long long)seed);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_slow_frequencies),
      cmocka_unit_test(of_fast_frequencies),
      cmocka_unit_test(whole_turns),
      cmocka_unit_test(signs_of_nothing),
  };
  const int failed = cmocka_run_group_tests_name("real_midpoints", tests, NULL, NULL);
  printf("%lld outputs judged against MPFR\n", (long long)judged);
  return failed;
}
