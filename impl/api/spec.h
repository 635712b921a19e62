#ifndef POSENC_SPEC_H
#define POSENC_SPEC_H

#include "kernel.h"

/* Returns POSENC_OK if the spec can be used, else the status of the first field that is out of range. */
posenc_status posenc_check_spec(const posenc_spec *spec);

/* What kernels are given of a checked spec. */
posenc_spec posenc_kernel_spec(const posenc_spec *spec);

#endif
