#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_stdout(void) {
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fprintf(stderr, "%s: cannot write standard output\n", program_invocation_short_name);
    _exit(2);
  }
}

void output_check_stdout(void) {
  /* If standard output is closed, the next file that is opened must not become standard output. */
  for (int fd = 0; fd >= 0 && fd <= STDERR_FILENO;)
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  atexit(check_stdout);
}

/* Makes all signals wait, so that none ends the program and leaves a file behind. Returns the mask to restore. */
static sigset_t hold_signals(void) {
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  return before;
}

static bool put(int fd, const char *text) {
  const char *newline = strrchr(text, '\n');
  return dprintf(fd, "%s%s", text, newline && !newline[1] ? "" : "\n") >= 0;
}

/* Replaces the file by a new one with this text. If text is NULL, only tries whether a file can be created beside it. */
static bool replace(const output *o, const char *text) {
  char temporary[PATH_MAX + 16];
  const int folder = (int)(strrchr(o->path, '/') - o->path);
  snprintf(temporary, sizeof temporary, "%.*s/.posenc-XXXXXX", folder, o->path);
  const sigset_t before = hold_signals();
  const int fd = mkstemp(temporary);
  bool good = fd >= 0 && fchmod(fd, o->mode) == 0 && (!text || put(fd, text));
  good = fd >= 0 && close(fd) == 0 && good && (!text || rename(temporary, o->path) == 0);
  if (fd >= 0 && !(good && text))
    unlink(temporary);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return good;
}

static bool complain(const output *o) {
  fprintf(stderr, "%s: cannot write %s: %s\n", program_invocation_short_name, o->name, strerror(errno));
  return false;
}

output output_open(const char *name) {
  output o = {.name = name};
  struct stat s = {0};
  const bool exists = stat(name, &s) == 0;
  if (strcmp(name, "-") == 0)
    return (output){.name = "standard output", .direct = STDOUT_FILENO};
  o.direct = exists && !S_ISREG(s.st_mode) ? open(name, O_WRONLY) : -1;
  bool good = o.direct >= 0;
  if (!exists || S_ISREG(s.st_mode)) { /* opening follows symbolic links, and gives a new file its mode */
    const sigset_t before = hold_signals();
    const int fd = open(name, O_WRONLY | O_CREAT, 0666);
    good = fd >= 0 && fstat(fd, &s) == 0 && close(fd) == 0 && realpath(name, o.path);
    good = good && (exists || unlink(o.path) == 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    o.mode = s.st_mode & 07777;
    good = good && replace(&o, NULL);
  }
  if (!good && !complain(&o))
    exit(2);
  return o;
}

bool output_write(const output *o, const char *text) {
  return (text && (o->direct < 0 ? replace(o, text) : put(o->direct, text))) || complain(o);
}
