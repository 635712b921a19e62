/* Status codes and their messages, the version, the sizes of dtypes. */
#include "api/status.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

const char *posenc_version(void) { return POSENC_VERSION_STRING; }

const char *posenc_status_string(posenc_status status) {
  switch (status) {
  case POSENC_OK:
    return "no error";
  case POSENC_ERROR_ARGUMENT:
    return "an argument is NULL, misaligned, negative or too small";
  case POSENC_ERROR_SPEC:
    return "a field of the spec is out of range, or no such preset";
  case POSENC_ERROR_UNKNOWN_IMPL:
    return "no implementation has this name";
  case POSENC_ERROR_CPU:
    return "this machine lacks instructions that the implementation needs";
  case POSENC_ERROR_UNSUPPORTED:
    return "the implementation does not offer this spec";
  case POSENC_ERROR_DOMAIN:
    return "a position is outside -2^32 .. 2^32";
  case POSENC_ERROR_SIZE:
    return "the table does not fit the address space";
  case POSENC_ERROR_MEMORY:
    return "out of memory";
  }
  return "unknown status";
}

size_t posenc_dtype_size(posenc_dtype dtype) {
  switch (dtype) {
  case POSENC_F32:
    return sizeof(float);
  case POSENC_F64:
    return sizeof(double);
  case POSENC_BF16:
  case POSENC_F16:
    return sizeof(uint16_t);
  }
  return 0;
}

posenc_status posenc_fail(posenc_status status, char *message, size_t size, const char *format, ...) {
  if (message && size > 0) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, size < INT_MAX ? size : INT_MAX, format, arguments); /* some write nothing above that */
    va_end(arguments);
  }
  return status;
}
