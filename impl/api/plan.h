#ifndef POSENC_PLAN_H
#define POSENC_PLAN_H

#include "kernel.h"

struct posenc_plan {
  posenc_spec spec;        /* the caller's; freqs and freqs_low point into the plan's own block */
  posenc_spec kernel_spec; /* what the kernel is given (kernel.h) */
  const posenc_kernel *kernel;
  void *state; /* what kernel->prepare() made of kernel_spec */
};

#endif
