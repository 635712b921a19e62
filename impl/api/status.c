/* Status codes, why a call was refused, the version, the sizes of dtypes. */
#include "api/status.h"

#include <fenv.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
  case POSENC_DTYPE_F32:
    return sizeof(float);
  case POSENC_DTYPE_F64:
    return sizeof(double);
  case POSENC_DTYPE_BF16:
  case POSENC_DTYPE_F16:
    return sizeof(uint16_t);
  }
  return 0;
}

/* ---- why a call was refused ---- */

typedef struct refusal {
  const char *sentence; /* as posenc_fail() has it; NULL: no call was refused */
  union {
    int64_t integer;
    uint64_t natural;
    double real;
    const void *pointer;
  } values[5];
  int32_t status;
  char text[sizeof(posenc_error) - 6 * sizeof(int64_t) - sizeof(int32_t)];
} refusal;

_Static_assert(sizeof(refusal) == sizeof(posenc_error) && sizeof(refusal) == 128, "what a handler saves is all of it");

/* Memory that is there from a thread's start. Only glibc has room for it in a library that is loaded later. */
#ifdef __GLIBC__
__attribute__((tls_model("initial-exec")))
#endif
static _Thread_local posenc_error last;

posenc_error *posenc_error_location(void) { return &last; }

posenc_status posenc_fail(posenc_status status, const char *sentence, ...) {
  refusal why = {.sentence = sentence, .status = (int32_t)status};
  int n = 0;
  va_list arguments;
  va_start(arguments, sentence);
  for (const char *p = sentence; *p; p++)
    if (*p == '%')
      switch (*++p) {
      case 'd':
        why.values[n++].integer = va_arg(arguments, int64_t);
        break;
      case 'u':
        why.values[n++].natural = va_arg(arguments, uint64_t);
        break;
      case 'g':
        why.values[n++].real = va_arg(arguments, double);
        break;
      case 'p':
        why.values[n++].pointer = va_arg(arguments, const void *);
        break;
      case 's':
        why.values[n++].pointer = va_arg(arguments, const char *);
        break;
      case 'q':
        strncpy(why.text, va_arg(arguments, const char *), sizeof why.text - 1);
        break;
      }
  va_end(arguments);
  memcpy(&last, &why, sizeof last);
  return status;
}

typedef struct text {
  char *at;
  size_t left;
} text;

__attribute__((format(printf, 2, 3))) static void append(text *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(t->at, t->left, format, arguments);
  va_end(arguments);
  const size_t written = length < 0 ? 0 : (size_t)length < t->left ? (size_t)length : t->left - 1;
  t->at += written;
  t->left -= written;
}

static void write_sentence(const refusal *why, text t) {
  int n = 0;
  for (const char *p = why->sentence ? why->sentence : ""; *p; p++)
    if (*p != '%')
      append(&t, "%c", *p);
    else
      switch (*++p) {
      case 'd':
        append(&t, "%" PRId64, why->values[n++].integer);
        break;
      case 'u':
        append(&t, "%" PRIu64, why->values[n++].natural);
        break;
      case 'g':
        append(&t, "%.17g", why->values[n++].real);
        break;
      case 'p':
        append(&t, "%p", why->values[n++].pointer);
        break;
      case 's':
        append(&t, "%s", (const char *)why->values[n++].pointer);
        break;
      case 'q':
        append(&t, "%s", why->text);
        break;
      case 'i':
        for (size_t i = 0; i < posenc_impl_count(); i++)
          append(&t, "%s%s", i ? ", " : "", posenc_impl_by_index(i)->name);
        break;
      case 'r':
        for (size_t i = 0; i < posenc_preset_count(); i++)
          append(&t, "%s%s", i ? ", " : "", posenc_preset_by_index(i)->name);
        break;
      }
}

posenc_status posenc_last_error(char *message, size_t size) {
  refusal why;
  memcpy(&why, &last, sizeof why);
  if (message && size > 0) {
    const int rounding = fegetround(); /* which decides the last digit */
    fesetround(FE_TONEAREST);
    *message = '\0';
    write_sentence(&why, (text){message, size < INT_MAX ? size : INT_MAX}); /* some write nothing above that */
    fesetround(rounding);
  }
  return (posenc_status)why.status;
}
