#include "compare.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../verify/tools/memory.h"

static const double LEAST = 0.01;
static const double TIE = 0.03;  /* a larger difference is not a tie, even on a noisy machine */
static const double NOISY = 0.1; /* more noise than this allows no tie */

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Interpolates linearly between the sorted values. */
static double quantile(const double *sorted, int n, double share) {
  const double at = share * (n - 1);
  const int below = (int)at;
  return below + 1 < n ? sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]) : sorted[n - 1];
}

double compare_median(double *values, int n, double *range) {
  qsort(values, (size_t)n, sizeof *values, ascending);
  if (range)
    *range = quantile(values, n, 0.75) - quantile(values, n, 0.25);
  return quantile(values, n, 0.5);
}

/* The largest k for which the interval from the k-th smallest to the k-th largest value contains the median with a
 * probability of 95 %, by the probabilities of n coin tosses. 0: there is no such k. */
static int order_of_interval(int n) {
  double chance = ldexp(1, -n), below = chance; /* of 0 heads, of at most k */
  int k = 0;
  while (below <= 0.025) {
    k++;
    chance *= (double)(n - k + 1) / k;
    below += chance;
  }
  return k;
}

comparison compare(compare_times one, compare_times other) {
  const int n = one.n < other.n ? one.n : other.n;
  double *ratios = must_calloc(n, sizeof *ratios);
  for (int i = 0; i < n; i++)
    ratios[i] = one.values[i] / other.values[i] - 1;
  comparison v = {.behind = compare_median(ratios, n, NULL), .unsure = NAN, .verdict = COMPARE_UNDECIDED};
  const int k = order_of_interval(n);
  if (k > 0) {
    const double below = v.behind - ratios[k - 1], above = ratios[n - k] - v.behind;
    v.unsure = fmax(LEAST, v.behind > 0 ? below : v.behind < 0 ? above : fmax(below, above));
    if (fabs(v.behind) >= v.unsure)
      v.verdict = v.behind < 0 ? COMPARE_FASTER : COMPARE_SLOWER;
    else if (fabs(v.behind) < TIE && fmax(below, above) < NOISY)
      v.verdict = COMPARE_TIE;
  }
  free(ratios);
  return v;
}

const char *compare_word(comparison c) {
  static const char *const words[] = {"faster", "slower", "tie", "undecided"};
  return words[c.verdict];
}

static double median_of(compare_times t) {
  double *values = must_calloc(t.n, sizeof *values);
  memcpy(values, t.values, (size_t)t.n * sizeof *values);
  const double median = compare_median(values, t.n, NULL);
  free(values);
  return median;
}

bool compare_competes(const candidate *c) { return c->within && c->times.n > 0; }

static const candidate *fastest_of(const candidate *all, size_t n) {
  const candidate *fastest = NULL;
  for (const candidate *c = all; c < all + n; c++)
    if (compare_competes(c) && (!fastest || median_of(c->times) < median_of(fastest->times)))
      fastest = c;
  return fastest;
}

choice compare_pick(candidate *all, size_t n) {
  choice found = {.fastest = fastest_of(all, n)};
  for (candidate *c = all; c < all + n; c++)
    if (compare_competes(c)) {
      c->against = compare(c->times, found.fastest->times);
      if (c->is_default && c->against.verdict == COMPARE_UNDECIDED)
        found.pick = c;
    }
  for (const candidate *c = all; c < all + n && !found.pick; c++)
    if (compare_competes(c) && (c == found.fastest || c->against.verdict == COMPARE_TIE))
      found.pick = c;
  return found;
}
