#include "replacement.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *target;
static char *volatile temporary; /* NULL when there is nothing to remove */
static pid_t owner;              /* a child does not remove the file of its parent */

static void remove_temporary(void) {
  if (temporary && getpid() == owner)
    unlink(temporary);
}

static void remove_and_die(int signal_number) {
  remove_temporary();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

int replacement_error(void) { return errno ? errno : EIO; }

/* Signals wait, so that none comes between the file and its removal. One that is ignored, as by nohup, stays so. */
static int open_beside(void) {
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  char *name;
  sigset_t all, before;
  if (asprintf(&name, "%s.XXXXXX", target) < 0)
    return -1;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  const int fd = mkstemp(name), error = errno;
  if (fd >= 0) {
    temporary = name;
    owner = getpid();
    atexit(remove_temporary);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
      if (signal(ends[i], SIG_IGN) != SIG_IGN)
        signal(ends[i], remove_and_die);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  errno = error;
  if (fd < 0)
    free(name);
  return fd;
}

FILE *replacement_open(const char *path) {
  struct stat there;
  if (strcmp(path, "-") == 0)
    return stdout;
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) /* cannot be replaced */
    return fopen(path, "wb");
  target = realpath(path, NULL); /* what a symbolic link names is replaced, not the link */
  target = target ? target : strdup(path);
  const int fd = target ? open_beside() : -1;
  if (fd < 0)
    return NULL;
  const mode_t mask = umask(0);
  umask(mask);
  return fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "wb") : NULL;
}

int replacement_close(FILE *file, int error) {
  if (fclose(file) != 0 && error == 0)
    error = replacement_error();
  if (!temporary)
    return error;
  if (error == 0 && rename(temporary, target) != 0)
    error = errno;
  if (error != 0)
    unlink(temporary);
  char *const name = temporary;
  temporary = NULL;
  free(name);
  free(target);
  return error;
}
