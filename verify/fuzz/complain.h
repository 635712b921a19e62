/* How a fuzz target says what it has found: one line, and an end that the fuzzer takes for a crash. */
#ifndef POSENC_FUZZ_COMPLAIN_H
#define POSENC_FUZZ_COMPLAIN_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noreturn, format(printf, 1, 2))) static inline void complain(const char *sentence, ...) {
  va_list arguments;
  va_start(arguments, sentence);
  fputs("FOUND: ", stderr);
  vfprintf(stderr, sentence, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  abort();
}

#endif
