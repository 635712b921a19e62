#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { EVERY_SECONDS = 10 }; /* between lines when stderr is a file */

static struct {
  long total, begun;
  bool terminal, shown;
  time_t start, next;
} p;

static time_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec;
}

void progress_start(long total) {
  p.total = total;
  p.terminal = isatty(STDERR_FILENO) == 1;
  p.start = now();
  p.next = p.start + EVERY_SECONDS;
}

void progress_run(progress_case *c, const char *name, int64_t passes) {
  /* While Google Benchmark looks for the number of passes, each attempt has more than the one before; only the first
   * attempt and the later repetitions, which keep the number, are new repetitions. */
  const bool another_attempt = c->passes != 0 && passes != c->passes;
  c->passes = passes;
  if (another_attempt || p.total == 0)
    return;
  p.begun++;
  if (p.terminal) {
    fprintf(stderr, "\r\033[K%ld/%ld  %.60s", p.begun, p.total, name);
    fflush(stderr);
    p.shown = true;
  } else if (now() >= p.next) {
    fprintf(stderr, "benchmark: %ld of %ld repetitions, %ld s\n", p.begun, p.total, (long)(now() - p.start));
    p.next = now() + EVERY_SECONDS;
  }
}

void progress_clear(void) {
  if (p.shown)
    fputs("\r\033[K", stderr);
  p.shown = false;
}
