/* Rows of elements of any dtype with canaries around them and between. */
#ifndef POSENC_VERIFY_GUARDED_H
#define POSENC_VERIFY_GUARDED_H

#include "formats.h"
#include "testing.h"

enum { CANARY = 0x5a };

typedef struct array {
  size_t size; /* of an element */
  int64_t count, width, stride, offset;
  unsigned char *memory, *start;
  size_t bytes;
} array;

static inline array array_of(int32_t dtype, int64_t count, int64_t width, int64_t gap, int64_t offset)
{
  array a = {.size = format_of(dtype)->size, .count = count, .width = width, .stride = width + gap, .offset = offset};
  a.bytes = (size_t)(count * a.stride + offset + 64) * a.size;
  a.memory = aligned_alloc(64, (a.bytes + 63) / 64 * 64);
  assert_non_null(a.memory);
  memset(a.memory, CANARY, a.bytes);
  a.start = a.memory + (size_t)(offset + 32) * a.size;
  return a;
}

static inline unsigned char *at(const array *a, int64_t row, int64_t column)
{
  return a->start + (row * a->stride + column) * (int64_t)a->size;
}

/* Gaps and what lies before and behind the rows. */
static inline void check_canaries(const char *what, const array *a)
{
  static unsigned char canaries[128 * 8];
  memset(canaries, CANARY, sizeof canaries);
  const unsigned char *from = a->memory, *end = a->memory + a->bytes;
  for (int64_t row = 0; row <= a->count; row++) {
    const unsigned char *to = row < a->count ? at(a, row, 0) : end;
    assert_true((size_t)(to - from) <= sizeof canaries);
    if (memcmp(from, canaries, (size_t)(to - from)) != 0)
      fail_msg("%s: bytes before row %lld, of %lld columns, were written", what, (long long)row, (long long)a->width);
    from = row < a->count ? at(a, row, a->width) : end;
  }
}

#endif
