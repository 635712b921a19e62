/* A family is an implementation's name without the instruction set, as posenc_impl_find() takes it. Its members are the
 * implementations that this machine can run. */
#ifndef POSENC_VERIFY_FAMILY_H
#define POSENC_VERIFY_FAMILY_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "posenc.h"

enum { FAMILY_SIZE = 64 };

/* "exact" for exact_avx2 and exact_scalar, "sleef_u35" for sleef_avx2_u35, "naive" for naive. */
static inline void family_of(const posenc_impl *impl, char family[FAMILY_SIZE]) {
  char isa[FAMILY_SIZE];
  snprintf(isa, sizeof isa, "_%s", impl->isa);
  const char *mark = strstr(impl->name, isa) ? isa : "_scalar", *at = strstr(impl->name, mark);
  if (at)
    snprintf(family, FAMILY_SIZE, "%.*s%s", (int)(at - impl->name), impl->name, at + strlen(mark));
  else
    snprintf(family, FAMILY_SIZE, "%s", impl->name);
}

/* The i-th member, in the order of the list; NULL past the last. */
static inline const posenc_impl *family_member(const char *family, size_t i) {
  for (size_t j = 0; j < posenc_impl_count(); j++) {
    const posenc_impl *impl = posenc_impl_by_index(j);
    char of[FAMILY_SIZE];
    family_of(impl, of);
    if (posenc_impl_supported(impl) && strcmp(of, family) == 0 && i-- == 0)
      return impl;
  }
  return NULL;
}

#endif
