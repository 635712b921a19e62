/* Runs one implementation on one segment in a child process, so that a crash or a hang is a failure of that
 * implementation only. */
#ifndef POSENC_VERIFY_TRIAL_H
#define POSENC_VERIFY_TRIAL_H

#include "sheet.h"
#include "sweep.h"

typedef struct trial_state trial_state;

/* Memory that parent and child share. It serves one segment, and one implementation after another. */
typedef struct trial {
  const segment *s;
  trial_state *state;
  double *bounds;   /* posenc_impl_error_bound() of every output, row by row */
  sheet filled;     /* output of posenc_fill(), run by run: unaligned rows, a guard line before and after each run */
  sheet filled_at;  /* output of posenc_fill_at(): row i is row shuffled[i] of the segment, aligned to 64 bytes */
  int64_t *line_of; /* the line in `filled` of each row of the segment */
} trial;

typedef enum trial_outcome {
  TRIAL_DONE,        /* sheets and bounds are complete */
  TRIAL_NOT_OFFERED, /* the implementation does not offer this spec, which is allowed */
  TRIAL_FAILED       /* reason says how; the sheets are not valid */
} trial_outcome;

/* What posenc_fill() wrote. */
static inline void *trial_output(const trial *t, int64_t row, int64_t column) {
  return sheet_at(&t->filled, t->line_of[row], column);
}

trial trial_create(const segment *s);
void trial_destroy(trial *t);

/* seconds: the time limit; a child that exceeds it is ended and has failed. */
trial_outcome trial_run(trial *t, const posenc_impl *impl, unsigned seconds, char *reason, size_t size);

#endif
