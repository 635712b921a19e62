/* The one rule for "faster" and "tie", for posenc-bench --pick and for the results of ordinary runs.
 *
 * Both programs are measured several times, interleaved. The i-th repetitions of both are a pair. One is behind the
 * other by the median, over the pairs, of the ratio of their times, less 1. The sign test gives that median a 95 %
 * interval, from one order statistic of the ratios to another, so nothing is assumed about their distribution. The
 * uncertainty is how far the interval reaches from the median towards 0. It is at least 1 %, because two runs of the
 * same two programs differ by as much, depending on where memory and code happen to lie. So one is faster or slower
 * where 0 is outside of the interval. It is a tie when the difference is below the uncertainty and below 3 %, and the
 * interval ends less than 10 % from it on both sides.
 *
 * --pick measures in turns: each has one repetition of every program, so that a pair is close in time. In ordinary runs
 * Google Benchmark puts all repetitions of all programs into one random order: the i-th repetitions of two programs, of
 * 9, are then an eighth of the run apart on average, against a twentieth in turns. The median stays right, but where the
 * machine's speed drifts during the run, the uncertainty includes more of the drift.
 */
#ifndef POSENC_BENCH_COMPARE_H
#define POSENC_BENCH_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { COMPARE_FEWEST = 6 }; /* pairs; fewer have no 95 % interval */

/* The times of one program, in the order of its repetitions. */
typedef struct compare_times {
  const double *values;
  int n;
} compare_times;

typedef struct comparison {
  double behind; /* how much longer it takes than the other, as a share of the other's time; negative: it is faster */
  double unsure; /* NAN for fewer than COMPARE_FEWEST pairs */
  bool tie;      /* false for fewer than COMPARE_FEWEST pairs */
} comparison;

/* Repetitions that only one of them has are not used; each has at least one. */
comparison compare(compare_times one, compare_times other);

/* "faster", "slower" or "tie"; "unclear" where the difference is no tie and below its uncertainty, or that is unknown.
 */
const char *compare_word(comparison c);

/* The index of the fastest; n where nobody has been measured. */
size_t compare_fastest(const compare_times *all, size_t n);

/* The median, and the interquartile range unless `range` is NULL. Sorts the values, of which there is at least one. */
double compare_median(double *values, int n, double *range);

#ifdef __cplusplus
}
#endif

#endif
