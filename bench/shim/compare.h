/* The only rule that decides which of two programs is faster, and which implementation to use. posenc-bench writes the
 * verdicts to the JSON of its runs and prints them for --pick; the report shows them.
 *
 * Programs are measured several times, interleaved. The i-th repetitions of two programs are a pair. One program is
 * behind the other by the median, over the pairs, of the ratio of their times, less 1. The sign test gives that median
 * a 95 % interval from one order statistic of the ratios to another, without an assumption about their distribution.
 * The uncertainty is how far the interval reaches from the median towards 0. It is at least 1 %, because two runs of
 * the same two programs differ by that much, depending on the addresses of memory and code.
 *
 *   faster, slower  0 is outside of the interval, and the median is at least 1 % away from 0
 *   tie             the median is below 3 % and below the uncertainty, and both ends of the interval are less than 10
 *                   points from the median
 *   undecided       anything else, including fewer than 6 pairs, which have no 95 % interval
 *
 * --pick measures in turns. Each turn has one repetition of every program, so that a pair is close in time. In ordinary
 * runs Google Benchmark puts all repetitions of all programs into one random order. With 9 repetitions, the two halves
 * of a pair are then an eighth of the run apart on average, compared with a twentieth in turns. The median stays right,
 * but where the machine's speed drifts during the run, the uncertainty includes more of the drift.
 */
#ifndef POSENC_BENCH_COMPARE_H
#define POSENC_BENCH_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The times of one program, in the order of its repetitions. */
typedef struct compare_times {
  const double *values;
  int n;
} compare_times;

typedef enum compare_verdict { COMPARE_FASTER, COMPARE_SLOWER, COMPARE_TIE, COMPARE_UNDECIDED } compare_verdict;

typedef struct comparison {
  double behind; /* how much longer it takes than the other, as a share of the other's time; negative: it is faster */
  double unsure; /* the uncertainty of `behind`; NAN for fewer than 6 pairs */
  compare_verdict verdict;
} comparison;

/* Uses the repetitions that both have. Each has at least one. */
comparison compare(compare_times one, compare_times other);

/* "faster", "slower", "tie" or "undecided". */
const char *compare_word(comparison c);

/* An implementation that may be picked for a case. */
typedef struct candidate {
  const char *name;
  compare_times times; /* n is 0 where it was not measured */
  bool within;         /* the error is within the budget */
  bool is_default;     /* the library uses it when no name is given */
  comparison against;  /* the comparison with the fastest; set by compare_pick() if it competes */
} candidate;

/* Returns whether it is within the budget and was measured. */
bool compare_competes(const candidate *c);

typedef struct choice {
  const candidate *fastest, *pick; /* NULL: no candidate competes */
} choice;

/* Compares every candidate that competes with the fastest, which has the smallest median time. (By the median ratio,
 * another candidate can still be ahead of it.) If the default is undecided against the fastest, the pick is the
 * default. Otherwise the pick is the first candidate that is the fastest or ties with it. The pick is undecided where
 * its verdict is. all: in the order of impl/list.inc. */
choice compare_pick(candidate *all, size_t n);

/* Returns the median, and sets the interquartile range unless `range` is NULL. Sorts the values. n: at least 1. */
double compare_median(double *values, int n, double *range);

#ifdef __cplusplus
}
#endif

#endif
