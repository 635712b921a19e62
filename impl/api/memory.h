/* Memory that starts at a multiple of `alignment`, a power of two. C11's aligned_alloc() wants `bytes` to be a multiple
 * of it. Windows has a function of its own, because its free() cannot release such memory. */
#ifndef POSENC_MEMORY_H
#define POSENC_MEMORY_H

#include <stdlib.h>
#ifdef _WIN32
#include <malloc.h>
#endif

static inline void *posenc_memory_allocate(size_t alignment, size_t bytes) {
#ifdef _WIN32
  return _aligned_malloc(bytes, alignment);
#else
  return aligned_alloc(alignment, bytes);
#endif
}

static inline void posenc_memory_free(void *memory) {
#ifdef _WIN32
  _aligned_free(memory);
#else
  free(memory);
#endif
}

#endif
