#ifndef POSENC_SPEC_H
#define POSENC_SPEC_H

#include "kernel.h"

/* posenc_spec_check() after posenc_fp_enter(). */
posenc_status posenc_check_spec(const posenc_spec *spec);

/* What kernels are given of a checked spec. */
posenc_spec posenc_kernel_spec(const posenc_spec *spec);

#endif
