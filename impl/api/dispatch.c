/* The list of implementations for the program: enumeration, look-up by name, support by this CPU, the default. */
#include "api/internal.h"

#include <string.h>

/* A row of list.inc exists in this build if it belongs to the architecture and its library is available. */
#if defined(__x86_64__)
#define POSENC_ON_x86_64(...) __VA_ARGS__
#define POSENC_ON_aarch64(...)
#elif defined(__aarch64__)
#define POSENC_ON_x86_64(...)
#define POSENC_ON_aarch64(...) __VA_ARGS__
#endif
#define POSENC_ON_all(...) __VA_ARGS__
#define POSENC_HAVE_libm(...) __VA_ARGS__
#if POSENC_WITH_SLEEF
#define POSENC_HAVE_sleef(...) __VA_ARGS__
#else
#define POSENC_HAVE_sleef(...)
#endif

#define POSENC_IMPL(name, file, isa, architecture, library)                                                            \
  POSENC_ON_##architecture(POSENC_HAVE_##library(extern const posenc_kernel posenc_kernel_##name;))
#include "list.inc"
#undef POSENC_IMPL

#define POSENC_IMPL(name, file, isa, architecture, library)                                                            \
  POSENC_ON_##architecture(POSENC_HAVE_##library(&posenc_kernel_##name, ))
static const posenc_kernel *const kernels[] = {
#include "list.inc"
};
#undef POSENC_IMPL

enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static const char default_name[] = "exact";

size_t posenc_impl_count(void) { return KERNELS; }

const posenc_impl *posenc_impl_by_index(size_t i) { return i < KERNELS ? &kernels[i]->info : NULL; }

const posenc_kernel *posenc_kernel_of(const posenc_impl *impl) {
  for (size_t i = 0; i < KERNELS; i++)
    if (&kernels[i]->info == impl)
      return kernels[i];
  return NULL;
}

int posenc_impl_supported(const posenc_impl *impl) {
  const posenc_kernel *kernel = posenc_kernel_of(impl);
  return kernel && (kernel->needs & ~posenc_cpu()) == 0;
}

const posenc_impl *posenc_impl_find(const char *name) {
  const posenc_impl *first = NULL;
  if (!name)
    name = default_name;
  for (size_t i = 0; i < KERNELS; i++) {
    const posenc_impl *impl = &kernels[i]->info;
    if (strcmp(impl->name, name) == 0)
      return impl;
    if (strcmp(impl->family, name) == 0) {
      if (posenc_impl_supported(impl))
        return impl;
      if (!first)
        first = impl;
    }
  }
  return first;
}

int posenc_needs_sleef(const char *name) {
#define POSENC_IMPL(row, file, isa, architecture, library) POSENC_ON_##architecture(#row, )
  static const char *const rows[] = {
#include "list.inc"
  };
#undef POSENC_IMPL
  const size_t n = strlen(name);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (strncmp(rows[i], name, n) == 0 && (rows[i][n] == '_' || rows[i][n] == '\0'))
      return 1;
  return 0;
}
