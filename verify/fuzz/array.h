/* Memory that calls write to: at an element's alignment and no more, ending where the array does, filled with a
 * pattern. */
#ifndef POSENC_FUZZ_ARRAY_H
#define POSENC_FUZZ_ARRAY_H

#include <stdlib.h>
#include <string.h>

#include "complain.h"

typedef struct array {
  unsigned char *memory, *before, *start;
  size_t bytes;
} array;

/* `bytes` of them from `offset` bytes behind a multiple of 64. */
static inline array array_of(size_t bytes, size_t offset) {
  array a = {.bytes = offset + bytes};
  void *memory = NULL;
  if (posix_memalign(&memory, 64, a.bytes > 0 ? a.bytes : 1) != 0)
    complain("no memory for the target itself");
  a.memory = memory;
  a.before = malloc(a.bytes > 0 ? a.bytes : 1);
  memset(a.memory, 0x5a, a.bytes);
  memset(a.before, 0x5a, a.bytes);
  a.start = a.memory + offset;
  return a;
}

/* What may have changed is taken for right; the rest must be as before. */
static inline void array_accept(array *a, const unsigned char *at, size_t bytes) {
  memcpy(a->before + (at - a->memory), at, bytes);
}

static inline void array_judge(const char *what, const array *a) {
  for (size_t i = 0; i < a->bytes && memcmp(a->memory, a->before, a->bytes) != 0; i++)
    if (a->memory[i] != a->before[i])
      complain("%s: byte %td from the array's start was written", what, a->memory + i - a->start);
}

/* The start, or as `broken` has it NULL or an odd number of bytes behind: `null` and the few below it mean that. */
static inline unsigned char *broken_pointer(unsigned char *start, unsigned broken, unsigned null) {
  const unsigned below = null - broken;
  return below == 0 ? NULL : below <= 5 ? start + 2 * below - 1 : start;
}

static inline void array_free(array *a) {
  free(a->memory);
  free(a->before);
}

#endif
