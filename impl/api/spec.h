#ifndef POSENC_SPEC_H
#define POSENC_SPEC_H

#include "kernel.h"

/* What kernels are given of a checked spec. */
posenc_spec posenc_pairs(const posenc_spec *spec);

#endif
