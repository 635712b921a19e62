#ifndef POSENC_DISPATCH_H
#define POSENC_DISPATCH_H

#include "kernel.h"

/* Every posenc_impl the library hands out is the head of a posenc_kernel. */
static inline const posenc_kernel *posenc_kernel_of(const posenc_impl *impl) { return (const posenc_kernel *)impl; }

/* Why the kernel does not offer this checked spec, or NULL. */
const char *posenc_kernel_refuses(const posenc_kernel *kernel, const posenc_spec *spec);

/* The implementation a plan of this checked spec gets for this name (or NULL); NULL if there is none of the name. */
const posenc_impl *posenc_impl_for(const char *name, const posenc_spec *spec);

#endif
