#ifndef POSENC_SPEC_H
#define POSENC_SPEC_H

#include "kernel.h"

extern const char *const posenc_dtype_names[POSENC_DTYPE_F16 + 1];

/* What kernels are given of a checked spec. */
posenc_spec posenc_pairs(const posenc_spec *spec);

#endif
