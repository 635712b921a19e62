#ifndef POSENC_STATUS_H
#define POSENC_STATUS_H

#include "posenc.h"

/* Records why the calling thread is refused, for posenc_last_error(), and returns the status. What the sentence is about is
 * copied, and nothing is formatted:
 *   %d int64_t   %u uint64_t   %g double   %p const void *   %s a string that lives as long as the library
 *   %q a caller's string, cut (at most one)    %i the names of all implementations   %r of all presets */
posenc_status posenc_fail(posenc_status status, const char *sentence, ...);

#endif
