#include "output.h"

#include <errno.h>
#include <fcntl.h>
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

static bool complain(const output *o) {
  fprintf(stderr, "%s: cannot write %s: %s\n", program_invocation_short_name, o->name, strerror(errno));
  return false;
}

output output_open(const char *name) {
  output o = {name, -1};
  struct stat s;
  if (strcmp(name, "-") == 0)
    return (output){"standard output", STDOUT_FILENO};
  const bool exists = stat(name, &s) == 0;
  const int fd = open(name, O_WRONLY | O_CREAT, 0666);
  if (fd < 0) {
    complain(&o);
    exit(2);
  }
  if (exists && !S_ISREG(s.st_mode))
    return (output){name, fd};
  close(fd);
  char *path = exists ? NULL : realpath(name, NULL); /* not a symbolic link */
  if (path)
    unlink(path);
  free(path);
  return o;
}

bool output_write(const output *o, const char *text) {
  const int fd = o->direct >= 0 ? o->direct : open(o->name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const bool ended = text && *text && text[strlen(text) - 1] == '\n';
  bool good = fd >= 0 && text && dprintf(fd, "%s%s", text, ended ? "" : "\n") >= 0;
  good = (fd < 0 || fd == o->direct || close(fd) == 0) && good;
  return good || complain(o);
}
