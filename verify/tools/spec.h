/* Specs for the tools and the tests: the paper's table, and the names of the fields' values. */
#ifndef POSENC_TOOLS_SPEC_H
#define POSENC_TOOLS_SPEC_H

#include <stddef.h>
#include <stdint.h>

#include "../../impl/dtypes.h"
#include "posenc.h"

static inline posenc_spec paper_spec(int64_t d_model) {
  posenc_spec spec;
  posenc_spec_init(&spec, d_model, NULL);
  return spec;
}

/* These names are NULL for numbers past the last choice. */
static inline const char *dtype_name(int32_t dtype) {
  return posenc_dtype_size((posenc_dtype)dtype) ? posenc_dtype_info_of(dtype)->name : NULL;
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
