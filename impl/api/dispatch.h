#ifndef POSENC_DISPATCH_H
#define POSENC_DISPATCH_H

#include "kernel.h"

/* Every posenc_impl the library hands out is the head of a posenc_kernel. */
static inline const posenc_kernel *posenc_kernel_of(const posenc_impl *impl) { return (const posenc_kernel *)impl; }

/* Why the kernel does not offer this checked spec, or NULL. */
const char *posenc_kernel_refuses(const posenc_kernel *kernel, const posenc_spec *spec);

#endif
