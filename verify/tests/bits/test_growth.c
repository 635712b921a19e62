/* The angle error of the float32 recipes grows with the position, as measured for the usual frameworks at d_model 512,
 * base 10000: 3e-5 up to position 512, 3e-4 to 4096, 9e-3 to 131072, 6e-2 to 1048576, within a factor of 1.5. And the
 * tutorial's 5000 x 512 table has more than half of its pairs off by more than 1e-6. A recipe that does better than
 * that is not the one frameworks use; one that does worse is broken.
 */
#include "testing.h"

#include <math.h>
#include <stdio.h>

enum { D = 512, BLOCK = 64 };

static double frequency(int64_t k) { return pow(10000.0, -2 * (double)k / D); }

/* Largest error, and share of pairs off by more than 1e-6, in rows [first, first + count) against the float64 formula.
 */
static double worst(const posenc_plan *plan, int64_t first, int64_t count, double *share_off) {
  static float rows[BLOCK * D];
  double max = 0.0, w[D / 2];
  int64_t off = 0;
  for (int64_t k = 0; k < D / 2; k++)
    w[k] = frequency(k);
  for (int64_t done = 0; done < count; done += BLOCK) {
    const int64_t n = count - done < BLOCK ? count - done : BLOCK;
    assert_int_equal(posenc_fill(plan, first + done, n, rows, D), POSENC_OK);
    for (int64_t i = 0; i < n; i++)
      for (int64_t k = 0; k < D / 2; k++) {
        const double angle = (double)(first + done + i) * w[k];
        const double sin_error = fabs((double)rows[i * D + 2 * k] - sin(angle));
        const double cos_error = fabs((double)rows[i * D + 2 * k + 1] - cos(angle));
        const double error = sin_error > cos_error ? sin_error : cos_error;
        max = error > max ? error : max;
        off += error > 1e-6;
      }
  }
  *share_off = 2 * (double)off / (double)(count * D);
  return max;
}

static void grows_as_stated(void **state) {
  (void)state;
  const struct {
    int64_t first, end;
    double stated;
  } ranges[] = {{0, 512, 3e-5}, {0, 4096, 3e-4}, {114688, 131072, 9e-3}, {1015808, 1048576, 6e-2}};
  for (size_t m = 0; runnable(m); m++) {
    const posenc_impl *impl = runnable(m);
    const posenc_spec spec = posenc_spec_default(D);
    /* A float32 angle shows in the bound: about 2^-24 of the angle. */
    if (posenc_impl_error_bound(impl, &spec, 1048575, 0) < 1e-3)
      continue;
    posenc_plan *plan = plan_of(&spec, impl->name);
    double share;
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
      const double max = worst(plan, ranges[r].first, ranges[r].end - ranges[r].first, &share);
      printf(
          "%-18s to %7lld: max error %.3g, stated %.3g\n", impl->name, (long long)ranges[r].end, max, ranges[r].stated);
      if (!(max > ranges[r].stated / 1.5 && max < ranges[r].stated * 1.5))
        fail_msg("%s up to position %lld: max error %.3g is not within 1.5 of %.3g", impl->name,
            (long long)ranges[r].end, max, ranges[r].stated);
    }
    worst(plan, 0, 5000, &share);
    printf("%-18s 5000 x 512: %.1f %% of the pairs off by more than 1e-6\n", impl->name, 100.0 * share);
    /* naive divides by the power instead of rounding a frequency first: one rounding less, a third instead of half. */
    assert_true(share > (strcmp(impl->name, "naive") == 0 ? 1.0 / 3.0 : 0.5));
    posenc_plan_destroy(plan);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(grows_as_stated)};
  return cmocka_run_group_tests_name("growth", tests, NULL, NULL);
}
