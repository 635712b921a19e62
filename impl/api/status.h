#ifndef POSENC_STATUS_H
#define POSENC_STATUS_H

#include "posenc.h"

#include <inttypes.h>

/* Writes why the calling thread is refused, for posenc_last_error(), and returns the status. */
__attribute__((format(printf, 2, 3))) posenc_status posenc_fail(posenc_status status, const char *format, ...);

/* Whether memory of elements of `unit` bytes can be at this address. */
static inline int posenc_is_usable(const void *pointer, size_t unit) {
  return pointer && (uintptr_t)pointer % unit == 0;
}

/* Refuses a pointer that is not usable; `what` is needed there. */
posenc_status posenc_fail_pointer(const char *name, const void *pointer, size_t unit, const char *what);

/* Refuses an unknown name, which the message quotes as printable ASCII. `known` gives the `count` names that are
 * allowed. */
posenc_status posenc_fail_name(
    posenc_status status, const char *argument, const char *given, size_t count, const char *known(size_t i));

#endif
