#ifndef POSENC_STATUS_H
#define POSENC_STATUS_H

#include "posenc.h"

#include <inttypes.h>

/* Writes why the calling thread is refused, for posenc_last_error(), and returns the status. */
__attribute__((format(printf, 2, 3))) posenc_status posenc_fail(posenc_status status, const char *format, ...);

/* The same for an unknown name: `known` gives the `count` names that are allowed. */
posenc_status posenc_fail_name(
    posenc_status status, const char *argument, const char *given, size_t count, const char *known(size_t i));

#endif
