/* A spec of the fuzzer's bytes: a preset or the paper's with fields changed, most of them valid. */
#ifndef POSENC_FUZZ_SPEC_H
#define POSENC_FUZZ_SPEC_H

#include "bytes.h"
#include "posenc.h"

/* Above this no plan is made: that is for tests of limits, and takes a second. */
enum { WIDEST_PLAN = 9000 };

typedef struct fuzz_spec {
  posenc_spec spec;
  double *freqs;    /* what spec.freqs points to, of its very size; to be freed */
  char own[12];     /* a name as the bytes have it */
  const char *name; /* an implementation's, a family's, NULL, or no name at all */
} fuzz_spec;

void take_spec(bytes *b, fuzz_spec *f);

/* posenc_spec_check, posenc_plan_check and posenc_plan_create on it, judged. Returns the plan, or NULL where there is
 * none. */
posenc_plan *plan_judged(bytes *b, const fuzz_spec *f);

/* A message's room, to see that a call stays in it. */
enum { MESSAGE_ROOM = 400 };
typedef struct message {
  char text[MESSAGE_ROOM];
  size_t size;
} message;
void message_clear(message *m, bytes *b);
void message_judge(const char *what, const message *m, posenc_status status);

#endif
