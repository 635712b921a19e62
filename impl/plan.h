#ifndef POSENC_PLAN_H
#define POSENC_PLAN_H

#include "kernel.h"

struct posenc_plan {
  posenc_spec spec; /* freqs points into the plan's own block */
  const posenc_kernel *kernel;
  void *state; /* what kernel->prepare() made of the spec */
};

#endif
