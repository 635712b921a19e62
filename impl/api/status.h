#ifndef POSENC_STATUS_H
#define POSENC_STATUS_H

#include "posenc.h"

/* Writes the message if there is room for one, and returns the status. */
__attribute__((format(printf, 4, 5))) posenc_status posenc_fail(
    posenc_status status, char *message, size_t size, const char *format, ...);

#endif
