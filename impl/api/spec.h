#ifndef POSENC_SPEC_H
#define POSENC_SPEC_H

#include "kernel.h"

extern const char *const posenc_dtype_names[POSENC_DTYPE_F16 + 1];

/* A copy of the caller's spec. Checks that it is one, struct_size and reserved, and no more. */
posenc_status posenc_spec_read(posenc_spec *read, const posenc_spec *spec);

/* What kernels are given of a checked spec. */
posenc_spec posenc_pairs(const posenc_spec *spec);

#endif
