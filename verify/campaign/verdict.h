/* The outputs of one implementation on one segment, compared with the expected values and with its own bound. */
#ifndef POSENC_VERIFY_VERDICT_H
#define POSENC_VERIFY_VERDICT_H

#include "expected.h"
#include "trial.h"

/* One output, to be inspected by hand. */
typedef struct witness {
  double position;
  int64_t column;
  double got, want; /* want: the correctly rounded value */
  double error, bound;
} witness;

typedef struct verdict {
  bool judged;      /* judge_trial() has set the numbers below */
  bool not_offered; /* the implementation makes no plan of this segment's spec */
  int64_t outputs;
  double ulp_max;
  int64_t beyond_bound; /* outputs */
  int64_t misrounded;   /* outputs that are not the nearest number of the dtype, sign of zero included */
  witness last_beyond_bound, last_misrounded;
  witness worst; /* the largest error */
} verdict;

static inline double correct_share(const verdict *v) { return 1 - (double)v->misrounded / (double)v->outputs; }

/* Judges a trial of impl that ended in TRIAL_DONE. Fills in *v in any case. Returns false, with the reason, if
 *
 * - an output is beyond its bound, or was not written, or
 * - an output of a correctly rounded implementation is not the nearest number, or
 * - another call wrote a row of posenc_fill() otherwise.
 *
 * The first two also hold at real positions, whose outputs are not in *v. */
bool judge_trial(
    const trial *t, const posenc_impl *impl, const reference_value *expected, verdict *v, char *reason, size_t size);

#endif
