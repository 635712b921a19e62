/* Which tables are streamed: written around the caches, by non-temporal stores.
 *
 * A table of 8 MiB or more is streamed, whatever CPUID says of the caches: virtual machines share the last one with
 * their neighbours (docs/speed.md has the measurements). A smaller table may still be in a cache when it is read. Parts
 * of at least 1 MiB of a table of that size are streamed, too. On AArch64 stores stay ordinary (simd/neon.h), strips
 * have their rotations in slots, and 24 MiB is a guess. */
#ifndef POSENC_STREAM_H
#define POSENC_STREAM_H

#include "kernel.h"

#ifndef POSENC_STREAM_BYTES /* tests: small tables too */
#ifdef __x86_64__
#define POSENC_STREAM_BYTES (INT64_C(8) << 20)
#else
#define POSENC_STREAM_BYTES (INT64_C(24) << 20)
#endif
#endif

static inline int is_large(const posenc_problem *problem, const posenc_rows *r) {
  const int64_t row = 2 * r->pairs * posenc_dtype_info_of(problem->dtype)->size, size = r->count * row;
  return size >= POSENC_STREAM_BYTES ||
         (size >= INT64_C(1) << 20 && problem->table_rows > (POSENC_STREAM_BYTES - 1) / row);
}

#endif
