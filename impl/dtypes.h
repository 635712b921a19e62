/* What the library knows of each dtype. */
#ifndef POSENC_DTYPES_H
#define POSENC_DTYPES_H

#include "posenc.h"

#include <string.h>

typedef struct posenc_format {
  const char *name;
  int size;   /* bytes of an element */
  int digits; /* bits of a significand */
  int least;  /* exponent of the least normal number; smaller numbers have fewer digits */
} posenc_format;

#define POSENC_EVERY_DTYPE "float32 float64 bfloat16 float16" /* for posenc_impl, in the order of posenc_dtype */

static inline const posenc_format *posenc_format_of(int32_t dtype) {
  static const posenc_format formats[] = {[POSENC_DTYPE_F32] = {"float32", 4, 24, -126},
      [POSENC_DTYPE_F64] = {"float64", 8, 53, -1022},
      [POSENC_DTYPE_BF16] = {"bfloat16", 2, 8, -126},
      [POSENC_DTYPE_F16] = {"float16", 2, 11, -14}};
  return &formats[dtype];
}

/* Whether a list of names, as in posenc_impl, has the name of the dtype. */
static inline int posenc_offers(const char *dtypes, int32_t dtype) {
  const char *const name = posenc_format_of(dtype)->name, *at = dtypes;
  const size_t n = strlen(name);
  while ((at = strstr(at, name)) && !((at == dtypes || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0')))
    at += n;
  return at != NULL;
}

#endif
