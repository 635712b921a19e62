#include "progress.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

enum { INTERVAL = 10 }; /* seconds */

void progress_show(int64_t done, int64_t total) {
  static time_t start, last;
  const time_t now = time(NULL);
  if (done == 0)
    start = last = now;
  if (difftime(now, last) < INTERVAL)
    return;
  last = now;
  fprintf(stderr, "%s: %lld of %lld outputs, about %.0f s left\n", program_invocation_short_name, (long long)done,
      (long long)total, difftime(now, start) / (double)done * (double)(total - done));
}
