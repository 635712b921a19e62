/* Runs one implementation on one segment in a child process, so that a crash or a hang is a failure of that
 * implementation only. */
#ifndef POSENC_VERIFY_TRIAL_H
#define POSENC_VERIFY_TRIAL_H

#include <stddef.h>

#include "calls.h"

typedef struct trial_state trial_state;

/* Memory that parent and child share. It serves one segment, and one implementation after another. */
typedef struct trial {
  const segment *s;
  trial_state *state;
  size_t size;            /* bytes of an output */
  unsigned char *outputs; /* of posenc_fill(), a call for each sample, then of the real positions: rows without gaps */
  double *bounds;         /* posenc_impl_error_bound() of every output, row by row */
  disagreement *found;    /* what another call writes otherwise */
} trial;

typedef enum trial_outcome {
  TRIAL_DONE,        /* outputs and bounds are complete */
  TRIAL_NOT_OFFERED, /* the implementation does not offer this spec, which is allowed */
  TRIAL_FAILED       /* reason says how; the outputs are not valid */
} trial_outcome;

/* The output that the call wrote; a NaN if it wrote none. */
static inline void *trial_output(const trial *t, int64_t row, int64_t column) {
  return t->outputs + (size_t)(row * t->s->spec.d_model + column) * t->size;
}

trial trial_create(const segment *s);
void trial_destroy(trial *t);

/* seconds: the time limit; a child that exceeds it is ended and has failed. */
trial_outcome trial_run(trial *t, const posenc_impl *impl, unsigned seconds, char *reason, size_t size);

#endif
