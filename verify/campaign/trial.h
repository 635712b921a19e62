/* Runs one implementation over one segment, in a child process: whatever it does there is its own failure. */
#ifndef POSENC_VERIFY_TRIAL_H
#define POSENC_VERIFY_TRIAL_H

#include "sheet.h"
#include "sweep.h"

typedef struct trial_state trial_state;

/* Memory that parent and child share, for one segment and one implementation after another. */
typedef struct trial {
  const segment *s;
  trial_state *state;
  double *bounds;   /* posenc_impl_error_bound() of every output, row by row */
  sheet filled;     /* by posenc_fill(), run by run: rows at odd addresses, a guard row around each run */
  sheet filled_at;  /* by posenc_fill_at(), all rows shuffled: row i is position shuffled[i], aligned to 64 bytes */
  int64_t *line_of; /* in that of posenc_fill(): the line of each row */
} trial;

typedef enum trial_outcome {
  TRIAL_DONE,        /* sheets and bounds are complete */
  TRIAL_NOT_OFFERED, /* the implementation refuses this spec, as it may */
  TRIAL_FAILED       /* reason says how; the sheets are not to be trusted */
} trial_outcome;

/* What posenc_fill() wrote. */
static inline void *trial_output(const trial *t, int64_t row, int64_t column) {
  return sheet_at(&t->filled, t->line_of[row], column);
}

trial trial_create(const segment *s);
void trial_destroy(trial *t);

/* seconds: after them the child is ended and has failed. */
trial_outcome trial_run(trial *t, const posenc_impl *impl, unsigned seconds, char *reason, size_t size);

#endif
