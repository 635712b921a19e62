/* Declarations that the files of the fuzz target share. */
#ifndef POSENC_FUZZ_FUZZ_H
#define POSENC_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tools/random.h"
#include "../tools/call.h"
#include "bytes.h"

/* ---- take_spec.c: makes a spec of bytes, a preset's or the paper's with some fields changed. Most specs are valid. */

/* The target makes no wider plan, which would take a second. */
enum { WIDEST_PLAN = 9000 };

typedef struct fuzz_spec {
  posenc_spec spec;
  int64_t near;              /* frequencies that are hard to round are hard there */
  double *freqs, *freqs_low; /* n_freqs of each; the caller frees them */
  const char *name;          /* of an implementation or a family, NULL, or an unknown name */
} fuzz_spec;
void take_spec(bytes *b, fuzz_spec *f);

/* ---- take_call.c: makes a call on a plan of the spec */

typedef struct fuzz_call {
  arguments a;    /* the caller frees its lists of positions; other addresses are not set */
  unsigned state; /* of the floating-point environment, for TRY */
  int64_t width;  /* columns of a row; of posenc_fill_pair, in each of the two arrays */
  size_t size;    /* of an element */
} fuzz_call;
fuzz_call call_of(const posenc_plan *plan, const posenc_spec *spec, call_kind kind); /* without rows */
void take_call(bytes *b, const posenc_plan *plan, const fuzz_spec *f, fuzz_call *c);

/* ---- try_rotary.c: makes a rotary embedding and its frequencies, also in memory that overlaps or is misaligned */

void try_rotary(bytes *b);

/* ---- check.c: the promises of posenc.h */

/* Prints the fault and aborts, which libFuzzer counts as a crash. */
#define complain(...) (fprintf(stderr, "FOUND: " __VA_ARGS__), fputc('\n', stderr), abort())

void enter_state(unsigned how);
void leave_state(const char *what);
void check_refusal(const char *what, posenc_status status, unsigned room);

/* Checks the status of a call. allowed: all arguments but the positions are allowed. */
void check_status(const fuzz_call *c, const posenc_spec *spec, bool allowed, posenc_status status);

/* Makes a call in the floating-point state that the byte `how` selects; 0 is the usual one. Repeats a refused call. */
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

/* Asks for a plan's frequencies in turns. test_frequencies.c checks their values. */
void try_phases(bytes *b, const posenc_plan *plan);

/* For a call that was not refused: writes its rows into `image`, a copy of its arrays from before the call. Each row is
 * computed by a call for its row alone, in the paper's layout, with more columns and perhaps by another member of the
 * family. A sample is compared with MPFR. */
void make_image(bytes *b, const fuzz_call *c, const posenc_spec *spec, const arguments *image);

/* If the byte, which is wrong, is of an element of the rows that begin at `rows`, names the element.
 * image: the expected rows */
void check_element(
    const fuzz_call *c, const unsigned char *rows, bool cosines, const unsigned char *byte, const unsigned char *image);

/* ---- fuzz_fill.c */

/* Makes the call, in memory between inaccessible pages, and checks it. Frees its lists. */
void try_call(bytes *b, fuzz_call *c, const posenc_spec *spec);

/* Makes a spec, a plan and up to three calls of the bytes, and checks all of them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
