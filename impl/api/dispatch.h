#ifndef POSENC_DISPATCH_H
#define POSENC_DISPATCH_H

#include "kernel.h"

/* The kernel of an implementation that the library handed out. NULL for any other address, such as that of a copy. */
const posenc_kernel *posenc_kernel_of(const posenc_impl *impl);

#endif
