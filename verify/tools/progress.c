#include "progress.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { INTERVAL = 10 }; /* seconds between two lines where stderr is no terminal */

static double now_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_show(int64_t done, int64_t total, const char *unit, const char *now) {
  static double start, last;
  char left[48] = "";
  const double time = now_seconds();
  if (done == 0)
    start = last = time;
  if (done > 0) {
    const long long seconds = (long long)((time - start) / (double)done * (double)(total - done) + 0.5);
    if (seconds >= 60)
      snprintf(left, sizeof left, ", %lld min %lld s left", seconds / 60, seconds % 60);
    else
      snprintf(left, sizeof left, ", %lld s left", seconds);
  }
  if (isatty(STDERR_FILENO)) {
    fprintf(stderr, "\r\033[K%lld of %lld %s%s  %.34s", (long long)done, (long long)total, unit, left, now);
  } else if (time - last >= INTERVAL) {
    last = time;
    fprintf(stderr, "%s: %lld of %lld %s%s\n", program_invocation_short_name, (long long)done, (long long)total, unit,
        left);
  }
}

void progress_clear(void) {
  if (isatty(STDERR_FILENO))
    fputs("\r\033[K", stderr);
}
