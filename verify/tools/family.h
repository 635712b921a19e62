/* The implementations that this machine can run. */
#ifndef POSENC_TOOLS_FAMILY_H
#define POSENC_TOOLS_FAMILY_H

#include <string.h>

#include "posenc.h"

/* The i-th member of a family, or of all implementations if it is NULL, in the order of the list; NULL past the last. */
static inline const posenc_impl *family_member(const char *family, size_t i) {
  for (size_t j = 0; j < posenc_impl_count(); j++) {
    const posenc_impl *impl = posenc_impl_by_index(j);
    if (posenc_impl_supported(impl) && (!family || strcmp(impl->family, family) == 0) && i-- == 0)
      return impl;
  }
  return NULL;
}

#endif
