#ifndef POSENC_SPEC_H
#define POSENC_SPEC_H

#include "kernel.h"

/* posenc_spec_check() behind the door (api/fpstate.h). */
posenc_status posenc_check_spec(const posenc_spec *spec);

/* What kernels are given of a checked spec. */
posenc_spec posenc_kernel_spec(const posenc_spec *spec);

#endif
