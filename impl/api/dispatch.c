/* The list of implementations as the program sees it: enumeration, look-up by name, support by this CPU, the default. */
#include "api/dispatch.h"

#include "api/fpstate.h"

#include <string.h>

/* A row of list.inc exists in this build if its instruction set belongs to the architecture and its library is available. */
#if defined(__x86_64__)
#define POSENC_BUILT_avx2(...) __VA_ARGS__
#define POSENC_BUILT_avx512(...) __VA_ARGS__
#define POSENC_BUILT_neon(...)
#elif defined(__aarch64__)
#define POSENC_BUILT_avx2(...)
#define POSENC_BUILT_avx512(...)
#define POSENC_BUILT_neon(...) __VA_ARGS__
#endif
#define POSENC_BUILT_fma(...) __VA_ARGS__
#define POSENC_BUILT_any(...) __VA_ARGS__
#define POSENC_HAVE_libm(...) __VA_ARGS__
#if POSENC_WITH_SLEEF
#define POSENC_HAVE_sleef(...) __VA_ARGS__
#else
#define POSENC_HAVE_sleef(...)
#endif

#define POSENC_IMPL(name, file, isa, library, variant, arithmetic, summary)                                            \
  POSENC_BUILT_##isa(POSENC_HAVE_##library(extern const posenc_kernel posenc_kernel_##name;))
#include "list.inc"
#undef POSENC_IMPL

#define POSENC_IMPL(name, file, isa, library, variant, arithmetic, summary)                                            \
  POSENC_BUILT_##isa(POSENC_HAVE_##library(&posenc_kernel_##name, ))
static const posenc_kernel *const kernels[] = {
#include "list.inc"
};
#undef POSENC_IMPL

enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static const char default_name[] = "exact";

size_t posenc_impl_count(void) { return KERNELS; }

const posenc_impl *posenc_impl_by_index(size_t i) { return i < KERNELS ? &kernels[i]->info : NULL; }

int posenc_impl_supported(const posenc_impl *impl) {
  return impl && (posenc_kernel_of(impl)->cpu & ~posenc_cpu()) == 0;
}

/* Is `family` the name with one of its parts, `part`, left out? "sleef_u35" is "sleef_avx2_u35" without "avx2". */
static int is_without(const char *family, const char *name, const char *part) {
  const size_t length = strlen(part);
  for (const char *p = strchr(name, '_'); p; p = strchr(p + 1, '_'))
    if (strncmp(p + 1, part, length) == 0 && (p[1 + length] == '_' || p[1 + length] == '\0')) {
      const size_t head = (size_t)(p - name);
      return strncmp(family, name, head) == 0 && strcmp(family + head, p + 1 + length) == 0;
    }
  return 0;
}

static int is_family(const posenc_impl *impl, const char *family) {
  return is_without(family, impl->name, impl->isa) || is_without(family, impl->name, "scalar");
}

const posenc_impl *posenc_impl_find(const char *name) {
  const posenc_impl *first = NULL;
  if (!name)
    name = default_name;
  for (size_t i = 0; i < KERNELS; i++)
    if (strcmp(kernels[i]->info.name, name) == 0)
      return &kernels[i]->info;
  for (size_t i = 0; i < KERNELS; i++)
    if (is_family(&kernels[i]->info, name)) {
      if (posenc_impl_supported(&kernels[i]->info))
        return &kernels[i]->info;
      if (!first)
        first = &kernels[i]->info;
    }
  return first;
}

const char *posenc_kernel_refuses(const posenc_kernel *kernel, const posenc_spec *spec) {
  const posenc_fpstate caller = posenc_fp_enter();
  const char *reason = kernel->refuses ? kernel->refuses(spec) : NULL;
  posenc_fp_leave(caller);
  return reason;
}
