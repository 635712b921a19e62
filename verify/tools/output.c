#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

static bool complain(const char *name) {
  fprintf(stderr, "%s: cannot write %s: %s\n", program_invocation_short_name, name, strerror(errno));
  return false;
}

/* Opens the file beside NAME, and writes its name to path. */
static int open_beside(const char *name, char path[PATH_MAX]) {
  snprintf(path, PATH_MAX, "%s.new", name);
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

output output_open(const char *name) {
  char path[PATH_MAX];
  struct stat s;
  if (strcmp(name, "-") == 0)
    return (output){"standard output", STDOUT_FILENO};
  const bool in_place = lstat(name, &s) == 0 && !S_ISREG(s.st_mode);
  const int fd = in_place ? open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : open_beside(name, path);
  if (fd < 0) {
    complain(name);
    exit(2);
  }
  if (in_place)
    return (output){name, fd};
  close(fd);
  unlink(path); /* opened again with the results, so a run that is ended leaves no file */
  return (output){name, -1};
}

bool output_write(const output *o, const char *text) {
  char path[PATH_MAX];
  const bool in_place = o->direct >= 0, ended = text && *text && text[strlen(text) - 1] == '\n';
  const int fd = in_place ? o->direct : open_beside(o->name, path);
  bool good = fd >= 0 && text && dprintf(fd, "%s%s", text, ended ? "" : "\n") >= 0;
  if (!in_place)
    good = fd >= 0 && close(fd) == 0 && good && rename(path, o->name) == 0;
  return good || complain(o->name);
}
