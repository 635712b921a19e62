/* What the parts of the fuzz target share. */
#ifndef POSENC_FUZZ_FUZZ_H
#define POSENC_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tests/call.h"
#include "bytes.h"

/* ---- take_spec.c: bytes to a spec, a preset's or the paper's with fields changed. Most specs are valid. */

/* The target makes no wider plan: that would take a second. */
enum { WIDEST_PLAN = 9000 };

typedef struct fuzz_spec {
  posenc_spec spec;
  double *freqs, *freqs_low; /* of the spec's size, to be freed */
  const char *name;          /* of an implementation, a family, NULL, or unknown */
} fuzz_spec;
void take_spec(bytes *b, fuzz_spec *f);

/* ---- take_call.c: bytes to a call on a plan of the spec */

typedef struct fuzz_call {
  arguments a;    /* its lists of positions are to be freed; other addresses are not set */
  unsigned state; /* of floating point, for TRY */
  bool adds, in_place;
  int64_t width; /* columns of a row; for posenc_fill_pair, of a row in each of the two arrays */
  size_t size;   /* of an element */
} fuzz_call;
void take_call(bytes *b, const posenc_plan *plan, const posenc_spec *spec, fuzz_call *c);

/* ---- check.c: the promises of posenc.h */

/* Prints what was found and ends the process, which libFuzzer takes for a crash. */
#define complain(...) (fprintf(stderr, "FOUND: " __VA_ARGS__), fputc('\n', stderr), abort())

void enter_state(unsigned how);
void leave_state(const char *what);
void check_refusal(const char *what, posenc_status status, unsigned room);

/* The status is right, and posenc_positions_check agrees. allowed: all arguments are, except perhaps positions. */
void check_status(const fuzz_call *c, const posenc_spec *spec, bool allowed, posenc_status status);

/* Makes a call in the floating-point state that the byte `how` means, 0 the usual one. A refused call is made again. */
#define TRY(b, how, what, status, call)                                                                                \
  do {                                                                                                                 \
    const unsigned room = take_byte(b);                                                                                \
    enter_state(how);                                                                                                  \
    (status) = (call);                                                                                                 \
    leave_state(what);                                                                                                 \
    if ((status) != POSENC_OK)                                                                                         \
      check_refusal(what, status, room);                                                                               \
    if ((status) != POSENC_OK && (call) != (status))                                                                   \
      complain("%s is refused with %d, then answers otherwise", what, (int)(status));                                  \
  } while (0)

/* After a call that was not refused: writes its rows into `image`, a copy of its arrays from before the call. Each row
 * is computed alone, and MPFR checks a sample of them. Sums are checked and copied. */
void make_image(bytes *b, const fuzz_call *c, const posenc_spec *spec, const arguments *image);

#endif
