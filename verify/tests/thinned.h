/* In emulated and sanitized builds some tests would take minutes. CMake defines POSENC_THINNED for these builds, and
 * the tests skip three of four cases. */
#ifndef POSENC_VERIFY_THINNED_H
#define POSENC_VERIFY_THINNED_H

#include "tools/random.h"

#ifdef POSENC_THINNED
enum { THINNED = 1 };
#else
enum { THINNED = 0 };
#endif

static inline int skipped(uint64_t *seed) { return THINNED && next_random(seed) % 4 != 0; }

#endif
