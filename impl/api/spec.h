/* Every refusal of the library is decided in api/spec.c, once, with its status and its sentence. */
#ifndef POSENC_SPEC_H
#define POSENC_SPEC_H

#include "kernel.h"

#include <stdarg.h>
#include <stdio.h>

/* Writes the message if there is room for one, and returns the status. */
__attribute__((format(printf, 4, 5))) posenc_status posenc_fail(posenc_status status, char *message, size_t size,
                                                                 const char *format, ...);

/* A copy of the caller's spec. Checks that it is one, struct_size and reserved, and no more. */
posenc_status posenc_spec_read(posenc_spec *read, const posenc_spec *spec, char *message, size_t size);

extern const char *const posenc_dtype_names[POSENC_F16 + 1];

#endif
