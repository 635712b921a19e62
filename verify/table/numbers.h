/* The four kinds of elements, as doubles: their values, their bits in a file, and rounding to them. */
#ifndef POSENC_TABLE_NUMBERS_H
#define POSENC_TABLE_NUMBERS_H

#include <stdint.h>

#include "posenc.h"

typedef struct number_kind {
  const char *name;  /* "float32" */
  const char *option; /* "f32" */
  const char *descr; /* of an .npy file written by us: "<f4" */
  int precision;     /* bits of a significand */
  int least;         /* exponent of the smallest normal number */
} number_kind;

/* By posenc_dtype. */
extern const number_kind number_kinds[4];

/* The element at `bytes`, little-endian; any alignment. */
double number_read(posenc_dtype dtype, const void *bytes);

/* x, finite and far from the largest, rounded once to the nearest of that kind, ties to even. */
double number_round(posenc_dtype dtype, double x);

#endif
