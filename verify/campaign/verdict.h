/* What one implementation did on one segment, against the expected values and its own bound. */
#ifndef POSENC_VERIFY_VERDICT_H
#define POSENC_VERIFY_VERDICT_H

#include "expected.h"
#include "profile.h"
#include "trial.h"

/* The bands that ULPs are counted in: up to each edge, and beyond the last. */
#define VERDICT_BAND_EDGES                                                                                             \
  { 0.5, 1, 2, 4, 16, 256, 65536 }
enum { VERDICT_BANDS = 8 };

/* One output, to be looked at by hand. */
typedef struct witness {
  int64_t position, column;
  double got, want; /* want: the correctly rounded value */
  double error, bound;
} witness;

typedef struct verdict {
  bool judged; /* the numbers below exist */
  bool not_offered;
  int64_t outputs;
  double max_abs;
  double ulp_p50, ulp_p99, ulp_max; /* exact: nearest rank over all outputs */
  int64_t ulp_bands[VERDICT_BANDS]; /* outputs in each */
  int64_t correct;                  /* outputs that are the nearest number of the dtype, sign of zero included */
  bool bound_ok;
  int64_t outside; /* outputs beyond their bound */
  witness worst;   /* the largest error */
  profile where;   /* of the errors */
  witness closest; /* the largest error for its bound; the one to look at when bound_ok is false */
} verdict;

static inline double correct_share(const verdict *v) { return (double)v->correct / (double)v->outputs; }

/* outputs and bounds: of the segment, row by row. Fills in the whole verdict. */
void verdict_fill(
    const segment *s, const reference_value *expected, const double *outputs, const double *bounds, verdict *v);

/* After a trial that was done. Returns false, and why, if guards were touched, if posenc_fill() and posenc_fill_at()
 * disagree in a bit, or if an output is beyond its bound; *v has the numbers in any case. */
bool judge(const trial *t, const reference_value *expected, verdict *v, char *reason, size_t size);

#endif
