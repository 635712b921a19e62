/* A line on standard error for work that takes long: nothing for the first two seconds, then a share in place. */
#ifndef POSENC_TABLE_PROGRESS_H
#define POSENC_TABLE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

typedef struct progress {
  const char *what;
  time_t start, said;
} progress;

static inline progress progress_start(const char *what) {
  const time_t now = time(NULL);
  return (progress){what, now, now};
}

static inline void progress_at(progress *p, int64_t done, int64_t of) {
  const time_t now = time(NULL);
  if (now - p->start < 2 || now == p->said)
    return;
  p->said = now;
  fprintf(stderr, "\r%s: %.0f %% ", p->what, 100.0 * (double)done / (double)of);
}

static inline void progress_end(progress *p) {
  if (p->said != p->start)
    fputc('\n', stderr);
  p->said = p->start;
}

#endif
