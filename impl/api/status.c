/* Status codes, why a call was refused, the version, the sizes of dtypes. */
#include "api/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *posenc_version(void) { return POSENC_VERSION_STRING; }

const char *posenc_status_string(posenc_status status) {
  switch (status) {
  case POSENC_OK:
    return "no error";
  case POSENC_ERROR_ARGUMENT:
    return "an argument is NULL, misaligned, negative or too small, or arrays overlap";
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
    return "the table has too many elements";
  case POSENC_ERROR_MEMORY:
    return "out of memory";
  }
  return "unknown status";
}

size_t posenc_dtype_size(posenc_dtype dtype) {
  return (int32_t)dtype >= 0 && dtype <= POSENC_DTYPE_F16 ? (size_t)posenc_dtype_info_of((int32_t)dtype)->size : 0;
}

/* ---- why a call was refused ---- */

static _Thread_local struct {
  posenc_status status;
  char message[POSENC_MESSAGE_SIZE];
} last;

posenc_status posenc_fail(posenc_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(last.message, sizeof last.message, format, arguments);
  va_end(arguments);
  return last.status = status;
}

posenc_status posenc_fail_pointer(const char *name, const void *pointer, size_t unit, const char *what) {
  char address[24] = "NULL"; /* systems differ in what %p writes for it */
  if (pointer)
    snprintf(address, sizeof address, "%p", pointer);
  return posenc_fail(
      POSENC_ERROR_ARGUMENT, "%s is %s; allowed: %s aligned to %d bytes", name, address, what, (int)unit);
}

posenc_status posenc_check_struct(
    const char *type, size_t struct_size, size_t size, const uint64_t *reserved, size_t n_reserved) {
  if (struct_size != size)
    return posenc_fail(POSENC_ERROR_SPEC,
        "struct_size is %" PRIu64 "; allowed: sizeof(%s) = %" PRIu64 ", as %s_init() sets it where it succeeds",
        (uint64_t)struct_size, type, (uint64_t)size, type);
  const size_t i = posenc_first_used(reserved, n_reserved);
  if (i < n_reserved)
    return posenc_fail(POSENC_ERROR_SPEC,
        "reserved[%" PRIu64 "] is %" PRIu64 "; this library, version %s, allows 0: was the %s set up by %s_init()?",
        (uint64_t)i, reserved[i], posenc_version(), type, type);
  return POSENC_OK;
}

posenc_status posenc_fail_name(
    posenc_status status, const char *argument, const char *given, size_t count, const char *known(size_t i)) {
  char shown[80] = ""; /* printable ASCII; the start of a long name */
  for (size_t n = 0; *given && n + 4 < sizeof shown; given++) {
    const int byte = (unsigned char)*given, plain = byte >= ' ' && byte <= '~' && byte != '"' && byte != '\\';
    n += (size_t)snprintf(shown + n, sizeof shown - n, plain ? "%c" : "\\x%02x", byte);
  }
  posenc_fail(status, "%s is \"%s\"; allowed: ", argument, shown);
  for (size_t i = 0; i < count; i++) {
    const size_t length = strlen(last.message), room = sizeof last.message - length;
    const int added = snprintf(last.message + length, room, "%s%s", i ? ", " : "", known(i));
    if (added < 0 || (size_t)added >= room) {
      last.message[length] = '\0'; /* whole names only */
      break;
    }
  }
  return status;
}

posenc_status posenc_last_error(char *message, size_t size) {
  if (message && size > 0) {
    const size_t length = strlen(last.message), most = length < size ? length : size - 1;
    memcpy(message, last.message, most);
    message[most] = '\0';
  }
  return last.status;
}
