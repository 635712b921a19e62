/* Specs for the tools and the tests: the paper's table, and the names of the fields' values. */
#ifndef POSENC_TOOLS_SPEC_H
#define POSENC_TOOLS_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "posenc.h"

static inline posenc_spec paper_spec(int64_t d_model) {
  posenc_spec spec;
  posenc_spec_init(&spec, d_model, NULL);
  return spec;
}

/* Explicit frequencies, whose low parts may be NULL: 2n columns. */
static inline posenc_spec frequency_spec(const double *freqs, const double *freqs_low, int64_t n, int32_t dtype) {
  posenc_spec spec = paper_spec(2 * n);
  spec.freqs = freqs;
  spec.freqs_low = freqs_low;
  spec.n_freqs = n;
  spec.dtype = dtype;
  return spec;
}

/* These names are NULL for numbers past the last choice. */
static inline const char *dtype_name(int32_t dtype) {
  static const char *const names[] = {[POSENC_DTYPE_F32] = "float32",
      [POSENC_DTYPE_F64] = "float64",
      [POSENC_DTYPE_BF16] = "bfloat16",
      [POSENC_DTYPE_F16] = "float16"};
  return dtype >= 0 && dtype <= POSENC_DTYPE_F16 ? names[dtype] : NULL;
}

/* Whether the implementation lists the dtype. */
static inline bool offers(const posenc_impl *impl, int32_t dtype) {
  const size_t length = strlen(dtype_name(dtype));
  for (const char *word = impl->dtypes; *word; word += strcspn(word, " "), word += *word == ' ')
    if (strcspn(word, " ") == length && strncmp(word, dtype_name(dtype), length) == 0)
      return true;
  return false;
}

static inline const char *layout_name(int32_t layout) {
  return layout == POSENC_LAYOUT_INTERLEAVED ? "interleaved" : layout == POSENC_LAYOUT_SPLIT ? "split" : NULL;
}

static inline const char *order_name(int32_t order) {
  return order == POSENC_ORDER_SIN_FIRST ? "sin_first" : order == POSENC_ORDER_COS_FIRST ? "cos_first" : NULL;
}

static inline const char *odd_name(int32_t odd) {
  return odd == POSENC_ODD_HALF_PAIR ? "half_pair" : odd == POSENC_ODD_ZERO ? "zero" : NULL;
}

#endif
