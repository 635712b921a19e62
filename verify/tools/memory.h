/* Memory for the tools. If there is none, the process ends, as it does inside MPFR. The library does not use this. */
#ifndef POSENC_TOOLS_MEMORY_H
#define POSENC_TOOLS_MEMORY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn static inline void out_of_memory(const char *what) {
  fprintf(stderr, "out of memory %s\n", what);
  exit(2);
}

static inline void *must_calloc(int64_t count, size_t size) {
  void *memory = calloc(count > 0 ? (size_t)count : 1, size);
  if (!memory) {
    fprintf(stderr, "out of memory: %lld elements of %zu bytes\n", (long long)count, size);
    exit(2);
  }
  return memory;
}

#endif
