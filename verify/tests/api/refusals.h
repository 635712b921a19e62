/* For the tables of refusals: the thread's last error must be as expected. */
#ifndef POSENC_TESTS_REFUSALS_H
#define POSENC_TESTS_REFUSALS_H

#include "testing.h"

/* The message must contain each of the `words`, which are separated by bars. */
static inline void expect_words(const char *message, const char *words) {
  char word[128];
  for (const char *end; *words; words = *end ? end + 1 : end) {
    end = words + strcspn(words, "|");
    snprintf(word, sizeof word, "%.*s", (int)(end - words), words);
    if (!strstr(message, word))
      fail_msg("\"%s\" does not say \"%s\"", message, word);
  }
}

static inline void expect_last(posenc_status status, const char *words) {
  char message[512];
  assert_int_equal(posenc_last_error(message, sizeof message), status);
  expect_words(message, words);
}

#endif
